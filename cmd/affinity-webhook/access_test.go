package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/webhook"
)

// authorizer allows some users some lists, and keeps what it was asked.
type authorizer struct {
	mu     sync.Mutex
	allows map[string][]string
	err    error
	asked  []authorizationv1.SubjectAccessReviewSpec
}

func (a *authorizer) Create(_ context.Context, review *authorizationv1.SubjectAccessReview, _ metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, review.Spec)
	answer := review.DeepCopy()
	answer.Status.Allowed = slices.Contains(a.allows[review.Spec.User], review.Spec.ResourceAttributes.Resource)
	return answer, a.err
}

func TestWhoMaySeeTheWholeCluster(t *testing.T) {
	tests := []struct {
		name   string
		allows []string
		err    error
		want   bool
		calls  int // of two questions
	}{
		{"who may list both", []string{"nodes", "pods"}, nil, true, 2},
		{"who may list nodes alone", []string{"nodes"}, nil, false, 2},
		{"who may list Pods alone", []string{"pods"}, nil, false, 1},
		{"nobody, when it cannot be told; and that is not remembered", []string{"nodes", "pods"}, errors.New("etcd is away"), false, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := &authorizer{allows: map[string][]string{"jane": tt.allows}, err: tt.err}
			a := newAccess(asked, logr.Discard())
			for range 2 {
				if got := a.MayListCluster(t.Context(), webhook.User{Username: "jane"}); got != tt.want {
					t.Errorf("got %t", got)
				}
			}
			if len(asked.asked) != tt.calls {
				t.Errorf("%d calls for two questions, want %d", len(asked.asked), tt.calls)
			}
		})
	}
}

// Two users of a name are told apart by all that they are authorized by.
func TestAnAnswerIsRememberedForTheWholeUser(t *testing.T) {
	asked := &authorizer{allows: map[string][]string{"jane": {"nodes", "pods"}}}
	a := newAccess(asked, logr.Discard())
	for _, user := range []webhook.User{
		{Username: "jane"}, {Username: "jane", UID: "7"}, {Username: "jane", Groups: []string{"ops"}},
		{Username: "jane", Extra: map[string][]string{"scopes": {"none"}}}, {Username: "joe"},
	} {
		if got := a.MayListCluster(t.Context(), user); got != (user.Username == "jane") {
			t.Errorf("%+v: got %t", user, got)
		}
	}
	if len(asked.asked) != 9 {
		t.Errorf("%d calls, want two for each of four and one for who may not list nodes", len(asked.asked))
	}
	want := authorizationv1.SubjectAccessReviewSpec{User: "jane", Extra: map[string]authorizationv1.ExtraValue{"scopes": {"none"}},
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Version: "v1", Resource: "nodes"}}
	if diff := cmp.Diff(want, asked.asked[6]); diff != "" {
		t.Errorf("what is asked (-want +got):\n%s", diff)
	}
}

func TestTheOptionForRequirements(t *testing.T) {
	for value, fine := range map[string]bool{"Deny": true, "Warn": true, "": false, "deny": false, "Audit": false} {
		if _, err := (&options{unsatisfiableRequire: value}).unsatisfiable(); (err == nil) != fine {
			t.Errorf("--unsatisfiable-require=%s: %v", value, err)
		}
	}
}
