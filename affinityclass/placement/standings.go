package placement

import (
	"cmp"
	"slices"
)

// standings numbers the ways in which candidates stand. Of many nodes few stand
// differently, so that a candidate in hand is a number, and what is ordered,
// summed and shown is once for all that stand alike.
type standings struct {
	width int     // of a row
	rows  []int64 // of each standing: the tier, then the values of the summands
	table []int32 // by hash: a standing and one more, 0 where free; half of it is free
	last  int32
}

// reset forgets all, and takes rows of this width from now on.
func (s *standings) reset(width int) {
	s.width, s.rows = width, s.rows[:0]
	s.table = sized(s.table, 64)
	clear(s.table)
}

func (s *standings) count() int { return len(s.rows) / s.width }

func (s *standings) row(number int32) []int64 {
	return s.rows[int(number)*s.width:][:s.width]
}

// number is the standing of a row. Nodes next to each other often stand alike.
func (s *standings) number(row []int64) int32 {
	if s.count() > 0 && slices.Equal(s.row(s.last), row) {
		return s.last
	}
	at := s.find(row)
	if *at == 0 {
		s.rows = append(s.rows, row...)
		*at = int32(s.count())
		if 2*s.count() > len(s.table) {
			s.last = *at - 1
			s.grow()
			return s.last
		}
	}
	s.last = *at - 1
	return s.last
}

// find is where a row has its place in the table, taken or free.
func (s *standings) find(row []int64) *int32 {
	hash := offset
	for _, value := range row {
		hash = (hash ^ uint64(value)) * prime
	}
	for at := int(mixed(hash)); ; at++ {
		place := &s.table[at&(len(s.table)-1)]
		if *place == 0 || slices.Equal(s.row(*place-1), row) {
			return place
		}
	}
}

func (s *standings) grow() {
	s.table = sized(s.table, 2*len(s.table))
	clear(s.table)
	for number := range int32(s.count()) {
		*s.find(s.row(number)) = number + 1
	}
}

// list is what is shown of each standing.
func (s *standings) list(summands []summand) []Standing {
	list := make([]Standing, s.count())
	for i := range list {
		row := s.row(int32(i))
		list[i] = Standing{Tier: row[0], Terms: shown(summands, row[1:])}
		for _, value := range row[1:] {
			list[i].Score += value
		}
	}
	return list
}

// ranks is by standing how many different tiers and scores are better.
func ranks(list []Standing) []int32 {
	order := make([]int32, len(list))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return list[a].rank(&list[b]) })
	ranks := make([]int32, len(list))
	for i, standing := range order {
		if i > 0 {
			ranks[standing] = ranks[order[i-1]]
			if list[order[i-1]].rank(&list[standing]) != 0 {
				ranks[standing]++
			}
		}
	}
	return ranks
}

// rank is negative where s is better than other: the higher tier, then the
// higher score.
func (s *Standing) rank(other *Standing) int {
	return cmp.Or(cmp.Compare(other.Tier, s.Tier), cmp.Compare(other.Score, s.Score))
}
