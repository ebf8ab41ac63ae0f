package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/binary"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

type convertOptions struct {
	file   string
	format output.Format
}

func newConvert() *cobra.Command {
	o := &convertOptions{format: output.Text}
	cmd := &cobra.Command{
		Use:   "convert [VALUE | -f FILE]",
		Short: "Write values without weights",
		Long: `Write a value without weights: those above zero become prefer_with_tag, those
below become prefer_without_tag, and how large they were is dropped. A value that
has none is printed in its canonical form.

A file with the word apiVersion in it is read as manifests. They are all printed,
in order and ready for "kubectl apply -f -": as YAML, or with -o json as one object
or a List. Nothing in them changes but the values of Pods and of Pod templates;
comments are lost. What changed is said on standard error.

Exit codes: 0 good, 2 the question was bad, a value that cannot be read included.`,
		Example: `  # a value
  affinityctl binary convert '{"cache": 100, "noisy": -50}'

  # manifests, and what would change in the cluster
  affinityctl binary convert -f web.yaml | kubectl diff -f -`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.run(cmd, args); err != nil {
				return badQuestion(err)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.file, "filename", "f", "", "file with a value or with manifests, - for standard input; that is read when neither it nor VALUE is given")
	f.VarP(&o.format, "output", "o", "text, json or yaml")
	return cmd
}

func (o *convertOptions) run(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		if o.file != "" {
			return errors.New("give a VALUE or -f FILE, not both")
		}
		return o.value(cmd.OutOrStdout(), args[0])
	}
	name, text, err := o.read(cmd.InOrStdin())
	if err != nil {
		return err
	}
	if bytes.Contains(text, []byte("apiVersion")) {
		return o.manifests(cmd, name, text)
	}
	if err := o.value(cmd.OutOrStdout(), string(text)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (o *convertOptions) read(stdin io.Reader) (name string, text []byte, err error) {
	if o.file == "" || o.file == "-" {
		text, err = io.ReadAll(stdin)
		return "standard input", text, err
	}
	text, err = os.ReadFile(o.file)
	return o.file, text, err
}

// conversion is what a value became, for programs.
type conversion struct {
	Weighted bool   `json:"weighted"`
	Value    string `json:"value"`
}

func (o *convertOptions) value(w io.Writer, text string) error {
	parsed, err := binary.Parse(text, binaryaffinity.Path(nil))
	if err != nil {
		return err
	}
	if o.format == output.Text {
		_, err = fmt.Fprintln(w, parsed.Value)
		return err
	}
	return output.Object(w, o.format, conversion{parsed.Weighted, parsed.Value.String()})
}

// manifests converts all or nothing: a part must not be taken for the whole.
func (o *convertOptions) manifests(cmd *cobra.Command, name string, text []byte) error {
	documents, err := manifest.Read(name, bytes.NewReader(text))
	if err != nil {
		return err
	}
	var objects []json.RawMessage
	for i := range documents {
		object, err := convert(cmd.ErrOrStderr(), &documents[i])
		if err != nil {
			return &manifest.Error{File: name, Index: documents[i].Index, Line: documents[i].Line, Err: err}
		}
		objects = append(objects, object)
	}
	return o.write(cmd.OutOrStdout(), objects)
}

// convert is the object with its value, if it has one with weights, converted.
func convert(stderr io.Writer, d *manifest.Document) ([]byte, error) {
	stored, found, err := binary.Find(d.Object.GroupKind, d.JSON)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", binary.Name(refOf(d)), err)
	}
	if !found || !stored.Parsed.Weighted {
		return d.JSON, nil
	}
	fmt.Fprintf(stderr, "%s: document %d, line %d: %s: %s: %s becomes %s\n",
		d.File, d.Index, d.Line, binary.Name(refOf(d)), stored.Path, stored.Value, stored.Parsed.Value)
	return stored.Converted(d.JSON)
}

func (o *convertOptions) write(w io.Writer, objects []json.RawMessage) error {
	if o.format != output.JSON {
		return documents(w, objects)
	}
	if len(objects) == 1 {
		return output.Object(w, o.format, objects[0])
	}
	return output.Object(w, o.format, map[string]any{"apiVersion": "v1", "kind": "List", "items": objects})
}

func documents(w io.Writer, objects []json.RawMessage) error {
	for i, object := range objects {
		text, err := yaml.JSONToYAML(object)
		if err != nil {
			return err
		}
		if i > 0 {
			text = append([]byte("---\n"), text...)
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}
