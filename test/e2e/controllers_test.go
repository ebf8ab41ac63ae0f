package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// controlled is a workload whose Pods a real controller makes.
type controlled struct {
	kind  string // of the top owner
	maker string // kind of the controller that makes the Pods, where FailedCreate is said
	pods  int
	start func(*testing.T, workload)
}

func controllers() []controlled {
	return []controlled{
		{"Deployment", "ReplicaSet", 2, func(t *testing.T, w workload) { create(t, w.deployment(2)) }},
		{"StatefulSet", "StatefulSet", 2, func(t *testing.T, w workload) { create(t, w.statefulSet()) }},
		{"DaemonSet", "DaemonSet", 3, func(t *testing.T, w workload) { create(t, w.daemonSet()) }},
		{"Job", "Job", 1, func(t *testing.T, w workload) { create(t, w.job()) }},
		{"CronJob", "Job", 1, startFromCronJob},
	}
}

// startFromCronJob does not wait for the schedule.
func startFromCronJob(t *testing.T, w workload) {
	t.Helper()
	create(t, w.cronJob("0 0 29 2 *"))
	_, problems, err := kubectl(t, "", "create", "job", w.name+"-by-hand", "--from=cronjob/"+w.name, "-n", w.release.namespace)
	if err != nil {
		t.Fatalf("create a Job from CronJob %s: %v\n%s", w.name, err, problems)
	}
}

func TestPodsOfEveryControllerAreLabelledJudgedAndRun(t *testing.T) {
	shop := governed(t, "shop")
	log := openAudit(t)
	for _, c := range controllers() {
		t.Run(c.kind, func(t *testing.T) {
			w := deploy(t, release{shop, strings.ToLower(c.kind), "dc1"}).inZone("dc1")
			c.start(t, w)
			awaitPods(t, shop, w.name, c.pods)
			runIn(t, w, "dc1")
			wasAllowed(t, log, w.release)
		})
	}
	oneReadAHop(t, log, shop)
}

// runIn waits until the workload's Pods run, or have ended well as those of Jobs
// do, and looks where, and under which labels.
func runIn(t *testing.T, w workload, dc string) {
	t.Helper()
	eventually(t, func() error {
		for _, pod := range podsOf(t, w.release.namespace, w.name) {
			if pod.Status.Phase != corev1.PodRunning && pod.Status.Phase != corev1.PodSucceeded {
				return fmt.Errorf("Pod %s is %s", pod.Name, pod.Status.Phase)
			}
		}
		return nil
	})
	for _, pod := range podsOf(t, w.release.namespace, w.name) {
		if diff := cmp.Diff(w.release.derived(), derivedOf(&pod)); diff != "" {
			t.Errorf("labels of Pod %s, wanted (-), got (+):\n%s", pod.Name, diff)
		}
		if !strings.HasPrefix(pod.Spec.NodeName, dc+"-") {
			t.Errorf("Pod %s runs on node %q, wanted one of %s", pod.Name, pod.Spec.NodeName, dc)
		}
	}
}

// derivedOf are the labels of a Pod that only admission may set.
func derivedOf(pod client.Object) map[string]string {
	found := map[string]string{}
	for key, value := range pod.GetLabels() {
		if strings.HasPrefix(key, "apps.cozystack.io/") {
			found[key] = value
		}
	}
	return found
}

func wasAllowed(t *testing.T, log *audit, r release) {
	t.Helper()
	want := map[string]string{
		"verdict": "Allowed", "reason": "ContractKept", "class": r.class, "release": r.namespace + "/" + r.name,
	}
	for _, notes := range log.reviewed(t, r.namespace) {
		if cmp.Equal(want, notes) {
			return
		}
	}
	t.Errorf("no creation of a Pod has the audit annotations %v", want)
}

// oneReadAHop holds for all reviews of the namespace so far together: its owners
// were unknown at first, and each was read once. A release that the watch has not
// told of yet is read by every review, so it is not counted.
func oneReadAHop(t *testing.T, log *audit, namespace string) {
	t.Helper()
	reads := within(log.reads(t), namespace)
	for path, count := range reads {
		if count > 1 && !strings.Contains(path, "/helmreleases/") {
			t.Errorf("%d reads of %s, wanted one", count, path)
		}
	}
	t.Logf("%d Pods, two reviews each, cost %d reads of %d owners and releases", len(log.reviewed(t, namespace)), total(reads), len(reads))
	if len(reads) == 0 {
		t.Error("nothing was read, though nothing was known")
	}
}
