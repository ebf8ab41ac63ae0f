package fault_test

import (
	"fmt"
	"testing"
	"time"
)

const expiry = "affinity_certificate_expiry_seconds"

// A connection outlives the certificate that it was made with, so each is cut:
// then nobody can call the server until it has a new one.
func TestTheCertificateExpiresAndIsReplacedWhileTheServerRuns(t *testing.T) {
	s := first()
	s.survives(t)
	known := newApp(t, governed(t, "certificate"), "known")
	made := begin(t, creating(known))
	made.works(t)

	do(t, func() error { return s.Issue(time.Now().Add(-time.Minute)) })
	t.Cleanup(func() { _ = s.Issue(time.Time{}) })
	cutUntil(t, func() error {
		if made.of(good, uncalled) == 0 || made.of(bad, uncalled) == 0 {
			return fmt.Errorf("the expired certificate is still taken: %s", made)
		}
		return nil
	})
	if left := s.scrape(t)[expiry]; left >= 0 {
		t.Errorf("%s is %v, wanted a time that has passed", expiry, left)
	}

	do(t, func() error { return s.Issue(time.Time{}) })
	made.works(t)
	if left := s.scrape(t)[expiry]; left < (300 * 24 * time.Hour).Seconds() {
		t.Errorf("%s is %v, wanted a year", expiry, left)
	}
	made.stop()
	made.holds(t, uncalled)
	made.counted(t, known)
}

// cutUntil cuts the API server's connections to the webhook over and over.
func cutUntil(t *testing.T, ask func() error) {
	t.Helper()
	eventually(t, func() error {
		service.cut()
		time.Sleep(200 * time.Millisecond) // for a call on a new connection to be made
		return ask()
	})
}
