package controlplane_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// One whole control plane serves these: starting it is most of their time.
func TestTheWholeControlPlane(t *testing.T) {
	cp := controlplane.ForTest(t, controlplane.Options{Audit: true})
	admin, err := cp.Client()
	if err != nil {
		t.Fatal(err)
	}
	zone := map[string]string{corev1.LabelTopologyZone: "a"}
	nodes := []controlplane.NodeSpec{{Name: "a1", Labels: zone}, {Name: "b1"}}
	if err := cp.AddNodes(t.Context(), nodes); err != nil {
		t.Fatal(err)
	}
	if err := cp.CreateNamespace(t.Context(), "shop", nil); err != nil {
		t.Fatal(err)
	}

	t.Run("Pods of a Deployment run where its selector says", func(t *testing.T) {
		create(t, admin, deployment("web", 3, zone))
		pods := awaitRunning(t, admin, "web", 3)
		for _, pod := range pods {
			if pod.Spec.NodeName != "a1" {
				t.Errorf("pod %s is on node %s, want a1", pod.Name, pod.Spec.NodeName)
			}
		}
	})
	t.Run("a claim in the default StorageClass is bound", func(t *testing.T) {
		claim := &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "data"},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
			},
		}
		create(t, admin, claim)
		eventually(t, func() error {
			if err := admin.Get(t.Context(), client.ObjectKeyFromObject(claim), claim); err != nil {
				return err
			}
			if claim.Status.Phase != corev1.ClaimBound {
				return fmt.Errorf("claim is %s", claim.Status.Phase)
			}
			return nil
		})
	})
	t.Run("another user is somebody else, and the audit log knows", func(t *testing.T) {
		config, err := cp.ConfigFor("mallory", "strangers")
		if err != nil {
			t.Fatal(err)
		}
		stranger, err := client.New(config, client.Options{Scheme: scheme.Scheme})
		if err != nil {
			t.Fatal(err)
		}
		err = stranger.List(t.Context(), &corev1.PodList{}, client.InNamespace("shop"))
		if !apierrors.IsForbidden(err) {
			t.Fatalf("a stranger lists Pods: %v, want Forbidden", err)
		}
		eventually(t, func() error { return audited(cp, "mallory", "pods") })
	})
	t.Run("a paused API server does not answer, and a resumed one does", func(t *testing.T) {
		if err := cp.Pause(controlplane.APIServer); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := admin.List(ctx, &corev1.NodeList{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a paused API server: %v, want no answer within a second", err)
		}
		if err := cp.Resume(controlplane.APIServer); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error { return admin.List(t.Context(), &corev1.NodeList{}) })
	})
	t.Run("a killed etcd comes back with its data", func(t *testing.T) {
		if err := cp.Kill(controlplane.Etcd); err != nil {
			t.Fatal(err)
		}
		if err := cp.Restart(t.Context(), controlplane.Etcd); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error {
			return admin.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: "web"}, &appsv1.Deployment{})
		})
	})
	t.Run("a killed scheduler leaves Pods pending until it is back", func(t *testing.T) {
		if err := cp.Kill(controlplane.Scheduler); err != nil {
			t.Fatal(err)
		}
		create(t, admin, deployment("later", 1, nil))
		eventually(t, func() error { return countPods(t, admin, "later", corev1.PodPending, 1) })
		if err := cp.Restart(t.Context(), controlplane.Scheduler); err != nil {
			t.Fatal(err)
		}
		awaitRunning(t, admin, "later", 1)
	})
	// Last: it takes a node away.
	t.Run("a node breaks on demand", func(t *testing.T) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "b1"}}
		patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"metadata":{"labels":{%q:"true"}}}`, controlplane.BreakNode))
		if err := admin.Patch(t.Context(), node, patch); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error {
			if err := admin.Get(t.Context(), client.ObjectKeyFromObject(node), node); err != nil {
				return err
			}
			for _, taint := range node.Spec.Taints {
				if taint.Key == corev1.TaintNodeNotReady && taint.Effect == corev1.TaintEffectNoExecute {
					return nil
				}
			}
			return fmt.Errorf("node bears %v", node.Spec.Taints)
		})
	})
}

func TestAMissingProgramIsAnErrorThatSaysWhatToDo(t *testing.T) {
	t.Chdir(emptyRepository(t))
	t.Setenv("KUBEBUILDER_ASSETS", "")
	cp, err := controlplane.Start(t.Context(), controlplane.Options{})
	if err == nil {
		t.Error(cp.Stop())
		t.Fatal("started without programs")
	}
	if !errors.Is(err, controlplane.ErrNotBuilt) || !strings.Contains(err.Error(), "make control-plane") {
		t.Errorf("error is %q, want one that says to run make control-plane", err)
	}
}

func emptyRepository(t *testing.T) string {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module github.com/cozystack/affinityclass\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func audited(cp *controlplane.ControlPlane, user, resource string) error {
	events, err := cp.AuditEvents()
	if err != nil {
		return err
	}
	for _, event := range events {
		if event.User.Username == user && event.ObjectRef != nil && event.ObjectRef.Resource == resource {
			return nil
		}
	}
	return fmt.Errorf("none of %d events is of %s and %s", len(events), user, resource)
}
