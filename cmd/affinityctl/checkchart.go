package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/chart"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/check"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

// chartFlags are those that have a meaning with --chart alone.
func (o *checkOptions) chartFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.chart.Dir, "chart", "", "chart to render and judge, as the platform would install it in the class")
	f.StringArrayVar(&o.chart.Values, "values", nil, "file of values for the chart; may be repeated, a later one over an earlier one")
	f.StringArrayVar(&o.chart.Set, "set", nil, "single value for the chart, key=value; may be repeated")
	f.StringVar(&o.chart.Release, "release-name", "", "name of the release; without it the chart's")
	f.StringVar(&o.chart.KubeVersion, "kube-version", "", "Kubernetes version that the chart sees")
	f.StringArrayVar(&o.chart.APIVersions, "api-versions", nil, "further API version that the chart sees, such as monitoring.coreos.com/v1; may be repeated")
}

// chartOnly refuses flags of a chart where there is none.
func (o *checkOptions) chartOnly(cmd *cobra.Command) error {
	if o.chart.Dir != "" {
		return nil
	}
	for _, name := range []string{"values", "set", "release-name", "kube-version", "api-versions"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s goes with --chart", name)
		}
	}
	return nil
}

// judgeChart judges what the chart renders, after the files of the input.
func (o *checkOptions) judgeChart(cmd *cobra.Command, kinds *check.Kinds, in check.Input) (*check.Report, error) {
	o.chart.Namespace = o.namespace
	loaded, err := chart.Load(o.chart)
	if err != nil {
		return nil, err
	}
	if in.Class, err = classOf(loaded, in.Class); err != nil {
		return nil, err
	}
	class, err := in.Compiled(in.Class)
	if err != nil {
		return nil, fmt.Errorf("%w; give its file with --classes", err)
	}
	if err := loaded.Inject(class); err != nil {
		return nil, err
	}
	templates, err := loaded.Render()
	if err != nil {
		return nil, err
	}
	items, err := o.itemsOf(templates, kinds)
	if err != nil {
		return nil, traced(loaded, templates, err)
	}
	in.Items = append(in.Items, items...)
	report, err := check.Run(cmd.Context(), in)
	if err != nil {
		return nil, traced(loaded, templates, err)
	}
	loaded.Trace(templates, report.Results)
	return report, nil
}

// classOf is the class that the platform would give the release: the one asked for,
// or the one that its values name.
func classOf(c *chart.Chart, asked string) (string, error) {
	named, err := c.ClassNamed()
	switch {
	case err != nil:
		return "", err
	case asked != "" && named != "" && asked != named:
		return "", fmt.Errorf("--class %s, but the values name affinityClass %s: the platform would take that", asked, named)
	case asked == "" && named == "":
		return "", errors.New("name the class of the release with --class, or as affinityClass among its values")
	case asked == "":
		return named, nil
	default:
		return asked, nil
	}
}

func (o *checkOptions) itemsOf(templates []chart.Template, kinds *check.Kinds) ([]check.Item, error) {
	var items []check.Item
	for i := range templates {
		documents, err := manifest.Read(templates[i].File, strings.NewReader(templates[i].Text), manifest.DefaultNamespace(o.namespace))
		if err != nil {
			return nil, err
		}
		for d := range documents {
			item, err := kinds.Item(&documents[d])
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
	}
	return items, nil
}

// traced puts the line of the template in place of the rendered one.
func traced(c *chart.Chart, templates []chart.Template, err error) error {
	var where *manifest.Error
	if !errors.As(err, &where) {
		return err
	}
	if lines, ok := c.Lines(templates)[where.File]; ok {
		where.Line, _ = lines.Region(where.Line, where.Line)
	}
	return err
}
