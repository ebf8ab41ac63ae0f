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
// once share it: it is to be read only. Its error is the API server's, or that of ctx.
func (i *Inventory) Live(ctx context.Context, namespace string, tags []string) (*placement.Snapshot, error) {
	key := question{namespace, strings.Join(tags, ",")}
	return i.bearers.Do(ctx, key, flight.Now(), func(ctx context.Context) (*placement.Snapshot, error) {
		return i.readLive(ctx, namespace, tags)
	})
}

func (i *Inventory) readLive(ctx context.Context, namespace string, tags []string) (*placement.Snapshot, error) {
	nodes, err := i.nodes.Do(ctx, struct{}{}, flight.Now(), i.listNodes)
	if err != nil {
		return nil, err
	}
	snapshot := placement.NewSnapshot()
	for _, node := range nodes {
		snapshot.SetNode(node)
	}
	for _, selected := range selections(tags) {
		if err := i.listBearers(ctx, namespace, selected, snapshot); err != nil {
			return nil, err
		}
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
// labels", so for more all placed Pods of the namespace are listed.
const fewTags = 8

// selections are the label selectors that together find the bearers of the tags.
func selections(tags []string) []client.HasLabels {
	if len(tags) > fewTags {
		return []client.HasLabels{nil}
	}
	var all []client.HasLabels
	for _, tag := range tags {
		all = append(all, client.HasLabels{binaryaffinity.TagPrefix + tag})
	}
	return all
}

func (i *Inventory) listBearers(ctx context.Context, namespace string, selected client.HasLabels, into *placement.Snapshot) error {
	list := &corev1.PodList{}
	for {
		err := i.reader.List(ctx, list, client.InNamespace(namespace), selected,
			client.MatchingFieldsSelector{Selector: placedPods()}, client.Limit(page), client.Continue(list.Continue))
		if err != nil {
			return fmt.Errorf("list Pods of namespace %s: %w", namespace, err)
		}
		for n := range list.Items {
			if pod := &list.Items[n]; bears(pod) {
				cutToTags(pod)
				into.SetPod(pod)
			}
		}
		if list.Continue == "" {
			return nil
		}
		list = &corev1.PodList{ListMeta: list.ListMeta}
	}
}
