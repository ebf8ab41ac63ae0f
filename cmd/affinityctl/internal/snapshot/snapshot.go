// Package snapshot fills a placement.Snapshot from the objects of a dump, one
// after another, so that a dump need not be held as a whole.
//
// It passes over kinds that do not bear on a placement. It opens no file and
// knows no cluster: its callers hand it objects in JSON.
package snapshot

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// Add records one object.
func Add(s *placement.Snapshot, kind schema.GroupKind, object []byte) error {
	switch kind.String() {
	case "Node":
		return decode(object, s.SetNode)
	case "Pod":
		return decode(object, s.SetPod)
	case "Namespace":
		return decode(object, s.SetNamespace)
	case "ResourceQuota":
		return decode(object, s.SetQuota)
	case "PriorityClass.scheduling.k8s.io":
		return decode(object, func(c *schedulingv1.PriorityClass) { s.SetPriorityClass(PriorityClass(c)) })
	case "ResourceClaim.resource.k8s.io":
		return decode(object, s.SetResourceClaim)
	case "ResourceSlice.resource.k8s.io":
		return decode(object, s.SetResourceSlice)
	case "DeviceClass.resource.k8s.io":
		return decode(object, s.SetDeviceClass)
	case "Status":
		return refusal(object)
	case Machine().String():
		return s.SetMachine(object)
	case MachineQuota().String():
		quota, err := readMachineQuota(object)
		if err != nil {
			return err
		}
		s.SetMachineQuota(quota)
	}
	return nil
}

// refusal is what an API server answers instead of what it was asked for: a dump with it
// lacks a part.
func refusal(object []byte) error {
	var said metav1.Status
	if err := json.Unmarshal(object, &said); err != nil {
		return fmt.Errorf("read object: %w", err)
	}
	return fmt.Errorf("instead of objects the API server answered: %s", said.Message)
}

// PriorityClass is what a placement reads of one.
func PriorityClass(c *schedulingv1.PriorityClass) placement.PriorityClass {
	return placement.PriorityClass{Name: c.Name, Value: c.Value, GlobalDefault: c.GlobalDefault}
}

// kinds are those that decode can read.
type kinds interface {
	corev1.Node | corev1.Pod | corev1.Namespace | corev1.ResourceQuota |
		schedulingv1.PriorityClass | resourcev1.ResourceClaim | resourcev1.ResourceSlice | resourcev1.DeviceClass
}

func decode[T kinds](text []byte, set func(*T)) error {
	object := new(T)
	if err := json.Unmarshal(text, object); err != nil {
		return fmt.Errorf("read object: %w", err)
	}
	set(object)
	return nil
}
