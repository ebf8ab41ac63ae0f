package live

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrNoNamespace says that the cluster has no namespace of a name.
var ErrNoNamespace = errors.New("not found")

// HasNamespace refuses a namespace that there is not: a list of what is in one is
// empty, which looks like an answer. A user who may not read it goes on.
func (c *Cluster) HasNamespace(ctx context.Context, name string) error {
	err := c.reader.Get(ctx, client.ObjectKey{Name: name}, &corev1.Namespace{})
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Errorf("namespace %s %w", name, ErrNoNamespace)
	case err == nil, apierrors.IsForbidden(err):
		return nil
	default:
		return fmt.Errorf("read namespace %s: %w", name, err)
	}
}
