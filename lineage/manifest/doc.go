// Package manifest reads objects from files, and is a lineage.Getter over what
// it read.
//
// It promises that every object, and every error, can be found again by file,
// number and line, and that numbers arrive as they were written. It takes YAML
// of many documents, JSON of many values, and Lists of either; YAML is read the
// way kubectl reads it.
//
// Input is not validated beyond what is read: an object must have an apiVersion
// and a kind, and its metadata must have the right types. Empty documents are
// passed over.
//
// It never opens a file, and knows no cluster: whether a kind is namespaced is
// guessed from a short list, see Index.
package manifest
