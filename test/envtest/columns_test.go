package envtest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// row is what kubectl prints of a cluster-scoped object.
func row(t *testing.T, resource, name string) map[string]any {
	t.Helper()
	return printed(t, "/apis/cozystack.io/v1alpha1/"+resource+"/"+name)
}

// printed is what kubectl prints of an object without -o wide, by column, except
// for its age. It is the API server that makes the table.
func printed(t *testing.T, path string) map[string]any {
	t.Helper()
	config := rest.CopyConfig(server.Config)
	config.APIPath, config.GroupVersion = "/apis", &v1alpha1.GroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	reader, err := rest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	var table metav1.Table
	err = reader.Get().AbsPath(path).
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").Do(t.Context()).Into(&table)
	if err != nil {
		t.Fatal(err)
	}
	cells := map[string]any{}
	for i, column := range table.ColumnDefinitions {
		if column.Priority == 0 {
			cells[column.Name] = table.Rows[0].Cells[i]
		}
	}
	delete(cells, "Age")
	return cells
}

// made creates an object for the time of the test, and writes its status.
func made(t *testing.T, o client.Object, status func()) {
	t.Helper()
	c := admin(t)
	keep(t, c, o)
	status()
	if err := c.Status().Update(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

func TestGetShowsWhatAClassIs(t *testing.T) {
	pairsOnly := class("columns-pairs", map[string]string{"zone": "dc1"})
	made(t, pairsOnly, func() {
		pairsOnly.Status = v1alpha1.AffinityClassStatus{Nodes: v1alpha1.NodeCounts{Matching: 3, Ready: 2}, Releases: 4, Tenants: 1}
	})
	termsOnly := with(term(requires("zone", "In", "dc1", "dc2")))
	termsOnly.Name, termsOnly.Spec.EnforcementAction = "columns-terms", v1alpha1.Warn
	made(t, termsOnly, func() {
		termsOnly.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ClassReady, Status: "False", Reason: "NoNodes", LastTransitionTime: metav1.Now()}}
	})
	want := map[string]any{"Name": "columns-pairs", "Selector": `{"zone":"dc1"}`, "Action": "Deny", "Nodes": int64(3), "Releases": int64(4)}
	if diff := cmp.Diff(want, row(t, "affinityclasses", "columns-pairs")); diff != "" {
		t.Errorf("the action is the default's (-want +got):\n%s", diff)
	}
	want = map[string]any{
		"Name":     "columns-terms",
		"Selector": `[{"matchExpressions":[{"key":"zone","operator":"In","values":["dc1","dc2"]}]}]`,
		"Action":   "Warn", "Nodes": int64(0), "Releases": int64(0),
	}
	if diff := cmp.Diff(want, row(t, "affinityclasses", "columns-terms")); diff != "" {
		t.Errorf("terms stand where there are no pairs, and a class without nodes shows 0 (-want +got):\n%s", diff)
	}
}

func TestGetShowsWhyAnExemptionIs(t *testing.T) {
	exemption := exempting("system:serviceaccount:cdi:*")
	exemption.Name = "columns"
	expires := metav1.NewTime(time.Date(2100, 1, 2, 3, 4, 5, 0, time.UTC))
	exemption.Spec.Expires = &expires
	made(t, exemption, func() {
		exemption.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ExemptionActive, Status: "True", Reason: "InForce", LastTransitionTime: metav1.Now()}}
	})
	want := map[string]any{"Name": "columns", "Creator": `["system:serviceaccount:cdi:*"]`, "Reason": "imports disks", "Expires": "2100-01-02T03:04:05Z"}
	if diff := cmp.Diff(want, row(t, "affinityexemptions", "columns")); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

func TestStatusIsWrittenApart(t *testing.T) {
	class := class("apart", map[string]string{"zone": "dc1"})
	made(t, class, func() { class.Status.Releases, class.Spec.Description = 4, "by the way" })
	if class.Status.Releases != 4 || class.Spec.Description != "" {
		t.Errorf("a write of status gave %d releases and the description %q", class.Status.Releases, class.Spec.Description)
	}
	class.Status.Releases, class.Spec.Description = 5, "on purpose"
	if err := admin(t).Update(t.Context(), class); err != nil {
		t.Fatal(err)
	}
	if class.Status.Releases != 4 || class.Spec.Description != "on purpose" {
		t.Errorf("a write of the object gave %d releases and the description %q", class.Status.Releases, class.Spec.Description)
	}
}
