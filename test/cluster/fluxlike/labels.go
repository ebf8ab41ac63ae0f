package main

import (
	"bytes"
	"fmt"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"helm.sh/helm/v4/pkg/action"
	"sigs.k8s.io/kustomize/kyaml/kio"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// labeller is a post-renderer: it says on every object which HelmRelease it
// belongs to. The labels of the HelmRelease itself stay with it.
type labeller struct{ release *v2.HelmRelease }

// Run implements postrenderer.PostRenderer.
func (l labeller) Run(manifests *bytes.Buffer) (*bytes.Buffer, error) {
	objects, err := kio.ParseAll(manifests.String())
	if err != nil {
		return nil, fmt.Errorf("read the rendered objects: %w", err)
	}
	for _, object := range objects {
		if err := l.label(object); err != nil {
			return nil, fmt.Errorf("label %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	text, err := kio.StringAll(objects)
	if err != nil {
		return nil, fmt.Errorf("write the rendered objects: %w", err)
	}
	return bytes.NewBufferString(text), nil
}

// label sets the common metadata of the spec first: the labels of origin win.
func (l labeller) label(object *kyaml.RNode) error {
	labels, annotations := map[string]string{}, map[string]string{}
	if common := l.release.Spec.CommonMetadata; common != nil {
		for key, value := range common.Labels {
			labels[key] = value
		}
		annotations = common.Annotations
	}
	labels[v2.GroupVersion.Group+"/name"] = l.release.Name
	labels[v2.GroupVersion.Group+"/namespace"] = l.release.Namespace
	for key, value := range labels {
		if err := object.PipeE(kyaml.SetLabel(key, value)); err != nil {
			return err
		}
	}
	for key, value := range annotations {
		if err := object.PipeE(kyaml.SetAnnotation(key, value)); err != nil {
			return err
		}
	}
	return nil
}

// postRenderStrategy says whether hooks are labelled too: by default they are.
func postRenderStrategy(release *v2.HelmRelease) action.PostRenderStrategy {
	switch release.Spec.PostRenderStrategy {
	case v2.PostRenderStrategyNoHooks:
		return action.PostRenderStrategyNoHooks
	case v2.PostRenderStrategySeparate:
		return action.PostRenderStrategySeparate
	}
	return action.PostRenderStrategyCombined
}
