package envtest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// What CEL and Go both say, both say in the same words of the same field, where
// CEL can at most name the map or list that an entry of Go's is in.
func TestARuleHasTheSameWordsInBoth(t *testing.T) {
	second := int64(1)
	tolerant := class("dc1", pairs(1))
	tolerant.Spec.Tolerations = []v1alpha1.Toleration{
		{Value: "v"}, {Key: "k", Operator: "Exists", Value: "v"}, {Key: "k", TolerationSeconds: &second}, {Key: "a b"}, {Key: "k", Value: "a b"},
	}
	broken := []client.Object{
		class("dc1.eu", pairs(1)),
		class("dc1", nil),
		class("dc1", map[string]string{"a b": "v"}),
		class("dc1", map[string]string{"k": "-"}),
		with(term()),
		with(term(requires("a b", "In"), requires("k", "Exists", "v"), requires("k", "Gt", "a"), requires("k", "In", "v", "-"))),
		node("metadata.name", "In", "N_1"),
		tolerant,
		exempting("*"),
		but(func(s *exemptionSpec) { s.Namespaces = []string{"a*"} }),
		but(func(s *exemptionSpec) { s.Reason = " " }),
		but(func(s *exemptionSpec) { s.OwnerKind = &v1alpha1.OwnerKind{Group: "batch/v1", Kind: "-"} }),
		but(func(s *exemptionSpec) { s.PodSelector = &v1alpha1.PodSelector{} }),
		but(func(s *exemptionSpec) {
			s.PodSelector = &v1alpha1.PodSelector{MatchLabels: map[string]string{"a b": "-"}, MatchExpressions: []v1alpha1.PodSelectorRequirement{
				{Key: "k", Operator: "In"}, {Key: "k", Operator: "Exists", Values: []string{"v"}}, {Key: "a b", Operator: "In", Values: []string{"-"}},
			}}
		}),
	}
	c := admin(t)
	for _, o := range broken {
		var status *apierrors.StatusError
		if got := agree(t, c, o); !errors.As(got, &status) {
			t.Errorf("the answer has no status: %v", got)
			continue
		}
		for _, want := range validated(t, o) {
			if !slices.ContainsFunc(status.ErrStatus.Details.Causes, func(cause metav1.StatusCause) bool { return sayTheSame(cause, want) }) {
				t.Errorf("validation says %v\nthe API server says %v", want, status)
			}
		}
	}
}

// sayTheSame also compares the type of the error, such as Required.
func sayTheSame(cause metav1.StatusCause, want *field.Error) bool {
	// The path of a rule at the root of an object is empty.
	root := cause.Field == "<nil>" && want.Field == "metadata.name"
	return (root || strings.HasPrefix(want.Field, cause.Field)) &&
		string(cause.Type) == string(want.Type) && strings.HasSuffix(cause.Message, want.Detail)
}
