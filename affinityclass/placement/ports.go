package placement

import (
	"slices"
	"strconv"

	v1 "k8s.io/api/core/v1"
)

// hostPort is a port that a Pod takes of its node.
type hostPort struct {
	ip       string // anyAddress when the Pod names none
	protocol v1.Protocol
	port     int32
}

const anyAddress = "0.0.0.0"

func (p hostPort) String() string {
	text := strconv.Itoa(int(p.port)) + "/" + string(p.protocol)
	if p.ip != anyAddress {
		text = p.ip + ":" + text
	}
	return text
}

// conflicts says whether two Pods with these ports exclude each other: the same
// port and protocol, on the same address or with one of them on any.
func (p hostPort) conflicts(other hostPort) bool {
	return p.port == other.port && p.protocol == other.protocol &&
		(p.ip == other.ip || p.ip == anyAddress || other.ip == anyAddress)
}

// hostPorts are the ports of the containers that run as long as the Pod does:
// its containers and its sidecars.
func hostPorts(object *v1.Pod) []hostPort {
	var ports []hostPort
	for _, c := range object.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways {
			ports = appendPorts(ports, c.Ports)
		}
	}
	for _, c := range object.Spec.Containers {
		ports = appendPorts(ports, c.Ports)
	}
	return ports
}

func appendPorts(ports []hostPort, of []v1.ContainerPort) []hostPort {
	for _, p := range of {
		if p.HostPort <= 0 {
			continue
		}
		port := hostPort{ip: p.HostIP, protocol: p.Protocol, port: p.HostPort}
		if port.ip == "" {
			port.ip = anyAddress
		}
		if port.protocol == "" {
			port.protocol = v1.ProtocolTCP
		}
		ports = append(ports, port)
	}
	return ports
}

// takers are those on the node that exclude a port.
func (n *node) takers(port hostPort) []*placed {
	var all []*placed
	for used, by := range n.ports {
		if !used.conflicts(port) {
			continue
		}
		all = append(all, by...)
	}
	return all
}

func (n *node) freePorts(p *placed) {
	for _, port := range p.extra.ports {
		n.ports[port] = slices.DeleteFunc(n.ports[port], func(other *placed) bool { return other == p })
		if len(n.ports[port]) == 0 {
			delete(n.ports, port)
		}
	}
}
