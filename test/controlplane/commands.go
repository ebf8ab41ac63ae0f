package controlplane

import (
	"fmt"
	"slices"
	"strings"
)

const (
	serviceNetwork = "172.30.0.0/16"
	podNetwork     = "10.0.0.1/8"
	// leaseSeconds is how long a node of KWOK counts as alive without renewal,
	// as a kubelet's lease does.
	leaseSeconds = 40
)

// servers are the ports that the control plane needs. etcd has a second one for
// its peers, of which there are none.
func servers() []string { return append(Everything(), etcdPeer) }

const etcdPeer = "etcd-peer"

func (cp *ControlPlane) address(server string) string {
	return fmt.Sprintf("127.0.0.1:%d", cp.ports[server].number)
}

// component is how a component is run.
func (cp *ControlPlane) component(name string) (Process, error) {
	path, err := Binary(name)
	if err != nil {
		return Process{}, err
	}
	args, err := cp.arguments(name)
	if err != nil {
		return Process{}, err
	}
	return Process{
		Name:  name,
		Path:  path,
		Args:  append(args, cp.options.Flags[name]...),
		Env:   []string{"HOME=" + cp.dir}, // KWOK and kubectl read configuration from there
		Ready: cp.probe(name),
	}, nil
}

func (cp *ControlPlane) arguments(name string) ([]string, error) {
	switch name {
	case Etcd:
		return cp.etcdArguments(), nil
	case APIServer:
		return cp.apiServerArguments(), nil
	case ControllerManager:
		return cp.controllerManagerArguments(), nil
	case Scheduler:
		return append(cp.clientArguments(Scheduler), cp.servingArguments(Scheduler)...), nil
	case Kwok:
		return cp.kwokArguments()
	}
	return nil, fmt.Errorf("start %s: there are only %s", name, strings.Join(Everything(), ", "))
}

func (cp *ControlPlane) etcdArguments() []string {
	client, peer := "http://"+cp.address(Etcd), "http://"+cp.address(etcdPeer)
	return []string{
		"--name=default",
		"--data-dir=" + cp.path(etcdData),
		"--listen-client-urls=" + client,
		"--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=default=" + peer,
		"--unsafe-no-fsync",
		"--log-level=warn",
	}
}

const etcdData = "etcd-data"

func (cp *ControlPlane) apiServerArguments() []string {
	args := []string{
		"--etcd-servers=http://" + cp.address(Etcd),
		"--advertise-address=127.0.0.1",
		// No endpoints are kept for the kubernetes Service: nothing here could use them.
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=" + serviceNetwork,
		"--client-ca-file=" + cp.path("ca.crt"),
		"--service-account-key-file=" + cp.path("accounts.pub"),
		"--service-account-signing-key-file=" + cp.path("accounts.key"),
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--allow-privileged=true",
		"--requestheader-client-ca-file=" + cp.path("ca.crt"),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-username-headers=X-Remote-User",
		"--proxy-client-cert-file=" + cp.path("proxy.crt"),
		"--proxy-client-key-file=" + cp.path("proxy.key"),
	}
	if !cp.options.has(ControllerManager) {
		// Without controllers nobody makes a service account or finds a node
		// ready, and no Pod would ever be let in.
		args = append(args, "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition")
	}
	if cp.options.Audit {
		args = append(args, "--audit-policy-file="+cp.path("audit-policy.yaml"), "--audit-log-path="+cp.AuditLog())
	}
	return append(args, cp.servingArguments(APIServer)...)
}

func (cp *ControlPlane) controllerManagerArguments() []string {
	return slices.Concat(cp.clientArguments(ControllerManager), cp.servingArguments(ControllerManager), []string{
		"--controllers=*",
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + cp.path("accounts.key"),
		"--root-ca-file=" + cp.path("ca.crt"),
		// The defaults (20 and 30) double the time until the first Pods run.
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
	})
}

func (cp *ControlPlane) kwokArguments() ([]string, error) {
	stages, err := kwokStages()
	if err != nil {
		return nil, err
	}
	args := []string{
		"--kubeconfig=" + cp.kubeconfig(Kwok),
		"--manage-nodes-with-annotation-selector=" + fakeNode + "=" + fakeNodeValue,
		fmt.Sprintf("--node-lease-duration-seconds=%d", leaseSeconds),
		"--node-ip=127.0.0.1",
		"--cidr=" + podNetwork,
		"--server-address=" + cp.address(Kwok),
	}
	for _, stage := range stages {
		args = append(args, "--config="+stage)
	}
	return args, nil
}

func (cp *ControlPlane) clientArguments(component string) []string {
	kubeconfig := cp.kubeconfig(component)
	return []string{
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--leader-elect=false",
	}
}

func (cp *ControlPlane) servingArguments(component string) []string {
	return []string{
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", cp.ports[component].number),
		"--tls-cert-file=" + cp.path("serving.crt"),
		"--tls-private-key-file=" + cp.path("serving.key"),
	}
}
