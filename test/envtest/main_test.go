package envtest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

const root = "../.."

// server is the environment that TestMain starts for the package.
var server *envtest.Environment

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	assets, err := assets()
	if err != nil {
		return 1, err
	}
	server = &envtest.Environment{
		BinaryAssetsDirectory: assets,
		CRDDirectoryPaths: []string{
			filepath.Join(root, "config", "crd", "cozystack.io_affinityclasses.yaml"),
			filepath.Join(root, "config", "crd", "cozystack.io_affinityexemptions.yaml"),
			filepath.Join(root, "config", "crd", "apps.cozystack.io_tenants.yaml"),
			filepath.Join(root, "test", "cluster", "crd", "helm.toolkit.fluxcd.io_helmreleases.yaml"),
		},
		ErrorIfCRDPathMissing: true,
	}
	if _, err := server.Start(); err != nil {
		return 1, fmt.Errorf("start the API server: %w", err)
	}
	defer func() {
		if stop := server.Stop(); stop != nil && err == nil {
			code, err = 1, fmt.Errorf("stop the API server: %w", stop)
		}
	}()
	return m.Run(), nil
}

// assets is the folder that holds the programs.
func assets() (string, error) {
	folder := os.Getenv("KUBEBUILDER_ASSETS")
	if folder == "" {
		folder = filepath.Join(root, "bin")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	for _, program := range []string{"etcd", "kube-apiserver", "kubectl"} {
		if _, err := os.Stat(filepath.Join(folder, program)); err != nil {
			return "", fmt.Errorf("find %s: %w (run make control-plane)", program, err)
		}
	}
	return folder, nil
}

// admin is a client that may do everything.
func admin(t *testing.T) client.Client {
	t.Helper()
	return newClient(t, server.Config)
}

// as is a client of a user in these groups, who may do what roles say.
func as(t *testing.T, user string, groups ...string) client.Client {
	t.Helper()
	config := rest.CopyConfig(server.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: append(groups, "system:authenticated")}
	return newClient(t, config)
}

func newClient(t *testing.T, config *rest.Config) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme, tenantv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
