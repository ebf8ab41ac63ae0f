package envtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

type exemptionSpec = v1alpha1.AffinityExemptionSpec

func exempting(usernames ...string) *v1alpha1.AffinityExemption {
	return &v1alpha1.AffinityExemption{
		ObjectMeta: metav1.ObjectMeta{Name: "importers.example.org"},
		Spec:       exemptionSpec{Usernames: usernames, Reason: "imports disks"},
	}
}

// but is an exemption with something changed.
func but(change func(*exemptionSpec)) *v1alpha1.AffinityExemption {
	e := exempting("importer")
	change(&e.Spec)
	return e
}

func in(namespaces ...string) *v1alpha1.AffinityExemption {
	return but(func(s *exemptionSpec) { s.Namespaces = namespaces })
}

func because(reason string) *v1alpha1.AffinityExemption {
	return but(func(s *exemptionSpec) { s.Reason = reason })
}

func ownedBy(group, kind string) *v1alpha1.AffinityExemption {
	return but(func(s *exemptionSpec) { s.OwnerKind = &v1alpha1.OwnerKind{Group: group, Kind: kind} })
}

func selecting(key string, operator metav1.LabelSelectorOperator, values ...string) *v1alpha1.AffinityExemption {
	return but(func(s *exemptionSpec) {
		one := v1alpha1.PodSelectorRequirement{Key: key, Operator: operator, Values: values}
		s.PodSelector = &v1alpha1.PodSelector{MatchExpressions: []v1alpha1.PodSelectorRequirement{one}}
	})
}

// names are this many, each this long.
func names(count, length int) []string {
	all := make([]string, count)
	for i := range all {
		all[i] = fmt.Sprintf("n%0*d", length-1, i)
	}
	return all
}

func TestTheAPIServerAndValidateSayTheSameOfExemptions(t *testing.T) {
	const star = "'*' has a meaning only in system:serviceaccount:NAMESPACE:*"
	all := "system:serviceaccount:" + strings.Repeat("n", 63) + ":*"
	named := exempting("importer")
	named.Name = "Importers"
	tests := []verdict{
		{name: "a user", object: exempting("kubernetes-admin")},
		{name: "a user whose name has anything in it", object: exempting("https://issuer/# a@b é")},
		{name: "every account of a namespace", object: exempting("system:serviceaccount:cdi:*")},
		{name: "every account of a namespace with a long name", object: exempting(all)},
		{name: "every account of a namespace with too long a name", object: exempting(strings.Replace(all, "n", "nn", 1)), refused: star},
		{name: "everybody", object: exempting("*"), refused: star},
		{name: "every account", object: exempting("system:serviceaccount:*"), refused: star},
		{name: "every account of every namespace", object: exempting("system:serviceaccount:*:*"), refused: star},
		{name: "some accounts", object: exempting("system:serviceaccount:cdi:cdi-*"), refused: star},
		{name: "accounts after a line", object: exempting("a\nsystem:serviceaccount:cdi:*"), refused: star},
		{name: "accounts before a line", object: exempting("system:serviceaccount:cdi:*\n"), refused: star},
		{name: "every account of no namespace", object: exempting("system:serviceaccount::*"), refused: star},
		{name: "nodes", object: exempting("system:node:*"), refused: star},
		{name: "nobody", object: exempting(), refused: "spec.usernames"},
		{name: "an empty name", object: exempting(""), refused: "spec.usernames[0]"},
		{name: "a name twice", object: exempting("a", "a"), refused: "spec.usernames[1]: Duplicate"},
		{name: "a name of 512 characters", object: exempting(strings.Repeat("é", 512))},
		{name: "a name of 513 characters", object: exempting(strings.Repeat("é", 513)), refused: "spec.usernames[0]: Too long"},
		{name: "16 names", object: exempting(names(16, 512)...)},
		{name: "17 names", object: exempting(names(17, 8)...), refused: "spec.usernames: Too many"},
		{name: "256 namespaces", object: in(names(256, 63)...)},
		{name: "257 namespaces", object: in(names(257, 8)...), refused: "spec.namespaces: Too many"},
		{name: "a namespace twice", object: in("a", "a"), refused: "spec.namespaces[1]: Duplicate"},
		{name: "a pattern of namespaces", object: in("tenant-*"), refused: "patterns have no meaning here"},
		{name: "an empty namespace", object: in(""), refused: "every namespace must be a name"},
		{name: "a Job", object: ownedBy("batch", "Job")},
		{name: "a kind of the core group", object: ownedBy("", "ReplicationController")},
		{name: "a kind of 63 characters in a group of 253", object: ownedBy(subdomain(253), strings.Repeat("K", 63))},
		{name: "a kind of 64 characters", object: ownedBy("batch", strings.Repeat("K", 64)), refused: "spec.ownerKind.kind: Too long"},
		{name: "a group of 254 characters", object: ownedBy(subdomain(254), "Job"), refused: "spec.ownerKind.group: Too long"},
		{name: "a group with its version", object: ownedBy("batch/v1", "Job"), refused: "the group must be a DNS subdomain"},
		{name: "no kind", object: ownedBy("batch", ""), refused: "the kind must be the name of a kind"},
		{name: "a kind in a letter that only looks like one", object: ownedBy("batch", "\u212Aind"), refused: "the kind must be the name of a kind"},
		{name: "a kind and a line", object: ownedBy("batch", "Job\n"), refused: "the kind must be the name of a kind"},
		{name: "Pods by label", object: selecting("app", "In", "importer", "")},
		{name: "Pods by comparison", object: selecting("n", "Gt", "1"), refused: "operator: Unsupported value"},
		{name: "Pods without values", object: selecting("app", "NotIn"), refused: "In and NotIn need a value"},
		{name: "Pods by nothing", object: but(func(s *exemptionSpec) { s.PodSelector = &v1alpha1.PodSelector{} }), refused: "a podSelector needs a requirement"},
		{name: "no reason", object: because(""), refused: "a reason must be given"},
		{name: "a blank reason", object: because(" \n\t"), refused: "a reason must be given"},
		{name: "a reason of a space that is a letter to some", object: because("\u00a0")},
		{name: "a reason of 256 characters", object: because(strings.Repeat("é", 256))},
		{name: "a reason of 257 characters", object: because(strings.Repeat("é", 257)), refused: "spec.reason: Too long"},
		{name: "a past expiry", object: but(func(s *exemptionSpec) { s.Expires = &metav1.Time{Time: time.Unix(1, 0)} })},
		{name: "a name in capitals", object: named, refused: "metadata.name"},
	}
	c := admin(t)
	for _, test := range tests {
		test.check(t, c)
	}
}
