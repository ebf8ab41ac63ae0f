package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage/cluster"
	"github.com/cozystack/affinityclass/test/controlplane"
)

// establish creates classes for the test alone. What names them goes first: a
// class in use cannot be deleted.
func establish(t *testing.T, classes ...*v1alpha1.AffinityClass) {
	t.Helper()
	for _, c := range classes {
		create(t, c)
		t.Cleanup(func() {
			abandon(t, c.Name)
			remove(t, c)
			gone(t, c)
		})
	}
}

// gone waits until an object is there no more: a finalizer may hold it.
func gone(t *testing.T, object client.Object) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	eventually(t, func() error {
		err := world.Client.Get(ctx, client.ObjectKeyFromObject(object), object.DeepCopyObject().(client.Object))
		if err == nil {
			return fmt.Errorf("%s is still there", object.GetName())
		}
		return client.IgnoreNotFound(err)
	})
}

// abandon deletes every release that names a class.
func abandon(t *testing.T, class string) {
	t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(cluster.ReleaseKind().GroupVersionKind())
	ctx := context.WithoutCancel(t.Context())
	if err := world.Client.List(ctx, list, client.MatchingLabels{policy.ClassLabel: class}); err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		remove(t, &list.Items[i])
	}
}

// softer is a class of dc1's nodes with another action.
func softer(name string, action v1alpha1.EnforcementAction) *v1alpha1.AffinityClass {
	c := class("dc1")
	c.Name, c.Spec.EnforcementAction = name, action
	return c
}

// text is a document of the repository, for people.
func text(t *testing.T, path string) string {
	t.Helper()
	root, err := controlplane.Root()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// written are the objects that the admin's guide shows, by kind and name.
func written(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()
	objects := map[string]*unstructured.Unstructured{}
	for _, block := range strings.Split(text(t, "docs/classes.md"), "```yaml\n")[1:] {
		content, _, _ := strings.Cut(block, "```")
		decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(content), 4096)
		for {
			object := &unstructured.Unstructured{}
			err := decoder.Decode(object)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("read\n%s: %v", content, err)
			}
			objects[object.GetKind()+" "+object.GetName()] = object
		}
	}
	return objects
}

// writtenClass is a class of the admin's guide.
func writtenClass(t *testing.T, name string) *v1alpha1.AffinityClass {
	t.Helper()
	c := &v1alpha1.AffinityClass{}
	into(t, written(t)["AffinityClass "+name], c)
	return c
}
