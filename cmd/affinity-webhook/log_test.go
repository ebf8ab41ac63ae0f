package main

import (
	"bytes"
	"flag"
	"testing"

	ctrlzap "sigs.k8s.io/controller-runtime/pkg/log/zap"
)

func TestEveryRefusalOfAStormIsLogged(t *testing.T) {
	for _, test := range []struct {
		name        string
		args        []string
		info, debug int
	}{
		{"by default", nil, 1000, 0},
		{"in development", []string{"-zap-devel"}, 1000, 1000},
		{"errors alone", []string{"-zap-log-level=error"}, 0, 0},
		{"details too", []string{"-zap-log-level=debug"}, 1000, 1000},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			options := ctrlzap.Options{DestWriter: &out}
			flags := flag.NewFlagSet("zap", flag.ContinueOnError)
			options.BindFlags(flags)
			if err := flags.Parse(test.args); err != nil {
				t.Fatal(err)
			}
			log := newLogger(&options)
			for range 1000 {
				log.Info("a refusal")
				log.V(1).Info("a detail")
			}
			if got := bytes.Count(out.Bytes(), []byte("a refusal")); got != test.info {
				t.Errorf("%d lines at Info, wanted %d", got, test.info)
			}
			if got := bytes.Count(out.Bytes(), []byte("a detail")); got != test.debug {
				t.Errorf("%d lines at V(1), wanted %d", got, test.debug)
			}
		})
	}
}
