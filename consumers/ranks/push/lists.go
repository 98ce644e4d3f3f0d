package push

// lists keeps the targets of each page, in blocks of about a million nodes, so that growth copies
// little.
type lists struct {
	blocks [][]Node
	at     []place
	live   int // links
	dead   int // room that is not used any more
}

// place is the position of the list of a page.
type place struct {
	block, from, count, room uint32
}

const blockSize = 1 << 20

func (l *lists) grow() { l.at = append(l.at, place{}) }

func (l *lists) of(n Node) []Node {
	p := l.at[n]
	if p.count == 0 {
		return nil
	}
	return l.blocks[p.block][p.from : p.from+p.count]
}

// set writes the list of a page over its old one if it fits there, else at the end. When the unused
// room is larger than all lists and a block, it packs all of them.
func (l *lists) set(n Node, list []Node) {
	p := &l.at[n]
	l.live += len(list) - int(p.count)
	if len(list) <= int(p.room) {
		p.count = uint32(len(list))
		copy(l.of(n), list)
		return
	}
	l.dead += int(p.room)
	*p = l.append(list)
	if l.dead > l.live+blockSize {
		l.pack()
	}
}

func (l *lists) append(list []Node) place {
	last := len(l.blocks) - 1
	if last < 0 || len(l.blocks[last])+len(list) > cap(l.blocks[last]) {
		size := blockSize
		if last < 0 { // small graphs are common
			size = 1 << 12
		}
		l.blocks = append(l.blocks, make([]Node, 0, max(size, len(list))))
		last++
	}
	b := l.blocks[last]
	l.blocks[last] = append(b, list...)
	return place{uint32(last), uint32(len(b)), uint32(len(list)), uint32(len(list))}
}

// pack copies all lists into new blocks, without unused room.
func (l *lists) pack() {
	old := l.blocks
	l.blocks, l.dead = nil, 0
	for n := range l.at {
		if p := l.at[n]; p.count > 0 {
			l.at[n] = l.append(old[p.block][p.from : p.from+p.count])
		} else {
			l.at[n] = place{}
		}
	}
}

// index finds pages by their ids: a hash table with open addressing and linear probing, at most 2/3
// full.
type index struct {
	slots []uint32 // node + 1; 0 = free
}

func (t *index) find(ids []uint64, id uint64) (Node, bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	mask := uint64(len(t.slots) - 1)
	for i := id & mask; t.slots[i] != 0; i = (i + 1) & mask {
		if n := t.slots[i] - 1; ids[n] == id {
			return Node(n), true
		}
	}
	return 0, false
}

// add adds page n, the last of ids.
func (t *index) add(ids []uint64, n Node) {
	if 3*len(ids) > 2*len(t.slots) {
		t.slots = make([]uint32, max(64, 2*len(t.slots)))
		for i := range n {
			t.put(ids, i)
		}
	}
	t.put(ids, n)
}

func (t *index) put(ids []uint64, n Node) {
	mask := uint64(len(t.slots) - 1)
	i := ids[n] & mask
	for t.slots[i] != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = uint32(n) + 1
}

// queue is a first-in, first-out queue of pages, each at most once.
type queue struct {
	ring  []Node
	first int
	count int
	in    []uint64 // one bit per page
}

func (q *queue) put(n Node) {
	for int(n>>6) >= len(q.in) {
		q.in = append(q.in, 0)
	}
	if q.in[n>>6]&(1<<(n&63)) != 0 {
		return
	}
	q.in[n>>6] |= 1 << (n & 63)
	if q.count == len(q.ring) {
		q.double()
	}
	q.ring[(q.first+q.count)&(len(q.ring)-1)] = n
	q.count++
}

func (q *queue) double() {
	ring := make([]Node, max(64, 2*len(q.ring)))
	k := copy(ring, q.ring[q.first:])
	copy(ring[k:], q.ring[:q.first])
	q.ring, q.first = ring, 0
}

func (q *queue) take() (Node, bool) {
	if q.count == 0 {
		return 0, false
	}
	n := q.ring[q.first]
	q.first = (q.first + 1) & (len(q.ring) - 1)
	q.count--
	q.in[n>>6] &^= 1 << (n & 63)
	return n, true
}
