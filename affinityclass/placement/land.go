package placement

import "github.com/cozystack/affinityclass/affinityclass/binaryaffinity"

// land counts a placed Pod on its node.
func (s *Snapshot) land(p *placed, nodeName string) {
	n := s.node(nodeName)
	p.node = n
	n.bear(p, 1)
	if p.extra == nil {
		return
	}
	for _, port := range p.extra.ports {
		if n.ports == nil {
			n.ports = map[hostPort][]*placed{}
		}
		n.ports[port] = append(n.ports[port], p)
	}
	for i := range p.extra.terms {
		h := &p.extra.terms[i]
		h.at = int32(len(h.term.holders))
		h.term.holders = append(h.term.holders, holder{p, int32(i)})
	}
}

// leave takes a placed Pod out of everything it is counted in.
func (s *Snapshot) leave(p *placed) {
	p.node.bear(p, -1)
	s.dropUsage(p.usage)
	s.unsettle(p)
	if p.extra != nil {
		p.node.freePorts(p)
		for _, h := range p.extra.terms {
			s.dropTerm(h)
		}
	}
	s.release(p.node)
}

// settle puts a placed Pod among those of its namespace and labels.
func (s *Snapshot) settle(p *placed, inNamespace string, labels map[string]string) {
	ns := s.namespace(inNamespace)
	set := newLabelSet(labels)
	group, ok := ns.kinds[set.text]
	if !ok {
		group = &alike{in: ns, labels: set, tags: binaryaffinity.TagsOf(labels)}
		ns.kinds[set.text] = group
		ns.tag(group)
	}
	p.alike, p.at = group, int32(len(group.members))
	group.members = append(group.members, p)
}

func (s *Snapshot) unsettle(p *placed) {
	group := p.alike
	last := len(group.members) - 1
	group.members[p.at] = group.members[last]
	group.members[p.at].at = p.at
	group.members[last] = nil
	group.members = group.members[:last]
	if last == 0 {
		delete(group.in.kinds, group.labels.text)
		delete(group.in.tagged, group)
		s.forget(group.in)
	}
}
