// Package chart renders a Helm chart as the platform would for a release of a class,
// and says where in its templates a rendered line came from.
//
// It renders with Helm's own engine: hooks and subcharts included, lookups empty, no
// cluster asked. It judges nothing; package check is given what it renders.
package chart

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	helmchart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"

	"github.com/cozystack/affinityclass/affinityclass"
)

// Options are what a chart is rendered with.
type Options struct {
	Dir       string   // a folder, or a package
	Values    []string // files, a later one over an earlier one
	Set       []string // key=value, over the files
	Release   string   // empty: the chart's name
	Namespace string
	// KubeVersion and APIVersions are what the cluster is said to be; without them it
	// is Helm's newest and has the built-in ones.
	KubeVersion string
	APIVersions []string
}

// Chart is a chart with the values that a release would give it.
type Chart struct {
	options      Options
	chart        *helmchart.Chart
	values       map[string]any // of the release: what is merged over the chart's own
	capabilities *common.Capabilities
}

// Load reads a chart and its values. An error names the file.
func Load(o Options) (*Chart, error) {
	loaded, err := loader.Load(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("load chart %s: %w", o.Dir, err)
	}
	if err := complete(loaded); err != nil {
		return nil, fmt.Errorf("load chart %s: %w", o.Dir, err)
	}
	if o.Release == "" {
		o.Release = loaded.Name()
	}
	if err := chartutil.ValidateReleaseName(o.Release); err != nil {
		return nil, fmt.Errorf("--release-name %q: %w", o.Release, err)
	}
	c := &Chart{options: o, chart: loaded}
	if c.values, err = readValues(o.Values, o.Set); err != nil {
		return nil, err
	}
	if c.capabilities, err = capabilities(o); err != nil {
		return nil, err
	}
	return c, nil
}

// complete says what keeps a chart from being installed.
func complete(c *helmchart.Chart) error {
	if c.Metadata.Type == "library" {
		return errors.New("it is a library: check a chart that uses it")
	}
	for _, wanted := range c.Metadata.Dependencies {
		if !slices.ContainsFunc(c.Dependencies(), func(d *helmchart.Chart) bool { return d.Name() == wanted.Name }) {
			return fmt.Errorf("dependency %s is not in charts/: run helm dependency build", wanted.Name)
		}
	}
	return nil
}

func capabilities(o Options) (*common.Capabilities, error) {
	c := common.DefaultCapabilities.Copy()
	if o.KubeVersion != "" {
		version, err := common.ParseKubeVersion(o.KubeVersion)
		if err != nil {
			return nil, fmt.Errorf("--kube-version %q: %w", o.KubeVersion, err)
		}
		c.KubeVersion = *version
	}
	c.APIVersions = append(slices.Clone(c.APIVersions), o.APIVersions...)
	return c, nil
}

// ClassNamed is the class that the values of the release name, if any.
func (c *Chart) ClassNamed() (string, error) {
	switch named := c.values["affinityClass"].(type) {
	case nil:
		return "", nil
	case string:
		return named, nil
	default:
		return "", fmt.Errorf("the values name affinityClass %v, which is not a string", named)
	}
}

// scheduling is the key of the values that is the platform's.
const scheduling = "_scheduling"

// Inject hands the class to the chart, in place of whatever its values had there.
func (c *Chart) Inject(class *affinityclass.Class) error {
	text, err := json.Marshal(class.Scheduling())
	if err != nil {
		return err
	}
	var value map[string]any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	c.values[scheduling] = value
	return nil
}

// Template is a file of the chart and what it renders.
type Template struct {
	File string // as it can be opened, unless the chart or a subchart is a package
	Text string
	Sub  bool // it is a subchart's
	name string
}

// Render renders every template, in the order of their names, and gives with them
// the files of crds/. An error names file and line.
func (c *Chart) Render() ([]Template, error) {
	if wanted := c.chart.Metadata.KubeVersion; wanted != "" && !chartutil.IsCompatibleRange(wanted, c.capabilities.KubeVersion.String()) {
		return nil, fmt.Errorf("chart %s wants Kubernetes %s and would get %s; say --kube-version", c.options.Dir, wanted, c.capabilities.KubeVersion.Version)
	}
	rendered, err := c.render(nil)
	if err != nil {
		return nil, err
	}
	var templates []Template
	for _, crd := range c.chart.CRDObjects() {
		templates = append(templates, Template{File: c.file(path.Join(c.chart.Name(), crd.Name)), Text: string(crd.File.Data), name: crd.Filename})
	}
	for _, name := range sortedNames(rendered) {
		sub := strings.Contains(strings.TrimPrefix(name, c.chart.Name()+"/"), "charts/")
		templates = append(templates, Template{File: c.file(name), Text: separated(rendered[name]), Sub: sub, name: name})
	}
	return templates, nil
}

// sortedNames are the names of what holds objects: notes are for people.
func sortedNames(rendered map[string]string) []string {
	var names []string
	for name, text := range rendered {
		if !strings.HasSuffix(name, "NOTES.txt") && strings.TrimSpace(text) != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// file is the path of what Helm calls by the name of the chart and its path there.
func (c *Chart) file(name string) string {
	return filepath.Join(c.options.Dir, filepath.FromSlash(strings.TrimPrefix(name, c.chart.Name()+"/")))
}

// renderValues are the values as templates see them.
func (c *Chart) renderValues(of *helmchart.Chart) (common.Values, error) {
	values := clone(c.values)
	if err := chartutil.ProcessDependencies(of, values); err != nil {
		return nil, fmt.Errorf("chart %s: dependencies: %w", c.options.Dir, err)
	}
	release := common.ReleaseOptions{Name: c.options.Release, Namespace: c.options.Namespace, Revision: 1, IsInstall: true}
	all, err := util.ToRenderValuesWithSchemaValidation(of, values, release, c.capabilities, false)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", c.options.Dir, err)
	}
	return all, nil
}
