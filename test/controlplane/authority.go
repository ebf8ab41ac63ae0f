package controlplane

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// lifetime of what an Authority issues, if not said otherwise. The control plane
// of a demo may be left running for days.
const lifetime = 30 * 24 * time.Hour

// backdate makes a certificate valid a little before it was made: clocks differ.
const backdate = time.Minute

// Authority is a certificate authority that lives in memory. Keys are elliptic,
// since making RSA ones takes seconds.
type Authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
	pem         []byte
}

// Pair is a certificate and its key, both in PEM.
type Pair struct{ Cert, Key []byte }

// NewAuthority makes an authority with a key of its own.
func NewAuthority(name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of authority %s: %w", name, err)
	}
	template := certificate(pkix.Name{CommonName: name}, time.Now().Add(lifetime))
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("sign the certificate of authority %s: %w", name, err)
	}
	parsed, err := x509.ParseCertificate(raw)
	if err != nil {
		return nil, fmt.Errorf("read the certificate of authority %s: %w", name, err)
	}
	return &Authority{certificate: parsed, key: key, pem: certPEM(raw)}, nil
}

// CertPEM is the authority's own certificate: a webhook's caBundle.
func (a *Authority) CertPEM() []byte { return a.pem }

// IssueServing makes a certificate for a server reached by these host names or
// addresses.
func (a *Authority) IssueServing(hosts ...string) (Pair, error) {
	return a.IssueServingUntil(time.Now().Add(lifetime), hosts...)
}

// IssueServingUntil is IssueServing with an end of one's own; an end that has
// passed makes an expired certificate.
func (a *Authority) IssueServingUntil(end time.Time, hosts ...string) (Pair, error) {
	if len(hosts) == 0 {
		return Pair{}, fmt.Errorf("issue a serving certificate: no host given")
	}
	template := certificate(pkix.Name{CommonName: hosts[0]}, end)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
			continue
		}
		template.DNSNames = append(template.DNSNames, host)
	}
	return a.issue(template)
}

// IssueClient makes a certificate by which the API server knows a user and its
// groups.
func (a *Authority) IssueClient(user string, groups ...string) (Pair, error) {
	template := certificate(pkix.Name{CommonName: user, Organization: groups}, time.Now().Add(lifetime))
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.issue(template)
}

func (a *Authority) issue(template *x509.Certificate) (Pair, error) {
	name := template.Subject.CommonName
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("make the key of %s: %w", name, err)
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("sign the certificate of %s: %w", name, err)
	}
	keyPEM, err := privatePEM(key)
	if err != nil {
		return Pair{}, fmt.Errorf("write the key of %s: %w", name, err)
	}
	return Pair{Cert: certPEM(raw), Key: keyPEM}, nil
}

func certificate(subject pkix.Name, end time.Time) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)) // never fails: the reader aborts instead
	start := time.Now().Add(-backdate)
	if !end.After(start) {
		start = end.Add(-time.Hour)
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    start,
		NotAfter:     end,
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func certPEM(raw []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
}

func privatePEM(key any) ([]byte, error) {
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), nil
}
