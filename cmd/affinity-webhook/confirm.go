package main

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// confirmed reads once more what was forbidden, after the API server has said
// that it is ready: one that is coming up forbids what it will allow.
type confirmed struct {
	client.Reader
	ready func(context.Context) error
}

func (c confirmed) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	err := c.Reader.Get(ctx, key, object, options...)
	if !apierrors.IsForbidden(err) {
		return err
	}
	if unready := c.ready(ctx); unready != nil {
		return unready
	}
	return c.Reader.Get(ctx, key, object, options...)
}
