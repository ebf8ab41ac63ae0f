package chart

import (
	"errors"
	"path"
	"regexp"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	helmchart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
)

// render gives the text that each template renders, by Helm's name of it. With
// mark, the source of each template is changed by it first.
//
// The chart is read anew each time: Helm writes into it what it works out of the
// values.
func (c *Chart) render(mark func(name, source string) string) (map[string]string, error) {
	fresh := c.chart
	if mark != nil {
		var err error
		if fresh, err = loader.Load(c.options.Dir); err != nil {
			return nil, err
		}
	}
	values, err := c.renderValues(fresh)
	if err != nil {
		return nil, err
	}
	if mark != nil {
		markAll(fresh, mark)
	}
	rendered, err := engine.Render(fresh, values)
	if err != nil {
		return nil, c.inFiles(err)
	}
	return rendered, nil
}

func markAll(c *helmchart.Chart, mark func(name, source string) string) {
	for i, file := range c.Templates {
		if strings.HasPrefix(path.Base(file.Name), "_") {
			continue // its text is used inside of others'
		}
		name := path.Join(c.ChartFullPath(), file.Name)
		c.Templates[i] = &common.File{Name: file.Name, ModTime: file.ModTime, Data: []byte(mark(name, string(file.Data)))}
	}
	for _, sub := range c.Dependencies() {
		markAll(sub, mark)
	}
}

// glued is a separator with the next document on its line, as Helm lets it pass.
var glued = regexp.MustCompile(`(?m)^---[ \t]*([^-#\s])`)

// separated cuts the documents apart where Helm would.
func separated(text string) string { return glued.ReplaceAllString(text, "---\n$1") }

var blanks = regexp.MustCompile(`\s*\n\s*`)

// inFiles is an error of rendering in one line, with the files as they are called
// here.
func (c *Chart) inFiles(err error) error {
	text := blanks.ReplaceAllString(strings.TrimSpace(err.Error()), ": ")
	prefix := regexp.MustCompile(`\b` + regexp.QuoteMeta(c.chart.Name()) + `/((?:charts/[^/\s]+/)*templates/)`)
	return errors.New(prefix.ReplaceAllStringFunc(text, func(found string) string { return c.file(found) + "/" }))
}
