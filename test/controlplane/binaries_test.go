package controlplane_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cozystack/affinityclass/test/controlplane"
)

func TestAProgramIsFound(t *testing.T) {
	root, assets := emptyRepository(t), t.TempDir()
	bin := filepath.Join(root, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(bin, "etcd"), filepath.Join(bin, "kwok"), filepath.Join(assets, "etcd")} {
		if err := os.WriteFile(path, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	tests := []struct {
		name, assets, program, want string
	}{
		{name: "in bin", program: "etcd", want: filepath.Join(bin, "etcd")},
		{name: "in KUBEBUILDER_ASSETS before bin", assets: assets, program: "etcd", want: filepath.Join(assets, "etcd")},
		{name: "in bin when KUBEBUILDER_ASSETS lacks it", assets: assets, program: "kwok", want: filepath.Join(bin, "kwok")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("KUBEBUILDER_ASSETS", test.assets)
			got, err := controlplane.Binary(test.program)
			if err != nil || got != test.want {
				t.Errorf("found %q, %v; want %q", got, err, test.want)
			}
		})
	}
}
