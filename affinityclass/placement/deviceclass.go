package placement

import resourcev1 "k8s.io/api/resource/v1"

// SetDeviceClass records a device class and the extended resource by whose name
// Pods may ask for its devices.
func (s *Snapshot) SetDeviceClass(class *resourcev1.DeviceClass) {
	s.RemoveDeviceClass(class.Name)
	s.devices[class.Name] = ""
	if name := class.Spec.ExtendedResourceName; name != nil {
		s.devices[class.Name] = *name
	}
}

// RemoveDeviceClass forgets a device class.
func (s *Snapshot) RemoveDeviceClass(name string) {
	s.generation++
	delete(s.devices, name)
}

// byDevices says whether a resource is had by a device class where a node has
// none of it: such a node is not short of it, and whether it has the device is
// not modelled.
// Source: shouldDelegateResourceToDRA of kube-scheduler's plugin noderesources.
func (s *Snapshot) byDevices(resource string) bool {
	for class, name := range s.devices {
		if resource == name || resource == resourcev1.ResourceDeviceClassPrefix+class {
			return true
		}
	}
	return false
}
