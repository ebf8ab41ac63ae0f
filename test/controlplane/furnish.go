package controlplane

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// VolumeClass is the default StorageClass: KWOK binds the claims made in it.
const VolumeClass = "kwok-volume"

// furnish brings what a fresh cluster has before its first workload.
func (cp *ControlPlane) furnish(ctx context.Context) error {
	direct, err := cp.Client()
	if err != nil {
		return err
	}
	if cp.options.has(Kwok) {
		if err := direct.Create(ctx, volumeClass()); err != nil {
			return fmt.Errorf("create StorageClass %s: %w", VolumeClass, err)
		}
	}
	return cp.awaitServiceAccount(ctx, direct, metav1.NamespaceDefault)
}

// volumeClass is the one that KWOK's volume stages are written for.
func volumeClass() *storagev1.StorageClass {
	return &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{
			Name:        VolumeClass,
			Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"},
		},
		Provisioner: "kwok.x-k8s.io/volume",
	}
}

// CreateNamespace returns when the namespace takes Pods: they are refused until
// the controllers have made its default service account.
func (cp *ControlPlane) CreateNamespace(ctx context.Context, name string, labels map[string]string) error {
	direct, err := cp.Client()
	if err != nil {
		return err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	if err := direct.Create(ctx, namespace); err != nil {
		return fmt.Errorf("create namespace %s: %w", name, err)
	}
	return cp.awaitServiceAccount(ctx, direct, name)
}

func (cp *ControlPlane) awaitServiceAccount(ctx context.Context, reader client.Reader, namespace string) error {
	if !cp.options.has(ControllerManager) {
		return nil // nobody would make it, and the API server does not ask for it
	}
	key := client.ObjectKey{Namespace: namespace, Name: "default"}
	return await(ctx, "service account "+key.String(), func(ctx context.Context) error {
		return reader.Get(ctx, key, &corev1.ServiceAccount{})
	})
}

// await asks until there is no error left, and returns the last one when it takes
// too long.
func await(ctx context.Context, what string, ask func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, interval, time.Minute, true, func(ctx context.Context) (bool, error) {
		last = ask(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for %s: %w", what, errors.Join(err, last))
	}
	return nil
}
