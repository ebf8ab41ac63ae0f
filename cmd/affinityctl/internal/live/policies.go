package live

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/classes"
)

// Policies is what decides about Pods: classes, Tenants and what namespaces say.
type Policies struct {
	Snapshot *policy.Snapshot
	// Namespaces are those that were read, by name.
	Namespaces map[string]Namespace
	// Exemptions says how many AffinityExemptions there are, or that it could not
	// be read. They go by who creates a Pod, which a stored Pod does not tell.
	Exemptions int
	Unread     error

	selectors map[string]string // of classes, for people
}

// Selector is what the classes of a verdict ask for; names are apart by commas.
func (p *Policies) Selector(names string) string {
	var all []string
	for name := range strings.SplitSeq(names, ",") {
		if selector := p.selectors[name]; selector != "" {
			all = append(all, selector)
		}
	}
	return strings.Join(all, "; ")
}

// Namespace is what the labels of a namespace say.
type Namespace struct {
	Mode     policy.Mode // as its label has it
	Governed bool        // by its label
	Never    bool        // one of the platform's own, which no webhook governs
}

// Policies reads them for one namespace, or for all when it is empty. What could not
// be read is an error: a policy in part would give another verdict.
func (c *Cluster) Policies(ctx context.Context, namespace string) (*Policies, error) {
	p := &Policies{Snapshot: policy.New(), Namespaces: map[string]Namespace{}, selectors: map[string]string{}}
	err := c.each(ctx, kind{name: "AffinityClasses", empty: &v1alpha1.AffinityClassList{}}, func(o runtime.Object) error {
		if class, ok := o.(*v1alpha1.AffinityClass); ok {
			p.Snapshot = p.Snapshot.With(class)
			told := classes.List(classes.Input{Classes: []v1alpha1.AffinityClass{*class}})
			p.selectors[class.Name] = told[0].SelectorText()
		}
		return nil
	})
	if err == nil && namespace == "" {
		err = c.allTenants(ctx, p)
	} else if err == nil {
		err = c.oneTenant(ctx, p, namespace)
	}
	if err != nil {
		return nil, err
	}
	exemptions := kind{name: "AffinityExemptions", empty: &v1alpha1.AffinityExemptionList{}, optional: true}
	p.Unread = c.each(ctx, exemptions, func(runtime.Object) error { p.Exemptions++; return nil })
	return p, ctx.Err()
}

func (c *Cluster) allTenants(ctx context.Context, p *Policies) error {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NamespaceList"))
	err := c.each(ctx, kind{name: "namespaces", empty: list}, func(o runtime.Object) error {
		if namespace, ok := o.(*metav1.PartialObjectMetadata); ok {
			p.namespace(namespace)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.each(ctx, kind{name: "Tenants", empty: &tenantv1.TenantList{}, optional: true}, func(o runtime.Object) error {
		if tenant, ok := o.(*tenantv1.Tenant); ok {
			p.tenant(tenant)
		}
		return nil
	})
}

// oneTenant reads a namespace and the Tenants that have a say in it.
func (c *Cluster) oneTenant(ctx context.Context, p *Policies, name string) error {
	namespace := &metav1.PartialObjectMetadata{}
	namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	if err := c.reader.Get(ctx, client.ObjectKey{Name: name}, namespace); err != nil {
		return fmt.Errorf("read Namespace %s: %w", name, err)
	}
	p.namespace(namespace)
	parent := tenantv1.Root
	for _, governed := range tenantv1.Path(name) {
		key := client.ObjectKey{Namespace: parent, Name: tenantv1.RootName}
		if governed != tenantv1.Root {
			key.Name = governed[strings.LastIndexByte(governed, '-')+1:]
		}
		parent = governed
		tenant := &tenantv1.Tenant{}
		err := c.reader.Get(ctx, key, tenant)
		switch {
		case meta.IsNoMatchError(err):
			return nil // a cluster without Tenants
		case apierrors.IsNotFound(err):
		case err != nil:
			return fmt.Errorf("read Tenant %s: %w", key, err)
		default:
			p.tenant(tenant)
		}
	}
	return nil
}

// namespace keeps what the labels say. That a platform may govern namespaces by a
// label of its own is not known here.
func (p *Policies) namespace(object *metav1.PartialObjectMetadata) {
	read, governed := (policy.Scope{}).Read(object.Name, object.Labels)
	asked := map[string]string{}
	for key, value := range object.Labels {
		asked[key] = value
	}
	asked[policy.EnforceLabel] = string(policy.Deny)
	_, could := (policy.Scope{}).ModeOf(object.Name, asked)
	p.Namespaces[object.Name] = Namespace{Mode: read.Mode, Governed: governed, Never: !could}
	if governed || read.Tenant {
		p.Snapshot = p.Snapshot.WithNamespace(object.Name, read)
	}
}

func (p *Policies) tenant(object *tenantv1.Tenant) {
	p.Snapshot = p.Snapshot.WithTenant(policy.Tenant{
		Namespace: object.Namespace, Name: object.Name,
		Allowed: object.Spec.AllowedAffinityClasses, Default: object.Spec.DefaultAffinityClass,
	})
}
