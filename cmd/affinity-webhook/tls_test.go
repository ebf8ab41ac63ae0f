package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func certificate(t *testing.T, end time.Time) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: end}
	raw, err := x509.CreateCertificate(rand.Reader, leaf, leaf, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
}

func TestTheExpiryFollowsTheFile(t *testing.T) {
	dir := t.TempDir()
	registry := prometheus.NewRegistry()
	registry.MustRegister(newCertificateExpiry(dir))
	seconds := func() (float64, bool) {
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		if len(families) == 0 {
			return 0, false
		}
		return families[0].GetMetric()[0].GetGauge().GetValue(), true
	}
	if got, ok := seconds(); ok {
		t.Errorf("%v seconds without a file", got)
	}
	for _, tt := range []struct {
		name string
		text []byte
		want time.Duration // 0: no value
	}{
		{"a certificate of an hour", certificate(t, time.Now().Add(time.Hour)), time.Hour},
		{"one that replaced it", certificate(t, time.Now().Add(24*time.Hour)), 24 * time.Hour},
		{"one that has expired", certificate(t, time.Now().Add(-time.Hour)), -time.Hour},
		{"no PEM", []byte("hello"), 0},
	} {
		if err := os.WriteFile(filepath.Join(dir, "tls.crt"), tt.text, 0o600); err != nil {
			t.Fatal(err)
		}
		got, ok := seconds()
		if ok != (tt.want != 0) || ok && (got > tt.want.Seconds()+1 || got < tt.want.Seconds()-60) {
			t.Errorf("%s: got %v %v, want about %v", tt.name, got, ok, tt.want.Seconds())
		}
	}
}

func TestFlagsHaveTheDefaultsThatTheDocumentsName(t *testing.T) {
	flags := newCommand().Flags()
	for name, want := range map[string]string{
		"webhook-port": "9443", "metrics-bind-address": ":8080", "health-probe-bind-address": ":8081",
		"kube-api-qps": "200", "kube-api-burst": "400", "review-deadline": "3s",
		"max-review-bytes": "7340032", "max-concurrent-reviews": "512", "lineage-labels": "true",
	} {
		if flag := flags.Lookup(name); flag == nil || flag.DefValue != want {
			t.Errorf("--%s: got %v, want %s", name, flag, want)
		}
	}
}
