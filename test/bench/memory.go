package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"runtime"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrlwebhook "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/cluster"
	"github.com/cozystack/affinityclass/webhook"
	"github.com/cozystack/affinityclass/webhook/review"
)

const owners = 16384 // what the memo holds by default

// memory prints what a warm review allocates beside (a), and what a full memo of
// owners weighs beside the JSON that it was read from.
func memory(ctx context.Context, body []byte) error {
	api := httptest.NewServer(http.HandlerFunc(ownersAPI))
	defer api.Close()
	share := cluster.Share{QPS: 1e9, Burst: 1e9, Concurrency: 64}
	reader, err := cluster.New(cluster.Options{Config: &rest.Config{Host: api.URL, QPS: -1}, Share: share, Releases: webRelease()})
	if err != nil {
		return err
	}
	before := heap()
	for i := range owners {
		if err := remember(ctx, reader, i); err != nil {
			return err
		}
	}
	each := float64(heap()-before) / owners
	runtime.KeepAlive(reader)
	text, err := json.Marshal(ownerNamed("web-00000"))
	if err != nil {
		return err
	}
	fmt.Printf("memory of a full memo of %d owners\n  %.0f bytes an owner, %.2f of its metadata as JSON\n", owners, each, each/float64(len(text)))
	return allocations(reader, body)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func remember(ctx context.Context, reader *cluster.Reader, i int) error {
	name := fmt.Sprintf("web-%05d", i)
	_, err := reader.Begin(namespace).Get(ctx, lineage.Ref{
		GroupKind: schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}, Namespace: namespace, Name: name, UID: types.UID("uid-" + name),
	})
	return err
}

// ownerNamed is a ReplicaSet's metadata as a Deployment's controller makes it.
func ownerNamed(name string) *metav1.PartialObjectMetadata {
	yes := true
	return &metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: namespace, UID: types.UID("uid-" + name),
			Labels:          map[string]string{"app": "web", "pod-template-hash": "7c9f8b6d5", "helm.toolkit.fluxcd.io/name": "web"},
			Annotations:     map[string]string{"deployment.kubernetes.io/desired-replicas": "3", "deployment.kubernetes.io/revision": "1"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "helm.toolkit.fluxcd.io/v2", Kind: "HelmRelease", Name: "web", UID: "release", Controller: &yes}},
		},
	}
}

// ownersAPI stands in for an API server that has every ReplicaSet asked for.
func ownersAPI(w http.ResponseWriter, r *http.Request) {
	var answer any
	switch {
	case r.URL.Path == "/api":
		answer = metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}}
	case r.URL.Path == "/apis":
		version := metav1.GroupVersionForDiscovery{GroupVersion: "apps/v1", Version: "v1"}
		answer = metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{
			{Name: "apps", Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version}}}
	case r.URL.Path == "/apis/apps/v1":
		answer = metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "apps/v1", APIResources: []metav1.APIResource{
			{Name: "replicasets", Kind: "ReplicaSet", Namespaced: true, Verbs: metav1.Verbs{"get"}}}}
	case strings.Contains(r.URL.Path, "/replicasets/"):
		answer = ownerNamed(path.Base(r.URL.Path))
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		panic(err) // the client went away: the bench has failed
	}
}

// oneRelease is a cache with the release of every owner.
type oneRelease struct{ object *lineage.Object }

func (r oneRelease) Release(string, string) (*lineage.Object, bool) { return r.object, true }

func webRelease() oneRelease {
	return oneRelease{&lineage.Object{GroupKind: lineage.HelmRelease, Namespace: namespace, Name: "web", UID: "release",
		Release: &lineage.Release{}, Labels: release().GetLabels()}}
}

type nobody struct{}

func (nobody) Record(*review.Verdict)        {}
func (nobody) RecordWeights(*review.Verdict) {}

// allocations compares the two handlers on one review, without a network.
func allocations(reader *cluster.Reader, body []byte) error {
	class := &v1alpha1.AffinityClass{}
	class.Name, class.Spec.NodeSelector = "dc1", map[string]string{"topology.kubernetes.io/zone": "dc1"}
	begin := func(namespace string) review.Reads { return reader.Begin(namespace) }
	ours := webhook.ValidatePod(webhook.Config{
		Reviewer: review.New(begin, review.Fixed{Policy: policy.New(class)}, review.Options{}), Recorder: nobody{},
		Metrics: webhook.NewMetrics(prometheus.NewRegistry()), Limits: webhook.DefaultLimits(), Log: logr.Discard(),
	}, "")
	theirs := &ctrlwebhook.Webhook{Handler: ctrlwebhook.HandlerFunc(
		func(context.Context, ctrlwebhook.Request) ctrlwebhook.Response { return ctrlwebhook.Allowed("") })}
	body = known(body)
	mine, a := perReview(ours, body), perReview(theirs, body)
	fmt.Printf("allocations of a warm review\n  %.0f, %.2f of (a)'s\n", mine, mine/a)
	return nil
}

// known makes the review one of a Pod whose owner is in the memo.
func known(body []byte) []byte {
	var content map[string]any
	if err := json.Unmarshal(body, &content); err != nil {
		panic(err) // it was made here
	}
	meta := content["request"].(map[string]any)["object"].(map[string]any)["metadata"].(map[string]any)
	meta["ownerReferences"] = []any{map[string]any{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-00001", "uid": "uid-web-00001", "controller": true}}
	text, err := json.Marshal(content)
	if err != nil {
		panic(err) // it was JSON before
	}
	return text
}

func perReview(handler http.Handler, body []byte) float64 {
	return testing.AllocsPerRun(200, func() {
		request := httptest.NewRequest(http.MethodPost, reviewPath, bytes.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		recorded := httptest.NewRecorder()
		handler.ServeHTTP(recorded, request)
		if !bytes.Contains(recorded.Body.Bytes(), []byte(`"allowed":true`)) {
			panic("not allowed: " + recorded.Body.String())
		}
	})
}
