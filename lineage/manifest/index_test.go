package manifest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/fixture"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

func TestEveryNamedChainResolvesFromFiles(t *testing.T) {
	for _, named := range fixture.Chains() {
		t.Run(named.Name, func(t *testing.T) {
			documents, err := manifest.Read("chain.json", strings.NewReader(string(named.World().JSON())))
			if err != nil {
				t.Fatal(err)
			}
			outcome := lineage.Trace(context.Background(), documents[0].Object, manifest.NewIndex(documents...))
			resolved, ok := outcome.(lineage.Resolved)
			if !ok {
				t.Fatalf("got %+v", outcome)
			}
			if got := lineage.ChainString(resolved.Chain); got != named.Path {
				t.Errorf("got %q, wanted %q", got, named.Path)
			}
		})
	}
}

const shelf = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: bank, uid: one}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: bank, uid: two}
---
apiVersion: example.org/v1
kind: Fleet
metadata: {name: all}
---
apiVersion: v1
kind: Node
metadata: {name: node-1}
`

func TestIndexLooksInTheNamespaceAndThenClusterWide(t *testing.T) {
	documents, err := manifest.Read("f", strings.NewReader(shelf), manifest.DefaultNamespace("shop"))
	if err != nil {
		t.Fatal(err)
	}
	index := manifest.NewIndex(documents...)
	for _, test := range []struct {
		name string
		ref  lineage.Ref
		want string // empty: not found
	}{
		{name: "an object without a namespace is in the default one", ref: ref("apps", "Deployment", "shop/web"), want: "Deployment shop/web"},
		{name: "a namespaced kind is never looked up cluster-wide", ref: ref("apps", "Deployment", "zoo/web")},
		{name: "another group is another object", ref: ref("extensions", "Deployment", "shop/web")},
		{name: "a kind that may be cluster-scoped is found from elsewhere", ref: ref("example.org", "Fleet", "zoo/all"), want: "Fleet all"},
		{name: "and from the default namespace as one of it", ref: ref("example.org", "Fleet", "shop/all"), want: "Fleet shop/all"},
		{name: "a cluster-scoped kind is found from anywhere", ref: ref("", "Node", "zoo/node-1"), want: "Node node-1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			object, err := index.Get(context.Background(), test.ref)
			if test.want == "" {
				if !errors.Is(err, lineage.ErrNotFound) {
					t.Fatalf("got %v, %v", object, err)
				}
				return
			}
			if err != nil || object.String() != test.want {
				t.Fatalf("got %v, %v", object, err)
			}
		})
	}
}

func TestIndexPrefersTheUIDAskedForAndElseTheLast(t *testing.T) {
	documents, err := manifest.Read("f", strings.NewReader(shelf))
	if err != nil {
		t.Fatal(err)
	}
	index := manifest.NewIndex(documents...)
	for asked, want := range map[string]string{"one": "one", "two": "two", "": "two", "three": "two"} {
		wanted := ref("apps", "Deployment", "bank/web")
		wanted.UID = uid(asked)
		object, err := index.Get(context.Background(), wanted)
		if err != nil || object.UID != uid(want) {
			t.Errorf("asked for %q: got %v, %v", asked, object, err)
		}
	}
}

func ref(group, kind, name string) lineage.Ref {
	namespace, name, _ := strings.Cut(name, "/")
	return lineage.Ref{GroupKind: schema.GroupKind{Group: group, Kind: kind}, Namespace: namespace, Name: name}
}
