package v1alpha1_test

import (
	"encoding/json"
	"testing"

	experiment "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
)

// Each way through which a Tenant may go and come back.
var ways = map[string]func(in, out *v1alpha1.TenantList) error{
	"JSON": func(in, out *v1alpha1.TenantList) error {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		return json.Unmarshal(text, out)
	},
	"the newer JSON": func(in, out *v1alpha1.TenantList) error {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		return experiment.Unmarshal(text, out)
	},
	"YAML": func(in, out *v1alpha1.TenantList) error {
		text, err := yaml.Marshal(in)
		if err != nil {
			return err
		}
		return yaml.UnmarshalStrict(text, out)
	},
	"unstructured": func(in, out *v1alpha1.TenantList) error {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(in)
		if err != nil {
			return err
		}
		return runtime.DefaultUnstructuredConverter.FromUnstructured(content, out)
	},
	"a deep copy": func(in, out *v1alpha1.TenantList) error {
		*out = *in.DeepCopy()
		return nil
	},
}

func TestAnEmptyListStaysEmptyAndAnAbsentOneAbsent(t *testing.T) {
	lists := map[string][]string{"absent": nil, "empty": {}, "with classes": {"dc1", "dc2"}}
	for way, travel := range ways {
		for kind, list := range lists {
			t.Run(kind+" through "+way, func(t *testing.T) {
				was := &v1alpha1.TenantList{Items: []v1alpha1.Tenant{*tenant("acme", "", list), *tenant("web", "dc1", list)}}
				var is v1alpha1.TenantList
				if err := travel(was, &is); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(was, &is); diff != "" {
					t.Errorf("what came back differs (-was +is):\n%s", diff)
				}
			})
		}
	}
}

func TestAnAbsentSpecIsNoRestriction(t *testing.T) {
	text, err := json.Marshal(tenant("acme", "", nil).Spec)
	if err != nil || string(text) != "{}" {
		t.Errorf("a spec without fields is written as %s, %v", text, err)
	}
	var got v1alpha1.Tenant
	if err := json.Unmarshal([]byte(`{"spec":{"etcd":true,"allowedAffinityClasses":[]}}`), &got); err != nil {
		t.Fatal(err)
	}
	if got.Spec.AllowedAffinityClasses == nil || len(got.Spec.AllowedAffinityClasses) != 0 {
		t.Errorf("an empty list beside a field of the platform became %#v", got.Spec.AllowedAffinityClasses)
	}
}

func TestADeepCopySharesNothing(t *testing.T) {
	original := tenant("acme", "dc1", []string{"dc1"})
	original.DeepCopy().Spec.AllowedAffinityClasses[0] = "dc2"
	if got := original.Spec.AllowedAffinityClasses[0]; got != "dc1" {
		t.Errorf("a change of the copy reached the original: %s", got)
	}
}

func TestTheSchemeKnowsTenants(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"Tenant", "TenantList"} {
		if !scheme.Recognizes(v1alpha1.GroupVersion.WithKind(kind)) {
			t.Errorf("the scheme does not know %s", kind)
		}
	}
}
