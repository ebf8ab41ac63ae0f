package lineage

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/cluster"
)

var (
	configMaps = schema.GroupKind{Kind: "ConfigMap"}
	things     = schema.GroupKind{Group: "example.org", Kind: "Thing"}
)

func admin(t *testing.T) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(server.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newReader(t *testing.T, options cluster.Options) *cluster.Reader {
	t.Helper()
	if options.Config == nil {
		options.Config = server.Config
	}
	options.RefreshPace, options.Share.RefreshBurst = time.Millisecond, 10000
	reader, err := cluster.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

func get(t *testing.T, reader *cluster.Reader, kind schema.GroupKind, name string) (*lineage.Object, error) {
	t.Helper()
	ref := lineage.Ref{GroupKind: kind, Namespace: "default", Name: name}
	return reader.Begin("default").Live().Get(t.Context(), ref)
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in a minute: %s", what)
		}
	}
}

func TestAnOwnerIsReadAsItIs(t *testing.T) {
	owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: "owner", Labels: map[string]string{"a": "b"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "top", UID: "u"}},
	}}
	if err := admin(t).Create(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	got, err := get(t, newReader(t, cluster.Options{}), configMaps, "owner")
	if err != nil {
		t.Fatal(err)
	}
	if got.UID != owner.UID || got.Namespace != "default" || got.Labels["a"] != "b" || got.Owners[0].UID != "u" {
		t.Errorf("got %+v", got)
	}
}

func TestWhatTheAPIServerRefusesIsTold(t *testing.T) {
	reader := newReader(t, cluster.Options{})
	if _, err := get(t, reader, configMaps, "nowhere"); !errors.Is(err, lineage.ErrNotFound) {
		t.Errorf("an object that is not there: %v", err)
	}
	if _, err := get(t, reader, schema.GroupKind{Group: "nobody.example.org", Kind: "Thing"}, "t"); !errors.Is(err, lineage.ErrNoKind) {
		t.Errorf("a kind that is not served: %v", err)
	}
	stranger := rest.CopyConfig(server.Config)
	stranger.Impersonate = rest.ImpersonationConfig{UserName: "stranger", Groups: []string{"system:authenticated"}}
	if _, err := get(t, newReader(t, cluster.Options{Config: stranger}), configMaps, "owner"); !errors.Is(err, lineage.ErrForbidden) {
		t.Errorf("a reader without a role: %v", err)
	}
}

// definition serves Things in the versions, of which the last is stored.
func definition(versions ...string) *apiextensionsv1.CustomResourceDefinition {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name, crd.Spec.Group, crd.Spec.Scope = "things.example.org", things.Group, apiextensionsv1.NamespaceScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "things", Singular: "thing", Kind: things.Kind, ListKind: "ThingList"}
	for i, version := range versions {
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
			Name: version, Served: true, Storage: i == len(versions)-1,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}},
		})
	}
	return crd
}

// A kind comes, moves to another version under the same uid, and goes. At no
// time may the reader say that the object is not there while it is.
func TestAKindComesMovesAndGoes(t *testing.T) {
	c, reader := admin(t), newReader(t, cluster.Options{MissAge: time.Millisecond})
	if _, err := get(t, reader, things, "t"); !errors.Is(err, lineage.ErrNoKind) {
		t.Fatalf("before: %v", err)
	}
	crd := definition("v1alpha1", "v1")
	if err := c.Create(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	thing := &unstructured.Unstructured{}
	thing.SetGroupVersionKind(things.WithVersion("v1alpha1"))
	thing.SetNamespace("default")
	thing.SetName("t")
	eventually(t, "a Thing is made", func() bool { return c.Create(t.Context(), thing.DeepCopy()) == nil })
	eventually(t, "it is read", func() bool { _, err := get(t, reader, things, "t"); return err == nil })

	moved := crd.DeepCopy()
	moved.Spec.Versions = definition("v2").Spec.Versions
	moved.Spec.Versions = append(moved.Spec.Versions, crd.Spec.Versions...)
	for i := range moved.Spec.Versions {
		moved.Spec.Versions[i].Served = moved.Spec.Versions[i].Name == "v2"
		moved.Spec.Versions[i].Storage = moved.Spec.Versions[i].Name == "v2"
	}
	if err := c.Patch(t.Context(), moved, client.MergeFrom(crd)); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); {
		if _, err := get(t, reader, things, "t"); errors.Is(err, lineage.ErrNotFound) || errors.Is(err, lineage.ErrNoKind) {
			t.Fatalf("while the version changes: %v", err)
		}
	}
	if _, err := get(t, reader, things, "t"); err != nil {
		t.Fatalf("in the new version: %v", err)
	}
	if err := c.Delete(t.Context(), moved); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the kind is gone", func() bool { _, err := get(t, reader, things, "t"); return errors.Is(err, lineage.ErrNoKind) })
}
