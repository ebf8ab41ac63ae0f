package controlplane_test

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"

	"github.com/cozystack/affinityclass/test/controlplane"
)

func TestAServingCertificate(t *testing.T) {
	authority, err := controlplane.NewAuthority("one")
	if err != nil {
		t.Fatal(err)
	}
	other, err := controlplane.NewAuthority("other")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		signer *controlplane.Authority
		end    time.Time
		host   string
		valid  bool
	}{
		{name: "is valid for its address", signer: authority, end: time.Now().Add(time.Hour), host: "127.0.0.1", valid: true},
		{name: "is valid for its name", signer: authority, end: time.Now().Add(time.Hour), host: "webhook.example", valid: true},
		{name: "is not valid for another name", signer: authority, end: time.Now().Add(time.Hour), host: "example"},
		{name: "is not valid after its end", signer: authority, end: time.Now().Add(-time.Second), host: "127.0.0.1"},
		{name: "is not valid before another authority", signer: other, end: time.Now().Add(time.Hour), host: "127.0.0.1"},
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.CertPEM())
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pair, err := test.signer.IssueServingUntil(test.end, "127.0.0.1", "webhook.example")
			if err != nil {
				t.Fatal(err)
			}
			loaded, err := tls.X509KeyPair(pair.Cert, pair.Key)
			if err != nil {
				t.Fatal(err)
			}
			_, err = loaded.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: test.host})
			if (err == nil) != test.valid {
				t.Errorf("for %s: %v, want valid: %v", test.host, err, test.valid)
			}
		})
	}
}
