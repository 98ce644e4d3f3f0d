package schedule

import (
	"context"
	"math/bits"
	"slices"

	"millrace/schema"
	"millrace/streams/state"
)

// host is one host with work, or whose row was used lately. A host that only
// waits keeps little: its row and queues are read when its turn comes.
type host struct {
	name    schema.Host
	lane    *lane           // nil until its row was read once
	row     *schema.HostRow // nil: not loaded
	queues  *[classes]queue // with row
	flights int
	unread  uint8 // bit c: class c has something that was not looked at
	dirty   bool  // row differs from the store's, apart from heads
	stamped int64 // timestamp of the last record that changed row here
}

// queue is the reading side of one class of todo: an entry is unread, or looked
// at and bound to a flight or a timer, or done.
type queue struct {
	next    int64              // first sequence not read from the store
	ahead   []entry            // read, not looked at
	extra   []entry            // due, from the wheel: they stand in no sequence
	done    map[int64]struct{} // done sequences behind one that is not
	dropped int64              // first chunk that was not dropped
}

// entry is a URL in a queue.
type entry struct {
	path  string
	class uint8
	seq   int64 // noSeq: only in the wheel
}

const noSeq = -1

// best is the best class with something to look at.
func (h *host) best() uint8 { return uint8(min(bits.TrailingZeros8(h.unread), noClass)) }

// host returns a host with its row loaded, or a fresh one if it was never seen.
func (t *task) host(ctx context.Context, name schema.Host) (*host, error) {
	h := t.hosts[name]
	if h != nil && h.row != nil {
		return h, nil
	}
	row := &schema.HostRow{}
	if _, err := fetchRow(ctx, t.batch, schema.HostTable, hostKey(name), row); err != nil {
		return nil, err
	}
	if h == nil {
		h = &host{name: name}
		t.hosts[name] = h
	}
	t.attach(h, normal(row))
	return h, nil
}

// attach gives a host its row. A host never seen gets its site now, for ever.
func (t *task) attach(h *host, row *schema.HostRow) {
	if row.Site == "" {
		row.Site = string(schema.SiteOf(h.name.Name()))
	}
	h.row, h.queues = row, new([classes]queue)
	for c := range h.queues {
		h.queues[c].next = row.Queues[c].Head
		h.queues[c].dropped = row.Queues[c].Head / chunkRows
	}
	if h.lane == nil {
		h.lane = t.front.lane(h, row, t.opts.PoliteBy, t.p.Count())
	}
	t.loaded[h] = struct{}{}
}

// fresh reports a host of which nothing is stored or staged.
func (h *host) fresh() bool { return h.row.At == 0 }

// touch says that a record changes the host's row. It reports false if the
// stored row has the record already: a replay.
func (t *task) touch(h *host, ts int64) bool {
	if h.row.At >= ts {
		return h.stamped == ts
	}
	h.row.At, h.stamped = ts, ts
	if !h.dirty {
		h.dirty = true
		t.dirty = append(t.dirty, h)
	}
	return true
}

// append adds a URL to the end of a class.
func (t *task) append(h *host, class int32, path string, ts int64) {
	q := h.row.Queues[class]
	t.put(groupQueues, state.Mutation{
		Table: schema.Todo, TS: ts,
		Key:   append(todoPartition(h.name, int(class), q.Tail/chunkRows), state.Num(q.Tail)),
		Cells: state.Cells{state.Str(path)},
	})
	q.Tail++
	t.backlog++
	h.unread |= 1 << class
}

// finish notes that an entry has no life in it any more, and moves the head over
// all those that have none.
func (h *host) finish(e entry) {
	if e.seq == noSeq {
		return
	}
	q, row := &h.queues[e.class], h.row.Queues[e.class]
	if e.seq != row.Head {
		if q.done == nil {
			q.done = map[int64]struct{}{}
		}
		q.done[e.seq] = struct{}{}
		return
	}
	for row.Head++; len(q.done) > 0; row.Head++ {
		if _, ok := q.done[row.Head]; !ok {
			return
		}
		delete(q.done, row.Head)
	}
}

// look returns up to n entries that come next, best class first, without taking
// them.
func (t *task) look(ctx context.Context, h *host, n int) ([]entry, error) {
	var out []entry
	for c := range classes {
		q := &h.queues[c]
		if h.unread&(1<<c) == 0 {
			continue
		}
		if len(q.extra)+len(q.ahead) == 0 {
			if err := t.readAhead(ctx, h, c); err != nil {
				return nil, err
			}
		}
		out = append(append(out, q.extra...), q.ahead...)
		h.markUnread(c)
		if len(out) >= n {
			return out[:n], nil
		}
	}
	return out, nil
}

// readAhead reads the next entries of a class. A row that is missing was dropped
// with its chunk: it had its outcome.
func (t *task) readAhead(ctx context.Context, h *host, c int) error {
	q, tail := &h.queues[c], h.row.Queues[c].Tail
	for len(q.ahead) == 0 && q.next < tail {
		chunk := q.next / chunkRows
		rows, err := t.batch.Slice(ctx, schema.Todo, todoPartition(h.name, c, chunk),
			[]state.Value{state.Num(q.next)}, burst)
		if err != nil {
			return err
		}
		for _, r := range rows {
			seq := r.Key[3].Num()
			t.skip(h, c, min(seq, tail))
			if seq < tail {
				q.ahead = append(q.ahead, entry{r.Cells[0].Str(), uint8(c), seq})
				q.next = seq + 1
			}
		}
		if len(rows) < burst {
			t.skip(h, c, min((chunk+1)*chunkRows, tail))
		}
	}
	return nil
}

// skip finishes the sequences before to that have no row.
func (t *task) skip(h *host, c int, to int64) {
	q := &h.queues[c]
	for ; q.next < to; q.next++ {
		h.finish(entry{class: uint8(c), seq: q.next})
		t.backlog--
	}
}

// take removes an entry that look returned.
func (t *task) take(h *host, e entry) {
	q := &h.queues[e.class]
	from := &q.ahead
	if len(q.extra) > 0 && q.extra[0] == e {
		from = &q.extra
	}
	*from = slices.Delete(*from, 0, 1)
	if len(*from) == 0 {
		*from = nil
	}
	t.backlog--
	h.markUnread(int(e.class))
}

func (h *host) markUnread(c int) {
	q := &h.queues[c]
	h.unread &^= 1 << c
	if len(q.extra)+len(q.ahead) > 0 || q.next < h.row.Queues[c].Tail {
		h.unread |= 1 << c
	}
}

// offer puts an entry that is due before what stands in the host's sequences.
func (t *task) offer(h *host, e entry) {
	q := &h.queues[e.class]
	q.extra = append(q.extra, e)
	t.backlog++
	h.unread |= 1 << e.class
	t.front.place(h.lane, t.now)
}

// save stages the rows of the hosts that changed, and the end of the chunks
// behind their heads.
func (t *task) save() error {
	for _, h := range t.dirty {
		m := state.Mutation{Table: schema.HostTable, Key: hostKey(h.name), TS: h.row.At,
			Cells: state.Cells{encode(h.row)}}
		if err := t.batch.Put(groupHosts, m); err != nil {
			return err
		}
		for c := range h.queues {
			q := &h.queues[c]
			for ; q.dropped < h.row.Queues[c].Head/chunkRows; q.dropped++ {
				if err := t.batch.Drop(schema.Todo, todoPartition(h.name, c, q.dropped), h.row.At); err != nil {
					return err
				}
			}
		}
		h.dirty = false
	}
	t.dirty = t.dirty[:0]
	return nil
}

// idle reports hosts whose row and queues can be read again at any time.
func (h *host) idle() bool {
	if h.dirty || h.flights > 0 {
		return false
	}
	for c := range h.queues {
		q := &h.queues[c]
		if len(q.extra) > 0 || len(q.done) > 0 || h.row.Queues[c].Head != q.next-int64(len(q.ahead)) {
			return false
		}
	}
	return true
}

// evict forgets rows until no more than HostCache are left, any that is idle.
func (t *task) evict() {
	for h := range t.loaded {
		if len(t.loaded) <= t.opts.HostCache {
			return
		}
		if !h.idle() {
			continue
		}
		delete(t.loaded, h)
		for c := range h.queues {
			t.forgetAhead(h, c)
		}
		h.row, h.queues = nil, nil
		if h.unread == 0 {
			t.leave(h)
		}
	}
}

func (t *task) forgetAhead(h *host, c int) {
	if len(h.queues[c].ahead) > 0 {
		h.unread |= 1 << c
	}
}

// leave removes a host without work, and its lane with its last host.
func (t *task) leave(h *host) {
	delete(t.hosts, h.name)
	l := h.lane
	l.hosts = slices.DeleteFunc(l.hosts, func(o *host) bool { return o == h })
	if len(l.hosts) == 0 {
		t.front.remove(l)
		delete(t.front.sites, l.key)
	}
}
