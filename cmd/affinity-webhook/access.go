package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/go-logr/logr"
	"github.com/hashicorp/golang-lru/v2/expirable"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/lineage/flight"
	"github.com/cozystack/affinityclass/webhook"
)

const (
	accessKept  = time.Minute
	usersKept   = 1024
	accessLimit = 500 * time.Millisecond // shorter than the shortest webhook timeout
)

// reviews creates SubjectAccessReviews; the typed client does.
type reviews interface {
	Create(ctx context.Context, review *authorizationv1.SubjectAccessReview, options metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error)
}

// access asks the API server what a user may do, and remembers the answer for a
// minute. What could not be told is no, and is not remembered.
type access struct {
	reviews reviews
	log     logr.Logger
	known   *expirable.LRU[string, bool]
	asking  *flight.Group[string, bool]
}

func newAccess(reviews reviews, log logr.Logger) *access {
	return &access{
		reviews: reviews, log: log,
		known:  expirable.NewLRU[string, bool](usersKept, nil, accessKept),
		asking: flight.New[string, bool](flight.Options{Timeout: accessLimit}),
	}
}

// MayListCluster says whether the user may list nodes and, in all namespaces, Pods.
func (a *access) MayListCluster(ctx context.Context, user webhook.User) bool {
	text, err := json.Marshal(user) // keys of maps are sorted
	if err != nil {
		return false
	}
	key := string(text)
	if may, ok := a.known.Get(key); ok {
		return may
	}
	may, err := a.asking.Do(ctx, key, flight.Ticket{}, func(ctx context.Context) (bool, error) {
		return a.ask(ctx, user)
	})
	if err != nil {
		a.log.Info("access of a user not told, preview without names", "user", user.Username, "error", err.Error())
		return false
	}
	a.known.Add(key, may)
	return may
}

func (a *access) ask(ctx context.Context, user webhook.User) (bool, error) {
	for _, resource := range []string{"nodes", "pods"} {
		may, err := a.mayList(ctx, user, resource)
		if err != nil || !may {
			return false, err
		}
	}
	return true, nil
}

func (a *access) mayList(ctx context.Context, user webhook.User, resource string) (bool, error) {
	extra := map[string]authorizationv1.ExtraValue{}
	for key, values := range user.Extra {
		extra[key] = values
	}
	answer, err := a.reviews.Create(ctx, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user.Username, UID: user.UID, Groups: user.Groups, Extra: extra,
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Version: "v1", Resource: resource},
	}}, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	return answer.Status.Allowed && !answer.Status.Denied, nil
}
