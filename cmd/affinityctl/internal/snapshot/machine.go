package snapshot

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

const kairon = "kairon.zyvor.dev"

// Machine is Kairon's kind of virtual machine.
func Machine() schema.GroupKind { return schema.GroupKind{Group: kairon, Kind: "Machine"} }

// MachineQuota is Kairon's limit on the Machines of a namespace.
func MachineQuota() schema.GroupKind { return schema.GroupKind{Group: kairon, Kind: "MachineQuota"} }

// machineQuota is what is read of one, the same in each of its versions. A field
// that is left out limits nothing.
type machineQuota struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Machines *resource.Quantity `json:"maxMachines"`
		CPU      *resource.Quantity `json:"maxTotalCpu"`
		Memory   *resource.Quantity `json:"maxTotalMemory"`
	} `json:"spec"`
}

func readMachineQuota(object []byte) (placement.MachineQuota, error) {
	var q machineQuota
	if err := json.Unmarshal(object, &q); err != nil {
		return placement.MachineQuota{}, fmt.Errorf("read MachineQuota: %w", err)
	}
	if q.Metadata.Namespace == "" {
		q.Metadata.Namespace = metav1.NamespaceDefault
	}
	hard := corev1.ResourceList{}
	for name, limit := range map[corev1.ResourceName]*resource.Quantity{
		"machines": q.Spec.Machines, corev1.ResourceCPU: q.Spec.CPU, corev1.ResourceMemory: q.Spec.Memory,
	} {
		if limit != nil {
			hard[name] = *limit
		}
	}
	return placement.MachineQuota{Namespace: q.Metadata.Namespace, Name: q.Metadata.Name, Hard: hard}, nil
}
