package main

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// answers is a reader that answers each Get with the next error.
type answers struct {
	client.Reader
	left []error
}

func (a *answers) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	next := a.left[0]
	a.left = a.left[1:]
	return next
}

func TestARefusalIsBelievedOnlyOfAnAPIServerThatIsReady(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{}, "dc1", errors.New("no role"))
	absent := apierrors.NewNotFound(schema.GroupResource{}, "dc1")
	unready := errors.New("not ready")
	for _, test := range []struct {
		name    string
		answers []error
		ready   error
		want    error
	}{
		{"allowed", []error{nil}, unready, nil},
		{"not there", []error{absent}, unready, absent},
		{"forbidden while it comes up", []error{forbidden}, unready, unready},
		{"allowed once it is up", []error{forbidden, nil}, nil, nil},
		{"forbidden for good", []error{forbidden, forbidden}, nil, forbidden},
	} {
		t.Run(test.name, func(t *testing.T) {
			reads := &answers{left: test.answers}
			reader := confirmed{reads, func(context.Context) error { return test.ready }}
			if err := reader.Get(t.Context(), client.ObjectKey{Name: "dc1"}, &v1alpha1.AffinityClass{}); !errors.Is(err, test.want) {
				t.Errorf("got %v, wanted %v", err, test.want)
			}
			if len(reads.left) > 0 {
				t.Errorf("%d reads fewer than wanted", len(reads.left))
			}
		})
	}
}
