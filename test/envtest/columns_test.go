package envtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// kubectl prints what the API server answers as a table.
func TestGetShowsSelectorAndAction(t *testing.T) {
	c := admin(t)
	if err := c.Create(t.Context(), class("columns", map[string]string{"zone": "dc1"})); err != nil {
		t.Fatal(err)
	}
	remove(t, c, "columns")

	config := rest.CopyConfig(server.Config)
	config.APIPath, config.GroupVersion = "/apis", &v1alpha1.GroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	reader, err := rest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	var table metav1.Table
	err = reader.Get().Resource("affinityclasses").Name("columns").
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").Do(t.Context()).Into(&table)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, column := range table.ColumnDefinitions {
		names = append(names, column.Name)
	}
	if diff := cmp.Diff([]string{"Name", "Selector", "Action", "Age"}, names); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	got := table.Rows[0].Cells[:3]
	if diff := cmp.Diff([]any{"columns", `{"zone":"dc1"}`, "Deny"}, got); diff != "" {
		t.Errorf("cells (-want +got); the action is the default's:\n%s", diff)
	}
}
