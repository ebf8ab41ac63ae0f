package docs_test

import (
	"context"
	"encoding/json"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage/fixture"
	"github.com/cozystack/affinityclass/webhook/review"
)

// others are refusals of what is no Pod of a release.
func others() map[review.Reason]func() review.Verdict {
	release := func(text string) func() review.Verdict {
		return func() review.Verdict {
			h := &review.HelmRelease{}
			if err := json.Unmarshal([]byte(text), h); err != nil {
				panic(err)
			}
			return reviewer().Release(context.Background(), &review.ReleaseRequest{Namespace: "tenant-acme", Object: h})
		}
	}
	tenant := func(name string, allowed ...string) func() review.Verdict {
		return func() review.Verdict {
			t := &review.Tenant{}
			t.Name, t.Spec.AllowedAffinityClasses = name, allowed
			return reviewer().Tenant(context.Background(), &review.TenantRequest{Namespace: "tenant-acme", Object: t})
		}
	}
	return map[review.Reason]func() review.Verdict{
		review.ClassNotAllowed: release(`{"metadata":{"name":"web"},"spec":{"values":{"affinityClass":"dc3"}}}`),
		review.ClassUnderived:  release(`{"metadata":{"name":"web"},"spec":{"values":{"affinityClass":"dc1"}}}`),
		review.ClassOfParent: release(`{"metadata":{"name":"part","labels":{"helm.toolkit.fluxcd.io/name":"web"}},` +
			`"spec":{"values":{"affinityClass":"dc2"}}}`),
		review.TenantMalformed: tenant("web-shop"),
		review.TenantInUse: func() review.Verdict {
			t := &review.Tenant{}
			t.Name = "acme"
			return reviewer().Tenant(context.Background(), &review.TenantRequest{Namespace: "tenant-root", Old: t})
		},
		review.ClassInUse: func() review.Verdict {
			class := &v1alpha1.AffinityClass{}
			class.Name = "dc1"
			return reviewer().Class(context.Background(), &review.ClassRequest{Old: class})
		},
		review.BinaryMalformed:      asking(`{"require_with_tags":["web"]}`),
		review.BinaryLost:           asking(`{"require_with_tag":["web"]}`),
		review.RequireUnsatisfied:   requiring(nil),
		review.NeighboursForbidden:  requiring(apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", nil)),
		review.NeighboursUnreadable: requiring(errors.New("timeout")),
		review.FenceBroken: func() review.Verdict {
			return reviewer().Pod(context.Background(), &review.Request{Namespace: "tenant-acme",
				Pod: review.Pod{Metadata: review.Metadata{Name: "web-1"}}})
		},
	}
}

// asking is a Pod that asks by a binary value, and that nobody has given its terms.
func asking(value string) func() review.Verdict {
	return func() review.Verdict {
		return reviewer().Pod(context.Background(), &review.Request{Namespace: "shop", Pod: review.Pod{Metadata: review.Metadata{
			Name: "web-1", Annotations: map[string]string{binaryaffinity.Annotation: value}}}})
	}
}

// reviewer knows a tenant, acme, which may use dc1 and dc2, and its release web in dc1.
func reviewer() *review.Reviewer {
	return reviewerOf(review.Options{Referrers: users{}, Subtenants: users{}})
}

func reviewerOf(options review.Options) *review.Reviewer {
	s := classes().WithTenant(policy.Tenant{Namespace: "tenant-root", Name: "acme", Allowed: []string{"dc1", "dc2"}, Default: "dc1"})
	world := fixture.Chain("Pod tenant-acme/p @ tenant-acme/web")
	for _, object := range world.Objects {
		object.Labels = map[string]string{policy.ClassLabel: "dc1"}
	}
	return review.New(review.Files(world), policies{s, nil}, options)
}

type users struct{}

func (users) Referrers(context.Context, string, int) ([]string, int, error) {
	return []string{"HelmRelease shop/web", "Tenant tenant-root/acme"}, 2, nil
}

func (users) Subtenants(context.Context, string, int) ([]string, int, error) {
	return []string{"web"}, 1, nil
}
