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
	spared   int            // Pods that no controller would make
}

func (w *world) notes() []string {
	var notes []string
	if w.spared > 0 {
		notes = append(notes, fmt.Sprintf("no Pod of a DaemonSet for %d node(s) that its selector, affinity or tolerations leave out", w.spared))
	}
	if w.seen == nil {
		return notes
	}
	return append(notes, w.seen.Missing()...)
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
	w := &world{snapshot: placement.NewSnapshot(), seen: snapshot.NewSeen()}
	err := o.source(cmd).Each(o.snapshots, func(d *manifest.Document) error {
		text, err := existing(d)
		if err != nil {
			return err
		}
		w.seen.Object(d.Object.GroupKind, d.Object.Namespace, d.Object.Name, text)
		return snapshot.Add(w.snapshot, d.Object.GroupKind, text)
	})
	if err == nil && len(w.snapshot.NodeNames()) == 0 {
		err = errors.New("the snapshot has no Nodes, so it cannot tell where a Pod could land")
	}
	return w, err
}

// existing is an object of a dump with the namespace it gets. What is there has a
// name; two without one would be taken for each other.
func existing(d *manifest.Document) ([]byte, error) {
	if d.Object.Name == "" && (d.Object.Kind == "Pod" || d.Object.Kind == "Node" || d.Object.GroupKind == snapshot.Machine()) {
		return nil, fmt.Errorf("%s without metadata.name: a snapshot is of what exists", d.Object.Kind)
	}
	return renamed(d, d.Object.Name)
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
	return w.expected(all), asked.unused()
}

// expected leaves out the Pods that a DaemonSet's controller makes none of, and
// notes how many, unless that is all of them: then the reasons are the answer.
func (w *world) expected(all []*placement.Request) []*placement.Request {
	var kept []*placement.Request
	for _, r := range all {
		if w.snapshot.Expected(r) {
			kept = append(kept, r)
		}
	}
	if len(kept) == 0 {
		return all
	}
	w.spared = len(all) - len(kept)
	return kept
}
