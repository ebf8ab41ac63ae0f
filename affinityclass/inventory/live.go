package inventory

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/lineage/flight"
)

// question is what reviews that share a live read have in common. The tags are in
// one string, since a list cannot be compared.
type question struct{ namespace, tags string }

// Live is a snapshot of the nodes, and of the Pods of a namespace that are placed and
// bear one of the tags, all listed after the call began. Reviews that ask the same at
// once share it: it is to be read only. It waits for its turn among the lists of the
// same. Its error is the API server's, or that of ctx.
func (i *Inventory) Live(ctx context.Context, namespace string, tags []string) (*placement.Snapshot, error) {
	asked := ask(namespace, tags)
	return i.live.Do(ctx, asked, flight.Now(), func(ctx context.Context) (*placement.Snapshot, error) {
		return i.readLive(ctx, asked)
	})
}

func (i *Inventory) readLive(ctx context.Context, asked question) (*placement.Snapshot, error) {
	now := flight.Now()
	pods, err := i.bearers.Do(ctx, asked, now, func(ctx context.Context) ([]*corev1.Pod, error) {
		return i.listBearers(ctx, asked)
	})
	if err != nil {
		return nil, err
	}
	nodes, err := i.nodes.Do(ctx, struct{}{}, now, i.listNodes)
	if err != nil {
		return nil, err
	}
	snapshot := placement.NewSnapshot()
	for _, node := range nodes {
		snapshot.SetNode(node)
	}
	for _, pod := range pods {
		snapshot.SetPod(pod)
	}
	return snapshot, nil
}

// page is how many objects one call lists.
const page = 500

func (i *Inventory) listNodes(ctx context.Context) ([]*corev1.Node, error) {
	var nodes []*corev1.Node
	list := &corev1.NodeList{}
	for {
		if err := i.reader.List(ctx, list, client.Limit(page), client.Continue(list.Continue)); err != nil {
			return nil, fmt.Errorf("list Nodes: %w", err)
		}
		for n := range list.Items {
			cutNode(&list.Items[n])
			nodes = append(nodes, &list.Items[n])
		}
		if list.Continue == "" {
			return nodes, nil
		}
		list = &corev1.NodeList{ListMeta: list.ListMeta}
	}
}

// fewTags is how many tags are listed one by one; no selector says "any of these
// labels", so for more all placed Pods of the namespace are listed, once for all who
// ask so.
const fewTags = 2

func ask(namespace string, tags []string) question {
	if len(tags) > fewTags {
		return question{namespace, everyTag}
	}
	return question{namespace, strings.Join(tags, ",")}
}

// everyTag is no list of tags.
const everyTag = "*"

// selections are the label selectors that together find the bearers of the tags.
func (q question) selections() []client.HasLabels {
	if q.tags == everyTag {
		return []client.HasLabels{nil}
	}
	var all []client.HasLabels
	for tag := range strings.SplitSeq(q.tags, ",") {
		all = append(all, client.HasLabels{binaryaffinity.TagPrefix + tag})
	}
	return all
}

func (i *Inventory) listBearers(ctx context.Context, asked question) (pods []*corev1.Pod, err error) {
	for _, selected := range asked.selections() {
		if pods, err = i.listSelected(ctx, asked.namespace, selected, pods); err != nil {
			return nil, err
		}
	}
	return pods, nil
}

func (i *Inventory) listSelected(ctx context.Context, namespace string, selected client.HasLabels, pods []*corev1.Pod) ([]*corev1.Pod, error) {
	list := &corev1.PodList{}
	for {
		err := i.reader.List(ctx, list, client.InNamespace(namespace), selected,
			client.MatchingFieldsSelector{Selector: placedPods()}, client.Limit(page), client.Continue(list.Continue))
		if err != nil {
			return nil, fmt.Errorf("list Pods of namespace %s: %w", namespace, err)
		}
		for n := range list.Items {
			if pod := &list.Items[n]; bears(pod) {
				cutToTags(pod)
				pods = append(pods, pod)
			}
		}
		if list.Continue == "" {
			return pods, nil
		}
		list = &corev1.PodList{ListMeta: list.ListMeta}
	}
}
