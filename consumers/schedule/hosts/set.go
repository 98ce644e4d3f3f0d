package hosts

import (
	"context"
	"fmt"
	"slices"

	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/politeness"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
)

const (
	chunkRows = 1024 // entries of one partition (chunk) of the table todo
	maxExtra  = 1024 // most entries of a class that Offer puts before the others
)

// Batch reads and stages rows.
type Batch interface {
	table.Reader
	Put(group int, m state.Mutation)
	Drop(t *schema.Table, partition state.Key, ts int64)
}

// Set holds the hosts of one partition of urls.discovered.
type Set struct {
	batch   Batch
	front   *politeness.Frontier
	all     map[schema.Host]*Host
	loaded  map[*Host]struct{} // hosts with a Row
	dirty   []*Host
	learnt  []*Host
	backlog int64 // queue entries that were not taken

	Held func(schema.Host, schema.Site) bool // reports whether an operator paused a host; nil: none is
}

// New returns a set without hosts.
func New(b Batch, front *politeness.Frontier) *Set {
	return &Set{batch: b, front: front, all: map[schema.Host]*Host{}, loaded: map[*Host]struct{}{}}
}

// Len is the number of hosts in memory.
func (s *Set) Len() int { return len(s.all) }

// Backlog is the number of queue entries that were not taken.
func (s *Set) Backlog() int64 { return s.backlog }

// Get returns a host with its row loaded; a host that is not stored gets a new row.
func (s *Set) Get(ctx context.Context, name schema.Host) (*Host, error) {
	h := s.all[name]
	if h != nil && h.Row != nil {
		return h, nil
	}
	row := &schema.HostRow{}
	if _, err := table.Read(ctx, s.batch, schema.HostTable, table.Host(name), row); err != nil {
		return nil, err
	}
	if h == nil {
		h = &Host{Name: name}
		s.all[name] = h
		s.countUnread(h, row)
	}
	s.attach(h, table.Normal(row, policy.Classes, Budgets))
	return h, nil
}

// Peek returns the row of a host if it is loaded, else nil.
func (s *Set) Peek(name schema.Host) *schema.HostRow {
	if h := s.all[name]; h != nil {
		return h.Row
	}
	return nil
}

// Admit takes in a host with its stored row, if it has work. A host that a record loaded before
// gets its turn now.
func (s *Set) Admit(name schema.Host, row *schema.HostRow, now int64) {
	if h := s.all[name]; h != nil {
		s.front.Place(h.Lane, now)
		return
	}
	h := &Host{Name: name}
	if s.countUnread(h, row); h.unread == 0 {
		return
	}
	h.held = s.isHeld(name, row)
	h.Lane = s.front.Join(h, name, row)
	s.all[name] = h
	s.front.Place(h.Lane, now)
}

func (s *Set) countUnread(h *Host, row *schema.HostRow) {
	for c, q := range row.Queues {
		if q.Head < q.Tail {
			h.unread |= 1 << c
			s.backlog += q.Tail - q.Head
		}
	}
}

// attach gives a host its row. A new host gets its site here, which never changes.
func (s *Set) attach(h *Host, row *schema.HostRow) {
	if row.Site == "" {
		row.Site = string(schema.SiteOf(h.Name.Name()))
	}
	h.Row, h.queues = row, new([policy.Classes]queue)
	for c := range h.queues {
		h.queues[c].next = row.Queues[c].Head
		h.queues[c].dropped = row.Queues[c].Head / chunkRows
	}
	if h.Lane == nil {
		h.held = s.isHeld(h.Name, row)
		h.Lane = s.front.Join(h, h.Name, row)
	}
	s.loaded[h] = struct{}{}
}

// Move puts a host into the lane of its politeness key again, after the key has changed.
func (s *Set) Move(h *Host, now int64) {
	s.front.Leave(h.Lane, h)
	h.Lane = s.front.Join(h, h.Name, h.Row)
	s.front.Place(h.Lane, now)
}

func (s *Set) isHeld(name schema.Host, row *schema.HostRow) bool {
	return s.Held != nil && s.Held(name, schema.Site(row.Site))
}

// Touch notes that a record changes the host's row. It returns false if the stored row has the
// record already (a replay): then the caller must not count anything again.
func (s *Set) Touch(h *Host, ts int64) bool {
	if h.Row.At >= ts {
		return h.stamped == ts
	}
	h.Row.At, h.stamped = ts, ts
	if !h.dirty {
		h.dirty = true
		s.dirty = append(s.dirty, h)
	}
	return true
}

// Append adds a URL to the end of the queue of a class.
func (s *Set) Append(h *Host, class int32, path string, ts int64) {
	q := h.Row.Queues[class]
	s.batch.Put(table.GroupQueues, state.Mutation{
		Table: schema.Todo, TS: ts,
		Key:   append(table.Todo(h.Name, int(class), q.Tail/chunkRows), state.Num(q.Tail)),
		Cells: state.Cells{state.Str(path)},
	})
	q.Tail++
	s.backlog++
	h.unread |= 1 << class
}

// Look returns up to n entries of some classes (bit c: class c) that come next, by the turns of the
// classes, without taking them.
func (s *Set) Look(ctx context.Context, h *Host, n int, classes uint8) ([]Entry, error) {
	var out []Entry
	var seen [policy.Classes]int
	turns, has := h.turns, h.unread&classes
	for len(out) < n {
		c := turns.Next(has)
		if c >= policy.Classes {
			break
		}
		e, ok, err := s.peek(ctx, h, c, seen[c])
		if err != nil {
			return nil, err
		}
		if !ok {
			has &^= 1 << c
			continue
		}
		turns.Took(c, has)
		seen[c]++
		out = append(out, e)
	}
	for c := range h.queues {
		h.markUnread(c)
	}
	return out, nil
}

// peek returns the i-th entry of a class that was not taken; false if there is none.
func (s *Set) peek(ctx context.Context, h *Host, c, i int) (Entry, bool, error) {
	q := &h.queues[c]
	if i < len(q.extra) {
		return q.extra[i], true, nil
	}
	if i -= len(q.extra); i >= len(q.ahead) {
		if err := s.readAhead(ctx, h, c); err != nil || i >= len(q.ahead) {
			return Entry{}, false, err
		}
	}
	return q.ahead[i], true, nil
}

// readAhead reads the next entries of a class. A missing row was dropped with its chunk, so it is
// done.
func (s *Set) readAhead(ctx context.Context, h *Host, c int) error {
	q, tail := &h.queues[c], h.Row.Queues[c].Tail
	for had := len(q.ahead); len(q.ahead) == had && q.next < tail; {
		chunk := q.next / chunkRows
		rows, err := s.batch.Slice(ctx, schema.Todo, table.Todo(h.Name, c, chunk),
			[]state.Value{state.Num(q.next)}, politeness.Burst)
		if err != nil {
			return err
		}
		for _, r := range rows {
			seq := r.Key[3].Num()
			s.skip(h, c, min(seq, tail))
			if seq < tail {
				q.ahead = append(q.ahead, Entry{r.Cells[0].Str(), uint8(c), seq})
				q.next = seq + 1
			}
		}
		if len(rows) < politeness.Burst {
			s.skip(h, c, min((chunk+1)*chunkRows, tail))
		}
	}
	return nil
}

// skip finishes the sequence numbers before to, which have no row.
func (s *Set) skip(h *Host, c int, to int64) {
	q := &h.queues[c]
	for ; q.next < to; q.next++ {
		h.Finish(Entry{Class: uint8(c), Seq: q.next})
		s.backlog--
	}
}

// Take removes an entry that Look returned.
func (s *Set) Take(h *Host, e Entry) {
	q := &h.queues[e.Class]
	from := &q.ahead
	i := slices.Index(q.extra, e)
	if i >= 0 {
		from = &q.extra
	} else if i = slices.Index(q.ahead, e); i < 0 {
		return
	}
	*from = slices.Delete(*from, i, i+1)
	if len(*from) == 0 {
		*from = nil
	}
	s.backlog--
	h.markUnread(int(e.Class))
}

// Offer puts a due entry before the queue of its class. It returns false if there are too many such
// entries; then the calendar moves the entry to the queue when its slot is over.
func (s *Set) Offer(h *Host, e Entry, now int64) bool {
	q := &h.queues[e.Class]
	if len(q.extra) >= maxExtra {
		return false
	}
	q.extra = append(q.extra, e)
	s.backlog++
	h.unread |= 1 << e.Class
	s.front.Place(h.Lane, now)
	return true
}

// Save stages the rows and trees that changed, and drops the chunks before the heads.
func (s *Set) Save() {
	s.savePatterns()
	for _, h := range s.dirty {
		s.batch.Put(table.GroupHosts, state.Mutation{Table: schema.HostTable, Key: table.Host(h.Name), TS: h.Row.At,
			Cells: state.Cells{table.Encode(h.Row)}})
		for c := range h.queues {
			q := &h.queues[c]
			for ; q.dropped < h.Row.Queues[c].Head/chunkRows; q.dropped++ {
				s.batch.Drop(schema.Todo, table.Todo(h.Name, c, q.dropped), h.Row.At)
			}
		}
		h.dirty = false
	}
	s.dirty = s.dirty[:0]
}

// Evict removes rows of idle hosts, in random order, until at most most are loaded. A host without
// work is removed wholly.
func (s *Set) Evict(most int) {
	for h := range s.loaded {
		if len(s.loaded) <= most {
			return
		}
		if !h.idle() {
			continue
		}
		delete(s.loaded, h)
		for c := range h.queues {
			if len(h.queues[c].ahead) > 0 {
				h.unread |= 1 << c
			}
		}
		h.Row, h.Tree, h.queues = nil, nil, nil
		if h.unread == 0 {
			delete(s.all, h.Name)
			s.front.Leave(h.Lane, h)
		}
	}
}

// Each calls fn for every host in memory.
func (s *Set) Each(fn func(*Host)) {
	for _, h := range s.all {
		fn(h)
	}
}

// Decode decodes a host's row.
func Decode(r state.Row) (schema.Host, *schema.HostRow, error) {
	row := &schema.HostRow{}
	name := schema.Host(r.Key[1].Str())
	if err := row.UnmarshalVT(r.Cells[0].Bytes()); err != nil {
		return name, nil, fmt.Errorf("host %s: %w", name, err)
	}
	return name, table.Normal(row, policy.Classes, Budgets), nil
}
