package main

import (
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
)

const revisionStrategy = "Revision"

// loadChart reads the chart that the release names, from below the folder of the
// charts: a path that leads out of it is taken as one from its root.
func (r *reconciler) loadChart(release *v2.HelmRelease) (*chart.Chart, error) {
	var name, strategy string
	switch {
	case release.Spec.Chart != nil:
		name, strategy = release.Spec.Chart.Spec.Chart, release.Spec.Chart.Spec.ReconcileStrategy
	case release.Spec.ChartRef != nil:
		name = release.Spec.ChartRef.Name
	}
	folder := path.Join("/", filepath.ToSlash(name))
	if folder == "/" {
		return nil, fmt.Errorf("chart %q is not the name of a folder", name)
	}
	loaded, err := r.loadFolder(folder)
	if err != nil {
		return nil, err
	}
	if strategy == revisionStrategy {
		loaded.Metadata.Version += "+" + fingerprint(loaded)
	}
	return loaded, nil
}

// loadFolder reads a chart and those of its dependencies that are folders beside
// it and have not been packed into it.
func (r *reconciler) loadFolder(folder string) (*chart.Chart, error) {
	loaded, err := loader.LoadDir(filepath.Join(r.charts, filepath.FromSlash(folder)))
	if err != nil {
		return nil, fmt.Errorf("load chart %s: %w", folder, err)
	}
	for _, dependency := range loaded.Metadata.Dependencies {
		beside, ok := strings.CutPrefix(dependency.Repository, "file://")
		packed := slices.ContainsFunc(loaded.Dependencies(), func(c *chart.Chart) bool { return c.Name() == dependency.Name })
		if !ok || packed {
			continue
		}
		child, err := r.loadFolder(path.Join(folder, beside))
		if err != nil {
			return nil, fmt.Errorf("dependency of chart %s: %w", folder, err)
		}
		loaded.AddDependency(child)
	}
	return loaded, nil
}

// fingerprint is a short digest of all files of the chart and its dependencies.
func fingerprint(c *chart.Chart) string {
	hash := sha256.New()
	files := slices.Clone(c.Raw)
	slices.SortFunc(files, func(a, b *common.File) int { return strings.Compare(a.Name, b.Name) })
	for _, file := range files {
		fmt.Fprintf(hash, "%s %d\n%s\n", file.Name, len(file.Data), file.Data)
	}
	for _, child := range c.Dependencies() {
		fmt.Fprintln(hash, fingerprint(child))
	}
	return fmt.Sprintf("%.6x", hash.Sum(nil))
}
