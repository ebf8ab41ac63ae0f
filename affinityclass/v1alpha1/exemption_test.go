package v1alpha1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

func exempting(usernames ...string) *v1alpha1.AffinityExemption {
	return &v1alpha1.AffinityExemption{
		ObjectMeta: metav1.ObjectMeta{Name: "importers"},
		Spec:       v1alpha1.AffinityExemptionSpec{Usernames: usernames, Reason: "imports disks"},
	}
}

func labelled(pairs map[string]string, requirements ...v1alpha1.PodSelectorRequirement) *v1alpha1.PodSelector {
	return &v1alpha1.PodSelector{MatchLabels: pairs, MatchExpressions: requirements}
}

func podRequires(key string, operator metav1.LabelSelectorOperator, values ...string) v1alpha1.PodSelectorRequirement {
	return v1alpha1.PodSelectorRequirement{Key: key, Operator: operator, Values: values}
}

// but is an exemption with one thing changed.
func but(change func(*v1alpha1.AffinityExemptionSpec)) *v1alpha1.AffinityExemption {
	e := exempting("importer")
	change(&e.Spec)
	return e
}

type exemptionSpec = v1alpha1.AffinityExemptionSpec

func TestValidateExemptionNamesEveryFieldThatBreaksARule(t *testing.T) {
	many := make([]string, 17)
	for i := range many {
		many[i] = fmt.Sprint("user-", i)
	}
	tests := []struct {
		name string
		one  *v1alpha1.AffinityExemption
		want []string
	}{
		{name: "a user is good", one: exempting("kubernetes-admin")},
		{name: "every account of a namespace is good", one: exempting("system:serviceaccount:cdi:*")},
		{name: "nobody is too few", one: exempting(), want: []string{"spec.usernames"}},
		{name: "seventeen are too many", one: exempting(many...), want: []string{"spec.usernames"}},
		{name: "everybody cannot be said", one: exempting("*"), want: []string{"spec.usernames"}},
		{name: "every namespace cannot be said", one: exempting("system:serviceaccount:*:*"), want: []string{"spec.usernames"}},
		{name: "a part of a name cannot be said", one: exempting("system:serviceaccount:cdi:cdi-*"), want: []string{"spec.usernames"}},
		{name: "a user twice is a mistake", one: exempting("a", "b", "a"), want: []string{"spec.usernames[2]"}},
		{name: "an empty user is none", one: exempting(""), want: []string{"spec.usernames[0]"}},
		{name: "a user of 513 characters is too long", one: exempting(strings.Repeat("é", 513)), want: []string{"spec.usernames[0]"}},
		{name: "a namespace is no pattern", one: but(func(s *exemptionSpec) { s.Namespaces = []string{"tenant-*"} }), want: []string{"spec.namespaces"}},
		{name: "the core group is empty", one: but(func(s *exemptionSpec) { s.OwnerKind = &v1alpha1.OwnerKind{Kind: "ReplicationController"} })},
		{name: "a group has no version", one: but(func(s *exemptionSpec) { s.OwnerKind = &v1alpha1.OwnerKind{Group: "batch/v1", Kind: "Job"} }), want: []string{"spec.ownerKind.group"}},
		{name: "a kind is needed", one: but(func(s *exemptionSpec) { s.OwnerKind = &v1alpha1.OwnerKind{Group: "batch"} }), want: []string{"spec.ownerKind.kind"}},
		{name: "an empty selector of Pods says nothing", one: but(func(s *exemptionSpec) { s.PodSelector = labelled(nil) }), want: []string{"spec.podSelector"}},
		{name: "Gt is none of a Pod's operators", one: but(func(s *exemptionSpec) { s.PodSelector = labelled(nil, podRequires("n", "Gt", "1")) }), want: []string{"spec.podSelector.matchExpressions[0].operator"}},
		{name: "a blank reason is none", one: but(func(s *exemptionSpec) { s.Reason = " \n" }), want: []string{"spec.reason"}},
		{name: "a reason of 257 characters is too long", one: but(func(s *exemptionSpec) { s.Reason = strings.Repeat("é", 257) }), want: []string{"spec.reason"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, err := range v1alpha1.ValidateExemption(test.one) {
				got = append(got, err.Field)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("fields that break a rule (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPodSelectorSelectsAsItsCoreTypeDoes(t *testing.T) {
	selector, err := metav1.LabelSelectorAsSelector(labelled(map[string]string{"app": "importer"}, podRequires("tier", "NotIn", "a", "b")).LabelSelector())
	if err != nil {
		t.Fatal(err)
	}
	if !selector.Matches(labels.Set{"app": "importer"}) || selector.Matches(labels.Set{"app": "importer", "tier": "a"}) {
		t.Errorf("the selector became %s", selector)
	}
	if (*v1alpha1.PodSelector)(nil).LabelSelector() != nil {
		t.Error("no selector became one")
	}
}
