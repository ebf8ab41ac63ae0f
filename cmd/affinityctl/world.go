package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/input"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/snapshot"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

// world is what is there, of files or of a cluster.
type world struct {
	snapshot *placement.Snapshot
	seen     *snapshot.Seen // nil of a cluster, which keeps nothing back
}

func (w *world) notes() []string {
	if w.seen == nil {
		return nil
	}
	return w.seen.Missing()
}

// world reads it, and settles the namespace of objects that name none.
func (o *previewOptions) world(cmd *cobra.Command) (*world, error) {
	if len(o.snapshots) > 0 {
		o.namespace = cmp.Or(o.namespace, metav1.NamespaceDefault)
		w, err := o.dump(cmd)
		if err != nil {
			return nil, badQuestion(err)
		}
		return w, nil
	}
	cluster, err := o.connect()
	if err != nil {
		return nil, err
	}
	s, err := cluster.Snapshot(cmd.Context())
	if err != nil {
		return nil, unread(err)
	}
	return &world{snapshot: s}, nil
}

func (o *previewOptions) dump(cmd *cobra.Command) (*world, error) {
	w := &world{placement.NewSnapshot(), snapshot.NewSeen()}
	err := o.source(cmd).Each(o.snapshots, func(d *manifest.Document) error {
		w.seen.Object(d.Object.GroupKind, d.Object.Namespace, d.Object.Name, d.JSON)
		return snapshot.Add(w.snapshot, d.Object.GroupKind, d.JSON)
	})
	if err == nil && len(w.snapshot.NodeNames()) == 0 {
		err = errors.New("the snapshot has no Nodes, so it cannot tell where a Pod could land")
	}
	return w, err
}

func (o *previewOptions) source(cmd *cobra.Command) input.Source {
	return input.Source{Stdin: cmd.InOrStdin(), Namespace: o.namespace, Recursive: o.recursive}
}

// requests makes the Pods that the files ask for.
func (o *previewOptions) requests(cmd *cobra.Command, w *world, asked *whatIf) ([]*placement.Request, error) {
	copies := placement.Copies{Nodes: w.snapshot.NodeNames()}
	if cmd.Flags().Changed("replicas") {
		if o.replicas < 0 {
			return nil, fmt.Errorf("--replicas %d is less than 0", o.replicas)
		}
		copies.Replicas = &o.replicas
	}
	var all []*placement.Request
	pods := false
	err := o.source(cmd).Each(o.files, func(d *manifest.Document) error {
		found, ok, err := placed(d, copies)
		if err != nil || !ok {
			return err
		}
		pods = true
		all = append(all, asked.apply(d.Object.Kind, d.Object.Name, found)...)
		if w.seen != nil {
			w.seen.Asked(d.Object.GroupKind, d.Object.Namespace, d.JSON)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !pods {
		return nil, errors.New("nothing to place: no Pod, workload or Machine in the files")
	}
	return all, asked.unused()
}
