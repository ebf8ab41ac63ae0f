package platform

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// Account is the user that the server is to the API server.
const Account = "system:serviceaccount:" + Namespace + ":affinity-webhook"

// Serve starts the server and returns when it says that it is ready.
func (p *Platform) Serve(ctx context.Context, options Options) error {
	if err := p.Issue(zero); err != nil {
		return err
	}
	process, err := p.Process(Server, options)
	if err != nil {
		return err
	}
	return p.ControlPlane.Run(ctx, process)
}

// Process is a server to be run beside the control plane, on free ports, which
// become the Platform's; more than one can run, under names of their own.
func (p *Platform) Process(name string, options Options) (controlplane.Process, error) {
	binary, err := controlplane.Binary(Server)
	if err != nil {
		return controlplane.Process{}, err
	}
	kubeconfig, err := p.Kubeconfig(name, Account, "system:serviceaccounts", "system:serviceaccounts:"+Namespace, "system:authenticated")
	if err != nil {
		return controlplane.Process{}, err
	}
	ports := make([]int, 3)
	for i := range ports {
		if ports[i], err = controlplane.FreePort(); err != nil {
			return controlplane.Process{}, err
		}
	}
	p.URL = fmt.Sprintf("https://127.0.0.1:%d", ports[0])
	p.Metrics = fmt.Sprintf("http://127.0.0.1:%d/metrics", ports[1])
	p.Probes = fmt.Sprintf("http://127.0.0.1:%d", ports[2])
	flags := []string{
		"--webhook-host=127.0.0.1", fmt.Sprintf("--webhook-port=%d", ports[0]),
		fmt.Sprintf("--metrics-bind-address=127.0.0.1:%d", ports[1]),
		fmt.Sprintf("--health-probe-bind-address=127.0.0.1:%d", ports[2]),
		"--cert-dir=" + p.certificates, "--leader-elect", "--leader-election-namespace=" + Namespace,
	}
	return controlplane.Process{
		Name: name, Path: binary, Args: append(flags, options.Flags...),
		Env:   append([]string{"KUBECONFIG=" + kubeconfig}, options.Env...),
		Ready: controlplane.HTTPReady(p.Probes+"/readyz", p.ControlPlane.CA()),
	}, nil
}

// Kubeconfig writes a kubeconfig of a user and gives its path.
func (p *Platform) Kubeconfig(name, user string, groups ...string) (string, error) {
	config, err := p.ControlPlane.ConfigFor(user, groups...)
	if err != nil {
		return "", err
	}
	path := filepath.Join(p.ControlPlane.Dir(), name+".kubeconfig")
	if err := clientcmd.WriteToFile(*kubeconfigOf(config), path); err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	return path, os.Chmod(path, 0o600)
}

func kubeconfigOf(config *rest.Config) *api.Config {
	k := api.NewConfig()
	k.Clusters["demo"] = &api.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	k.AuthInfos["user"] = &api.AuthInfo{ClientCertificateData: config.CertData, ClientKeyData: config.KeyData}
	k.Contexts["demo"] = &api.Context{Cluster: "demo", AuthInfo: "user"}
	k.CurrentContext = "demo"
	return k
}
