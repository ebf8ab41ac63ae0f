package review_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/webhook/review"
)

func TestAReleaseIsRefused(t *testing.T) {
	named := func(value string) string {
		return `{"metadata":{"name":"web"},"spec":{"values":{"affinityClass":` + value + `}}}`
	}
	for _, tt := range []struct {
		name, namespace, before, object string
		change                          func(*world)
		code                            int32
		reason                          review.Reason
		message                         string
	}{
		{"for a class that is no string", atHome, "", named("7"), nil, 400, review.ClassMalformed, "spec.values.affinityClass: it is a number, and has to be a string"},
		{"outside tenants as well", elsewhere, "", named("{}"), nil, 400, review.ClassMalformed, "it is an object"},
		{"for a class that is no name", atHome, "", named(`"Dc1"`), nil, 400, review.ClassMalformed, `"Dc1" is not the name of an AffinityClass`},
		{"for values that cannot be given any", atHome, "", `{"metadata":{"name":"web","annotations":{"affinity.cozystack.io/class":"dc1"}},"spec":{"values":"x"}}`, nil,
			400, review.ClassMalformed, "spec.values: it is a string, and has to be an object"},
		{"for a class that its tenant may not use", atHome, "", named(`"dc3"`), nil, 403, review.ClassNotAllowed,
			`AffinityClass "dc3" (spec.values.affinityClass) is not allowed by its tenant; allowed: dc1, dc2, dc9`},
		{"whether it exists or not", atHome, "", named(`"dc7"`), nil, 403, review.ClassNotAllowed, "allowed: dc1, dc2, dc9"},
		{"for a class that does not exist", atHome, "", named(`"dc9"`), nil, 403, review.ClassNotFound, `AffinityClass "dc9" (spec.values.affinityClass) not found`},
		{"for a class that goes away", atHome, "", named(`"dc2"`), func(w *world) {
			going := simple("dc2")
			going.DeletionTimestamp = &pastTime
			w.classes = w.classes.With(going)
		}, 403, review.ClassNotFound, `AffinityClass "dc2" (spec.values.affinityClass) is being deleted`},
		{"in a tenant whose Tenant is lost", atHome, "", named(`"dc1"`), func(w *world) { w.classes = w.classes.WithoutTenant("tenant-root", "acme") },
			403, review.ClassNotAllowed, "does not exist, so none is allowed"},
		{"for another class than before", atHome, namesDC1, named(`"dc3"`), nil, 403, review.ClassNotAllowed, "dc3"},
		{"for another class than its parent's", atHome, "", `{"metadata":{"name":"web","labels":{"helm.toolkit.fluxcd.io/name":"app"}},"spec":{"values":{"affinityClass":"dc2"}}}`,
			withParent("dc1"), 403, review.ClassOfParent, `is not "dc1", that of the release which it is a part of`},
		{"while its parent cannot be read", atHome, "", `{"metadata":{"name":"web","labels":{"helm.toolkit.fluxcd.io/name":"app"}},"spec":{}}`,
			func(w *world) { w.failing = map[string]error{"HelmRelease": errors.New("away")} }, 503, review.OwnerUnreadable, "could not be read now"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := tenantWorld()
			if tt.change != nil {
				tt.change(w)
			}
			w.liveClasses = w.classes
			object, v := admit(t, w, tt.namespace, tt.before, tt.object)
			if v.Code != tt.code || v.Reason != tt.reason || !strings.Contains(v.Message, tt.message) || v.Admits() {
				t.Errorf("got %d %s: %s", v.Code, v.Reason, v.Message)
			}
			if object != tt.object && tt.code != 503 {
				t.Errorf("it was changed all the same: %s", object)
			}
		})
	}
}

func withParent(class string) func(*world) {
	return func(w *world) {
		parent := object(lineage.HelmRelease, "app")
		parent.Namespace, parent.Release = atHome, &lineage.Release{}
		parent.Labels = map[string]string{policy.ClassLabel: class}
		w.cached["HelmRelease/app"], w.live["HelmRelease/app"] = parent, parent
	}
}

func TestADenialOfAReleaseIsNeverFromMemory(t *testing.T) {
	w := tenantWorld()
	w.liveClasses = w.classes.WithTenant(policy.Tenant{Namespace: "tenant-root", Name: "acme", Allowed: []string{"dc3"}})
	object := `{"metadata":{"name":"web"},"spec":{"values":{"affinityClass":"dc3"}}}`
	completed, v := admit(t, w, atHome, "", object)
	if got := borne(t, completed); got != "dc3/explicit/ injected" || v.Reason != review.ClassDerived {
		t.Errorf("got %s, %s %s: %s", got, v.Kind, v.Reason, v.Message)
	}
}

func TestAChildTakesItsParentsClassAndFollowsIt(t *testing.T) {
	w := tenantWorld()
	withParent("dc1")(w)
	const part = `{"metadata":{"name":"web","labels":{"helm.toolkit.fluxcd.io/name":"app"}},"spec":{}}`
	created, v := admit(t, w, atHome, "", part)
	if got := borne(t, created); got != "dc1/parent/ injected" || v.Reason != review.ClassDerived {
		t.Fatalf("got %s, %s", got, v.Message)
	}
	withParent("dc2")(w)
	touched := strings.Replace(created, `"annotations":{`, `"annotations":{"affinity.cozystack.io/resolve":"now",`, 1)
	moved, v := admit(t, w, atHome, created, touched)
	if got := borne(t, moved); got != "dc2/parent/dc1 injected" || v.Reason != review.ClassDerived {
		t.Errorf("got %s, %s", got, v.Message)
	}
}

// It names what its parent had, which was no contradiction then.
func TestAChildThatNamesItsParentsFormerClassFollowsAllTheSame(t *testing.T) {
	w := tenantWorld()
	withParent("dc1")(w)
	const part = `{"metadata":{"name":"web","labels":{"helm.toolkit.fluxcd.io/name":"app"}},"spec":{"values":{"affinityClass":"dc1"}}}`
	created, _ := admit(t, w, atHome, "", part)
	withParent("dc2")(w)
	touched := strings.Replace(created, `"annotations":{`, `"annotations":{"affinity.cozystack.io/resolve":"now",`, 1)
	moved, v := admit(t, w, atHome, created, touched)
	if got := borne(t, moved); got != "dc2/parent/dc1 injected" || v.Reason != review.ClassDerived {
		t.Errorf("got %s, %s", got, v.Message)
	}
}

// A child whose parent is of another application stands for itself.
func TestAReleaseOfItsOwnApplicationIsNoChild(t *testing.T) {
	w := tenantWorld()
	withParent("dc2")(w)
	const own = `{"metadata":{"name":"web","labels":{"helm.toolkit.fluxcd.io/name":"app","apps.cozystack.io/application.group":"g",` +
		`"apps.cozystack.io/application.kind":"k","apps.cozystack.io/application.name":"n"}},"spec":{}}`
	created, v := admit(t, w, atHome, "", own)
	if got := borne(t, created); got != "dc1/default/ injected" {
		t.Errorf("got %s, %s", got, v.Message)
	}
}

func TestAReleaseThatBearsNotWhatIsDerivedDoesNotPass(t *testing.T) {
	w := tenantWorld()
	reviewer := review.New(w.begin, w, review.Options{})
	v := reviewer.Release(t.Context(), &review.ReleaseRequest{Namespace: atHome, Object: decodeRelease(t, namesDC1)})
	if v.Kind != review.Unknown || v.Code != 503 || v.Reason != review.ClassUnderived {
		t.Errorf("got %s %d %s", v.Kind, v.Code, v.Message)
	}
}

func TestAReleaseWithoutAClassInARestrictedTenantIsWarned(t *testing.T) {
	const stored = `{"metadata":{"name":"web"},"spec":{"values":{"affinityClass":"dc1"}}}`
	_, v := admit(t, tenantWorld(), atHome, stored, namesNone)
	if !v.Admits() || len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0], "names no AffinityClass") {
		t.Errorf("got %s %q", v.Reason, v.Warnings)
	}
}
