package main

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// confirmed reads once more what was forbidden or not served, after the API server
// has said that it is ready: one that is coming up forbids what it will allow, and
// serves fewer kinds than it will.
type confirmed struct {
	client.Reader
	ready func(context.Context) error
}

func (c confirmed) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	return c.read(ctx, func() error { return c.Reader.Get(ctx, key, object, options...) })
}

func (c confirmed) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	return c.read(ctx, func() error { return c.Reader.List(ctx, list, options...) })
}

func (c confirmed) read(ctx context.Context, once func() error) error {
	err := once()
	if !apierrors.IsForbidden(err) && !meta.IsNoMatchError(err) {
		return err
	}
	if unready := c.ready(ctx); unready != nil {
		return unready
	}
	return once()
}
