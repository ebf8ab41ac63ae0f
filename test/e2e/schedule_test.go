package e2e_test

import (
	"fmt"
	"testing"
)

// The real schedule takes up to a minute, which passes while the other tests run.
func TestPodsOfACronJobOnItsScheduleAreJudged(t *testing.T) {
	space := governed(t, "nightly")
	log := openAudit(t)
	good := deploy(t, release{space, "good", "dc1"}).inZone("dc1")
	bad := deploy(t, release{space, "bad", "dc1"})
	create(t, good.cronJob("* * * * *"), bad.cronJob("* * * * *"))
	t.Cleanup(func() { remove(t, good.cronJob(""), bad.cronJob("")) })
	t.Parallel()

	eventually(t, func() error {
		if len(podsOf(t, space, good.name)) == 0 {
			return fmt.Errorf("no Pod of CronJob %s", good.name)
		}
		return nil
	})
	runIn(t, good, "dc1")
	wasAllowed(t, log, good.release)
	saidWhy(t, log, controlled{kind: "CronJob", maker: "Job"}, bad)
}
