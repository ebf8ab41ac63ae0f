package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cozystack/affinityclass/affinityclass/store"
	"github.com/cozystack/affinityclass/webhook"
)

// catalogue are the metrics that the server registers: their labels by name.
type catalogue map[string][]string

func (c catalogue) Register(collector prometheus.Collector) error {
	descriptions := make(chan *prometheus.Desc, 16)
	collector.Describe(descriptions)
	close(descriptions)
	for description := range descriptions {
		name, labels, err := parseDescription(description)
		if err != nil {
			return err
		}
		c[name] = labels
	}
	return nil
}

func (c catalogue) MustRegister(collectors ...prometheus.Collector) {
	for _, collector := range collectors {
		if err := c.Register(collector); err != nil {
			panic(err)
		}
	}
}

func (c catalogue) Unregister(prometheus.Collector) bool { return false }

var described = regexp.MustCompile(`fqName: "(\w+)".*variableLabels: \{([\w,]*)\}`)

func parseDescription(description *prometheus.Desc) (name string, labels []string, err error) {
	parts := described.FindStringSubmatch(description.String())
	if parts == nil {
		return "", nil, fmt.Errorf("a description that cannot be read: %s", description)
	}
	if parts[2] != "" {
		labels = strings.Split(parts[2], ",")
	}
	return parts[1], labels, nil
}

// served is every metric of the server's own.
func served(t *testing.T) catalogue {
	t.Helper()
	c := catalogue{}
	webhook.NewMetrics(c)
	newReadMetrics(c)
	c.MustRegister(newSnapshotAge(&store.Store{}), newInventoryAge(func() time.Duration { return 0 }), newCertificateExpiry(t.TempDir()))
	if len(c) < 8 {
		t.Fatalf("only %d metrics are served: %v", len(c), c)
	}
	return c
}

var (
	selector  = regexp.MustCompile(`\b(affinity_\w+?)(_bucket)?\b(?:\{([^}]*)\})?`)
	matcher   = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)`)
	grouping  = regexp.MustCompile(`\bby \(([^)]*)\)`)
	separator = regexp.MustCompile(`\s*,\s*`)
)

// check makes sure that an expression asks for served metrics by labels that they
// have, and notes which.
func (c catalogue) check(expression string, asked map[string]bool) error {
	known := map[string]bool{}
	for _, part := range selector.FindAllStringSubmatch(expression, -1) {
		name, bucket := part[1], part[2] != ""
		labels, ok := c[name]
		if !ok {
			return fmt.Errorf("no metric %s is served", name)
		}
		asked[name] = true
		for _, label := range labels {
			known[label] = true
		}
		known["le"] = known["le"] || bucket
		for _, label := range matcher.FindAllStringSubmatch(part[3], -1) {
			if !slices.Contains(labels, label[1]) {
				return fmt.Errorf("metric %s has no label %s", name, label[1])
			}
		}
	}
	if len(known) == 0 && len(selector.FindString(expression)) == 0 {
		return fmt.Errorf("asks for no metric of the server: %s", expression)
	}
	for _, labels := range grouping.FindAllStringSubmatch(expression, -1) {
		for _, label := range separator.Split(labels[1], -1) {
			if !known[label] {
				return fmt.Errorf("groups by %s, which no metric in it has: %s", label, expression)
			}
		}
	}
	return nil
}
