package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const root = "../.."

// A panel or an alert on a metric that nobody exports is silent for ever.
func TestAlertsAndDashboardAskForMetricsThatAreServed(t *testing.T) {
	c := served(t)
	asked := map[string]bool{}
	all := expressions(t)
	for _, where := range slices.Sorted(maps.Keys(all)) {
		if err := c.check(all[where], asked); err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(c)), slices.Sorted(maps.Keys(asked))); diff != "" {
		t.Errorf("metrics shown by the dashboard and the alerts (-served +asked for):\n%s", diff)
	}
}

// expressions are those of the chart's alerts and dashboard, by where they stand.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, rule := range chartAlerts(t) {
		found["alert "+rule.Alert] = rule.Expr
	}
	for _, panel := range chartDashboard(t) {
		for _, target := range panel.Targets {
			found["panel "+panel.Title+", "+target.RefID] = target.Expr
		}
	}
	return found
}

type alert struct {
	Alert, Expr, For string
}

func chartAlerts(t *testing.T) []alert {
	t.Helper()
	var file struct {
		Groups []struct{ Rules []alert }
	}
	if err := yaml.Unmarshal(read(t, "charts/affinity-webhook/files/monitoring/alerts.yaml"), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Groups) != 1 || len(file.Groups[0].Rules) == 0 {
		t.Fatalf("the chart's alerts are not in one group: %+v", file)
	}
	return file.Groups[0].Rules
}

type panel struct {
	Title   string
	Targets []struct{ RefID, Expr string }
}

func chartDashboard(t *testing.T) []panel {
	t.Helper()
	var file struct{ Panels []panel }
	if err := json.Unmarshal(read(t, "charts/affinity-webhook/files/monitoring/dashboard.json"), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Panels) == 0 {
		t.Fatal("the dashboard has no panel")
	}
	return file.Panels
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A row of a table of the guide: its first cell, and its second.
var row = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \|`)

func TestTheGuideNamesEveryMetric(t *testing.T) {
	guide := string(read(t, "docs/operations.md"))
	named := catalogue{}
	for _, cells := range row.FindAllStringSubmatch(guide, -1) {
		text, ok := strings.CutPrefix(strings.Trim(cells[1], "` "), "affinity_")
		if !ok {
			continue
		}
		name, labels, _ := strings.Cut(strings.TrimSuffix(text, "}"), "{")
		named["affinity_"+name] = nil
		if labels != "" {
			named["affinity_"+name] = strings.Split(labels, ",")
		}
	}
	if diff := cmp.Diff(served(t), named); diff != "" {
		t.Errorf("metrics of docs/operations.md (-served +named):\n%s", diff)
	}
}

func TestTheGuideNamesEveryAlert(t *testing.T) {
	guide := string(read(t, "docs/operations.md"))
	var named, shipped []string
	for _, cells := range row.FindAllStringSubmatch(guide, -1) {
		if name := strings.Trim(cells[1], "` "); strings.HasPrefix(name, "Affinity") {
			named = append(named, name+": "+strings.Trim(cells[2], "` "))
		}
	}
	for _, alert := range chartAlerts(t) {
		shipped = append(shipped, alert.Alert+": "+strings.Join(strings.Fields(alert.Expr), " "))
	}
	if diff := cmp.Diff(shipped, named); diff != "" {
		t.Errorf("alerts of docs/operations.md (-in the chart +named):\n%s", diff)
	}
}
