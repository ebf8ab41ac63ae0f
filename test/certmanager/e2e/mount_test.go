package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// lag is how late a mounted Secret follows: with a kubelet up to a minute. What is
// shown here is the same after two seconds: in between, the old leaf meets the new
// caBundle.
const lag = 2 * time.Second

// mount keeps a Secret as files, until the test ends, in the folder that it
// returns. A change comes as a kubelet makes it: the new files in a folder of their
// own, and then, at once, a link to that folder instead of the old one.
func (w *world) mount(t *testing.T, secret string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	mounted := w.secret(t, secret)
	if err := project(folder, mounted); err != nil {
		t.Fatal(err)
	}
	for file := range mounted.Data {
		if err := os.Symlink(filepath.Join("..data", file), filepath.Join(folder, file)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.follow(ctx, folder, mounted) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("mount Secret %s: %v", secret, err)
		}
	})
	return folder
}

// follow writes each later state of the Secret.
func (w *world) follow(ctx context.Context, folder string, mounted *corev1.Secret) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(100 * time.Millisecond):
		}
		latest := &corev1.Secret{}
		err := w.Client.Get(ctx, client.ObjectKeyFromObject(mounted), latest)
		if err != nil || latest.ResourceVersion == mounted.ResourceVersion {
			continue // gone, or the API server is away: a mount stays as it is
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(lag):
		}
		if err := project(folder, latest); err != nil {
			return err
		}
		mounted = latest
	}
}

// project puts the Secret's files in the place of those that were there.
func project(folder string, secret *corev1.Secret) error {
	version := ".." + secret.ResourceVersion
	if err := os.Mkdir(filepath.Join(folder, version), 0o700); err != nil {
		return err
	}
	for file, content := range secret.Data {
		if err := os.WriteFile(filepath.Join(folder, version, file), content, 0o600); err != nil {
			return err
		}
	}
	current := filepath.Join(folder, "..data")
	previous, err := os.Readlink(current)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.Symlink(version, current+"_tmp"); err != nil {
		return err
	}
	if err := os.Rename(current+"_tmp", current); err != nil {
		return fmt.Errorf("exchange the files: %w", err)
	}
	if previous == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(folder, previous))
}
