package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
)

// manifestFormat is the placeholder alone, to be applied.
const manifestFormat output.Format = "manifest"

// drainFormat is the value of -o, with the format that drain alone has.
type drainFormat output.Format

// Set makes it a flag.
func (f *drainFormat) Set(value string) error {
	if output.Format(value) == manifestFormat {
		*f = drainFormat(manifestFormat)
		return nil
	}
	if (*output.Format)(f).Set(value) != nil {
		return fmt.Errorf("must be one of %s, %s, %s, %s", output.Text, output.JSON, output.YAML, manifestFormat)
	}
	return nil
}

func (f *drainFormat) String() string { return string(*f) }

// Type is shown in the help.
func (f *drainFormat) Type() string { return "format" }

// placeholder holds the flags of the placeholder to what one can be made of. Its
// image is never guessed: which images a node tells of, anyone decides who may run
// a Pod there.
func (o *drainOptions) placeholder(cmd *cobra.Command) error {
	if o.format == drainFormat(manifestFormat) && !cmd.Flags().Changed("image") {
		return errors.New("--image: name an image that only waits, such as the pause image of your nodes")
	}
	if o.image != strings.TrimSpace(o.image) || o.image == "" && cmd.Flags().Changed("image") {
		return fmt.Errorf("--image %q names no image", o.image)
	}
	if problems := validation.IsDNS1123Label(o.namespace); len(problems) > 0 {
		return fmt.Errorf("-n %q is no namespace: %s", o.namespace, strings.Join(problems, "; "))
	}
	if slices.Contains(o.same, corev1.LabelHostname) {
		return errors.New("--require-same " + corev1.LabelHostname + ": no other node shares a node's hostname, so none could take the placeholder")
	}
	return nil
}

// budget is the limit that the user keeps; nil for none.
func (o *drainOptions) budget() (*surge.Budget, error) {
	if o.limit == "" {
		if o.inUse != "" {
			return nil, errors.New("--in-use says how much of --limit is in use, and there is none")
		}
		return nil, nil
	}
	limit, err := amounts("--limit", o.limit)
	if err != nil {
		return nil, err
	}
	if o.inUse == "" {
		return &surge.Budget{Limit: limit}, nil
	}
	inUse, err := amounts("--in-use", o.inUse)
	if err != nil {
		return nil, err
	}
	return &surge.Budget{Limit: limit, InUse: inUse}, nil
}

// amounts reads RESOURCE=QUANTITY,...
func amounts(flag, text string) (placement.Amounts, error) {
	list := corev1.ResourceList{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		quantity, err := resource.ParseQuantity(value)
		if !ok || name == "" || err != nil || quantity.Sign() < 0 {
			return nil, fmt.Errorf("%s %q is not RESOURCE=QUANTITY", flag, part)
		}
		if _, twice := list[corev1.ResourceName(name)]; twice {
			return nil, fmt.Errorf("%s names %s twice", flag, name)
		}
		list[corev1.ResourceName(name)] = quantity
	}
	counted := placement.Counted(list)
	for name := range list {
		if _, ok := counted[name]; !ok {
			return nil, fmt.Errorf("%s: %s is no resource that a placeholder requests", flag, name)
		}
	}
	return counted, nil
}
