package inventory

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// silence makes a fixture that heard of every kind so long ago.
func silence(i *Inventory, long time.Duration) {
	for _, f := range i.feeds {
		switch f := f.(type) {
		case *feed[*corev1.Node]:
			f.heard.Store(time.Now().Add(-long).UnixNano())
		case *feed[*corev1.Pod]:
			f.heard.Store(time.Now().Add(-long).UnixNano())
		}
	}
}

func TestTheAgeIsOfTheKindSilentTheLongest(t *testing.T) {
	f := feedByHand(TagsOnly)
	if f.Age() != 0 {
		t.Errorf("before anything is read it is %v old", f.Age())
	}
	silence(f.Inventory, time.Hour)
	if age := f.Age(); age < time.Hour || age > time.Hour+time.Minute {
		t.Errorf("after an hour's silence it is %v old", age)
	}
	f.nodes.UpdateResourceVersion("7") // a bookmark
	if age := f.Age(); age < time.Hour {
		t.Errorf("nodes were heard of and Pods not, and it is %v old", age)
	}
	f.pods.UpdateResourceVersion("8")
	if age := f.Age(); age > time.Minute {
		t.Errorf("all were heard of, and it is %v old", age)
	}
}

func TestAWatchKeepsTheInventoryYoung(t *testing.T) {
	s := &stream{nodes: []*corev1.Node{node("n1")}, pods: []*corev1.Pod{pod("w1", "n1", "web")}}
	i := New(s, nil, TagsOnly, logr.Discard())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- i.Start(ctx) }()
	await(t, "the first lists are read", func() bool { return i.HasSynced() && s.podWatch() != nil })
	pods := i.feeds[1].(*feed[*corev1.Pod])
	pods.heard.Store(time.Now().Add(-time.Hour).UnixNano())
	if i.Age() < time.Hour {
		t.Fatalf("it is %v old", i.Age())
	}
	s.podWatch().Action(watch.Bookmark, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "9"}})
	await(t, "a bookmark makes it young", func() bool { return i.Age() < time.Minute })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// refusing refuses every list and watch.
type refusing struct{ client.WithWatch }

func (refusing) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("forbidden")
}

func (refusing) Watch(context.Context, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
	return nil, errors.New("forbidden")
}

func TestWhatIsRefusedKeepsNothingYoung(t *testing.T) {
	i := New(refusing{}, nil, TagsOnly, logr.Discard())
	silence(i, time.Hour)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := i.Start(ctx); err != nil {
		t.Error(err)
	}
	if i.Age() < time.Hour {
		t.Errorf("nothing could be read, and it is %v old", i.Age())
	}
}
