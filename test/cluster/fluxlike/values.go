package main

import (
	"context"
	"errors"
	"fmt"
	"maps"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/fluxcd/pkg/apis/meta"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/strvals"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

var errNoKey = errors.New("key not found")

// composeValues merges the values of spec.valuesFrom, a later one over an earlier
// one, and spec.values over all of them.
func (r *reconciler) composeValues(ctx context.Context, release *v2.HelmRelease) (map[string]any, error) {
	values := map[string]any{}
	for _, reference := range release.Spec.ValuesFrom {
		text, err := r.readReference(ctx, release.Namespace, reference)
		if reference.Optional && (apierrors.IsNotFound(err) || errors.Is(err, errNoKey)) {
			continue
		}
		if err == nil {
			values, err = mergeText(values, reference.TargetPath, text)
		}
		if err != nil {
			return nil, fmt.Errorf("values from %s %s/%s: %w", reference.Kind, release.Namespace, reference.Name, err)
		}
	}
	return loader.MergeMaps(values, release.GetValues()), nil
}

func (r *reconciler) readReference(ctx context.Context, namespace string, reference meta.ValuesReference) (string, error) {
	key := client.ObjectKey{Namespace: namespace, Name: reference.Name}
	data := map[string][]byte{}
	switch reference.Kind {
	case "ConfigMap":
		object := &corev1.ConfigMap{}
		if err := r.reader.Get(ctx, key, object); err != nil {
			return "", err
		}
		for name, text := range object.Data {
			data[name] = []byte(text)
		}
		maps.Copy(data, object.BinaryData)
	case "Secret":
		object := &corev1.Secret{}
		if err := r.reader.Get(ctx, key, object); err != nil {
			return "", err
		}
		data = object.Data
	default:
		return "", fmt.Errorf("kind %q is neither ConfigMap nor Secret", reference.Kind)
	}
	text, ok := data[reference.GetValuesKey()]
	if !ok {
		return "", fmt.Errorf("%w: %s", errNoKey, reference.GetValuesKey())
	}
	return string(text), nil
}

// mergeText merges YAML, or sets the one value at a path, as `helm --set` would.
func mergeText(values map[string]any, path, text string) (map[string]any, error) {
	if path != "" {
		return values, strvals.ParseInto(path+"="+text, values)
	}
	more := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &more); err != nil {
		return nil, err
	}
	return loader.MergeMaps(values, more), nil
}
