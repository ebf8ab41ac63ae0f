package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var errNoCertificate = errors.New("the file holds no PEM certificate")

// modern is what the API server speaks to us: TLS 1.2 or later.
func modern(c *tls.Config) { c.MinVersion = tls.VersionTLS12 }

// certificateExpiry tells in how many seconds the certificate on disk expires,
// negative when it has; the server reloads that file by itself. It reads the
// file at each scrape, and gives nothing while there is none.
type certificateExpiry struct {
	file string
	desc *prometheus.Desc
}

func newCertificateExpiry(dir string) certificateExpiry {
	return certificateExpiry{
		file: filepath.Join(dir, "tls.crt"),
		desc: prometheus.NewDesc("affinity_certificate_expiry_seconds",
			"Seconds until the serving certificate expires; negative when it has.", nil, nil),
	}
}

func (c certificateExpiry) Describe(out chan<- *prometheus.Desc) { out <- c.desc }

func (c certificateExpiry) Collect(out chan<- prometheus.Metric) {
	if end, err := c.expiry(); err == nil {
		out <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, time.Until(end).Seconds())
	}
}

func (c certificateExpiry) expiry() (time.Time, error) {
	text, err := os.ReadFile(c.file)
	if err != nil {
		return time.Time{}, err
	}
	leaf, err := firstCertificate(text)
	if err != nil {
		return time.Time{}, err
	}
	return leaf.NotAfter, nil
}

func firstCertificate(text []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errNoCertificate
	}
	return x509.ParseCertificate(block.Bytes)
}
