package platform

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/test/controlplane"
)

var zero time.Time

// Manifests are the objects of a directory of the repository, in the order of
// its files; kustomizations, which are not objects, are passed over.
func Manifests(dir string) ([]*unstructured.Unstructured, error) {
	root, err := controlplane.Root()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(root, dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no manifests in %s: %w", dir, err)
	}
	var objects []*unstructured.Unstructured
	for _, file := range files {
		if filepath.Base(file) == "kustomization.yaml" {
			continue
		}
		found, err := decode(file)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
	return objects, nil
}

func decode(file string) ([]*unstructured.Unstructured, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	decoder := yaml.NewYAMLOrJSONDecoder(in, 4096)
	var objects []*unstructured.Unstructured
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		switch {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", file, err)
		case len(object.Object) > 0:
			objects = append(objects, object)
		}
	}
}

// Apply applies objects server-side, as an administrator.
func (p *Platform) Apply(ctx context.Context, objects ...*unstructured.Unstructured) error {
	for _, object := range objects {
		err := p.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.FieldOwner("platform"), client.ForceOwnership)
		if err != nil {
			return fmt.Errorf("apply %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}

// pointAt replaces the Service of every webhook by a URL with the same path.
func pointAt(object *unstructured.Unstructured, url string, ca []byte) error {
	hooks, _, err := unstructured.NestedSlice(object.Object, "webhooks")
	if err != nil {
		return err
	}
	for _, hook := range hooks {
		content := hook.(map[string]any)
		path, _, err := unstructured.NestedString(content, "clientConfig", "service", "path")
		if err != nil {
			return err
		}
		content["clientConfig"] = map[string]any{"url": url + path, "caBundle": base64.StdEncoding.EncodeToString(ca)}
	}
	return unstructured.SetNestedSlice(object.Object, hooks, "webhooks")
}

const patience = 60 * time.Second

// established waits until the kinds are served.
func (p *Platform) established(ctx context.Context) error {
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		return p.Client.List(ctx, &v1alpha1.AffinityClassList{}) == nil, nil
	})
}

// Enforced waits until the API server asks the webhook: its configurations
// reach it by a watch. A Pod with a broken owner is refused by nobody else.
func (p *Platform) Enforced(ctx context.Context) error {
	const name = "enforced-probe"
	err := p.ControlPlane.CreateNamespace(ctx, name, map[string]string{"affinity.cozystack.io/enforce": "deny"})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	probe := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: name, OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "gone", UID: "gone"}}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		err := p.Client.Create(ctx, probe.DeepCopy(), client.DryRunAll)
		return apierrors.IsConflict(err) && strings.Contains(err.Error(), "owner reference"), nil
	})
}
