package main

import (
	"encoding/json"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/snapshot"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

// placed makes the requests of an object; false when its kind has no Pod.
func placed(d *manifest.Document, copies placement.Copies) ([]*placement.Request, bool, error) {
	texts, err := asMany(d, copies.Replicas)
	if err != nil {
		return nil, false, err
	}
	var all []*placement.Request
	for _, text := range texts {
		found, ok, err := placement.FromObject(text, copies)
		if err != nil || !ok {
			return nil, false, err
		}
		all = append(all, found...)
	}
	return all, true, nil
}

// asMany is the object with the namespace it gets, when the file gives none. What
// stands for itself alone comes in as many copies as are asked for, each with a name
// of its own: a Pod is no neighbour of itself.
func asMany(d *manifest.Document, replicas *int) ([][]byte, error) {
	single := d.Object.GroupKind == schema.GroupKind{Kind: "Pod"} || d.Object.GroupKind == snapshot.Machine()
	if replicas == nil || !single {
		text, err := renamed(d, d.Object.Name)
		return [][]byte{text}, err
	}
	texts := make([][]byte, 0, *replicas)
	for i := range *replicas {
		text, err := renamed(d, numbered(d.Object.Name, i))
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// numbered leaves the nameless nameless: each of them is another object anyway.
func numbered(name string, i int) string {
	if name == "" {
		return ""
	}
	return name + "-" + strconv.Itoa(i)
}

// renamed is the object under a name, in the namespace it gets.
func renamed(d *manifest.Document, name string) ([]byte, error) {
	if !d.Defaulted && name == d.Object.Name {
		return d.JSON, nil
	}
	content, err := d.Content()
	if err != nil {
		return nil, err
	}
	metadata, ok := content["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
	}
	metadata["namespace"] = d.Object.Namespace
	if name != d.Object.Name {
		metadata["name"] = name
		delete(metadata, "uid") // a copy is another object
	}
	content["metadata"] = metadata
	return json.Marshal(content)
}
