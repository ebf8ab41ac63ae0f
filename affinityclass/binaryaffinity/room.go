package binaryaffinity

// room holds the Pods of a namespace that share a node or a tag. A Pod knows its
// seats, so that it leaves without being looked for; the last one in the room
// takes the seat left free. Rooms that are empty are closed.
type room struct {
	key  roomKey
	pods []*kept
}

type roomKey struct {
	of              sharing
	namespace, name string
}

type sharing uint8

const (
	ofNode sharing = iota
	ofTag
)

// kept is a Pod in the Index and its seats: one by node and one a tag.
type kept struct {
	Placed
	seats []seat
}

type seat struct {
	room *room
	at   int
}

// each calls yield for each Pod until it returns false. No room is an empty one.
func (r *room) each(yield func(*Placed) bool) {
	if r == nil {
		return
	}
	for _, k := range r.pods {
		if !yield(&k.Placed) {
			return
		}
	}
}

func (x *Index) enter(k *kept, key roomKey) {
	r := x.rooms[key]
	if r == nil {
		r = &room{key: key}
		x.rooms[key] = r
	}
	k.seats = append(k.seats, seat{r, len(r.pods)})
	r.pods = append(r.pods, k)
}

func (x *Index) leave(s seat) {
	r, last := s.room, len(s.room.pods)-1
	if last == 0 {
		delete(x.rooms, r.key)
		return
	}
	mover := r.pods[last]
	r.pods[s.at], r.pods[last] = mover, nil
	r.pods = r.pods[:last]
	for i := range mover.seats {
		if mover.seats[i].room == r {
			mover.seats[i].at = s.at
		}
	}
}
