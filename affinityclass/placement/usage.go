package placement

import (
	"strconv"
	"strings"
)

// usage is what a placed Pod takes of its node, shared by all that take the same.
type usage struct {
	id      string
	holders int
	numbers []int
	amounts []int64
	pinned  int64
}

// usageOf returns the shared usage for these needs, held once more.
func (s *Snapshot) usageOf(needs []need, pinned int64) *usage {
	id := usageID(needs, pinned)
	u, ok := s.usages[id]
	if !ok {
		u = &usage{id: id, pinned: pinned}
		for _, n := range needs {
			u.numbers = append(u.numbers, s.names.hold(n.name))
			u.amounts = append(u.amounts, n.amount)
		}
		s.usages[id] = u
	}
	u.holders++
	return u
}

func (s *Snapshot) dropUsage(u *usage) {
	if u.holders--; u.holders == 0 {
		delete(s.usages, u.id)
		for _, number := range u.numbers {
			s.names.drop(number)
		}
	}
}

func usageID(needs []need, pinned int64) string {
	var id strings.Builder
	for _, n := range needs {
		id.WriteString(n.name)
		id.WriteByte('=')
		id.WriteString(strconv.FormatInt(n.amount, 36))
		id.WriteByte(' ')
	}
	id.WriteString(strconv.FormatInt(pinned, 36))
	return id.String()
}
