package controlplane

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// identities are the users as which the components, and the one who started
// them, speak to the API server. KWOK is many kubelets at once and has no role
// of its own here, so it comes as an administrator.
func identities() map[string]identity {
	return map[string]identity{
		ControllerManager: {user: "system:kube-controller-manager"},
		Scheduler:         {user: "system:kube-scheduler"},
		Kwok:              {user: "kwok", groups: []string{mastersGroup}},
		adminName:         administrator(),
	}
}

type identity struct {
	user   string
	groups []string
}

func administrator() identity {
	return identity{user: "kubernetes-admin", groups: []string{mastersGroup}}
}

const (
	adminName    = "admin"
	mastersGroup = "system:masters"
)

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`

func (cp *ControlPlane) path(name string) string { return filepath.Join(cp.dir, name) }

// writeFiles fills the directory with what the components read at their start.
func (cp *ControlPlane) writeFiles() error {
	serving, err := cp.authority.IssueServing("127.0.0.1", "localhost", "kubernetes.default.svc")
	if err != nil {
		return err
	}
	proxy, err := cp.authority.IssueClient("front-proxy-client")
	if err != nil {
		return err
	}
	accountPublic, accountPrivate, err := accountKeys()
	if err != nil {
		return err
	}
	files := map[string][]byte{
		"ca.crt":            cp.authority.CertPEM(),
		"serving.crt":       serving.Cert,
		"serving.key":       serving.Key,
		"proxy.crt":         proxy.Cert,
		"proxy.key":         proxy.Key,
		"accounts.pub":      accountPublic,
		"accounts.key":      accountPrivate,
		"audit-policy.yaml": []byte(auditPolicy),
	}
	for name, content := range files {
		if err := os.WriteFile(cp.path(name), content, 0o600); err != nil {
			return fmt.Errorf("write %s of the control plane: %w", name, err)
		}
	}
	return cp.writeKubeconfigs()
}

func (cp *ControlPlane) writeKubeconfigs() error {
	for name, identity := range identities() {
		pair, err := cp.authority.IssueClient(identity.user, identity.groups...)
		if err != nil {
			return err
		}
		config := clientcmdapi.NewConfig()
		config.Clusters["local"] = &clientcmdapi.Cluster{Server: cp.URL(), CertificateAuthorityData: cp.authority.CertPEM()}
		config.AuthInfos[identity.user] = &clientcmdapi.AuthInfo{ClientCertificateData: pair.Cert, ClientKeyData: pair.Key}
		config.Contexts["local"] = &clientcmdapi.Context{Cluster: "local", AuthInfo: identity.user}
		config.CurrentContext = "local"
		if err := clientcmd.WriteToFile(*config, cp.kubeconfig(name)); err != nil {
			return fmt.Errorf("write the kubeconfig of %s: %w", name, err)
		}
	}
	return nil
}

func (cp *ControlPlane) kubeconfig(name string) string { return cp.path(name + ".kubeconfig") }

// accountKeys sign and check the tokens of service accounts: the one place
// where RSA is worth its time, as clusters in use have it.
func accountKeys() (public, private []byte, err error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, nil, fmt.Errorf("make the key of service accounts: %w", err)
	}
	raw, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, nil, fmt.Errorf("write the public key of service accounts: %w", err)
	}
	private, err = privatePEM(key)
	if err != nil {
		return nil, nil, fmt.Errorf("write the private key of service accounts: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: raw}), private, nil
}
