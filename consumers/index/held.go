package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"millrace/consumers/index/shard"
)

// Batch is a run of records of one partition.
type Batch = shard.Batch

// held is one partition's part of the index in this process.
//
// It is large because it knows two shards while one takes the place of the other.
type held struct {
	*shard.Shard // follows the log
	dir          string
	n            int // how often it was begun anew

	partition int32
	before    *shard.Shard // the one in whose place Shard comes: it answers searches until then; nil = none
	beforeDir string
	carried   bool   // what the log has no more was taken over from before
	anew      string // why it was begun anew, since this process started; "" = it was not
	owned     bool   // this process writes it
	hole      error  // why what comes next does not follow what is there; assignment mends it

	end        ends
	audit      *audit
	difference *Difference
	proven     int64 // the last offset at which its proof held
}

// damaged says why a shard was begun anew.
const damaged = "its files were damaged"

// openAt opens the latest of the beginnings on disk, and the one before it.
func (h *held) openAt(g *generation, places []int, o shard.Options, mend bool) error {
	h.dir = g.path(h.partition, 0)
	if len(places) > 0 {
		h.n, h.dir = places[0], g.path(h.partition, places[0])
	}
	var err error
	h.Shard, err = shard.Open(h.dir, o)
	switch {
	case errors.Is(err, shard.ErrOtherOptions):
		return h.openReshaped(g, places, o)
	case err != nil && errors.Is(err, shard.ErrDamaged) && mend:
		h.anew = damaged
		o.OnError(fmt.Errorf("partition %d is filled anew from the log, its files are set aside in %s.damaged: %w", h.partition, h.dir, err))
		if err = setAside(h.dir); err == nil {
			h.Shard, err = shard.Open(h.dir, o)
		}
	}
	if err != nil {
		return err
	}
	if len(places) > 1 {
		h.openBefore(g, places[1:], o)
	}
	return nil
}

// openReshaped begins anew beside a shard of another shape. If that one was itself being filled in
// place of another, the other one goes on answering.
func (h *held) openReshaped(g *generation, places []int, o shard.Options) error {
	if len(places) > 1 {
		if err := os.RemoveAll(h.dir); err != nil {
			return err
		}
		places = places[1:]
	}
	h.n++
	h.dir, h.anew = g.path(h.partition, h.n), "its options changed"
	var err error
	if h.Shard, err = shard.Open(h.dir, o); err != nil {
		return err
	}
	h.openBefore(g, places, o)
	return nil
}

// openBefore opens the shard that answers until this one is complete, and removes what is older. If
// it cannot be opened, searches see what is here already.
func (h *held) openBefore(g *generation, places []int, o shard.Options) {
	o.AnyShape = true
	for _, n := range places {
		dir := g.path(h.partition, n)
		s, err := shard.Open(dir, o)
		if h.before == nil && err == nil && s.Offset() > 0 {
			h.before, h.beforeDir, h.anew = s, dir, cmp.Or(h.anew, "the process ended while it was filled")
			continue
		}
		if err == nil {
			err = s.Close()
		}
		if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
			o.OnError(fmt.Errorf("partition %d: the shard before it: %w", h.partition, err))
		}
	}
}

// beginAnew puts an empty shard in the place of this one, which answers until the new one is
// complete. An empty one, or one that only waits to take another's place, just goes.
func (h *held) beginAnew(g *generation, reason string, o shard.Options) error {
	old, oldDir := h.Shard, h.dir
	h.n++
	dir := g.path(h.partition, h.n)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	s, err := shard.Open(dir, o)
	if err != nil {
		return err
	}
	h.Shard, h.dir, h.anew, h.carried, h.end = s, dir, reason, false, ends{}
	h.audit, h.proven, h.difference = newAudit(s.Position()), 0, nil
	if h.before == nil && old.Offset() > 0 && old.Err() == nil {
		h.before, h.beforeDir = old, oldDir
		return nil
	}
	return errors.Join(old.Close(), os.RemoveAll(oldDir))
}

// answering is the shard that searches see.
func (h *held) answering() *shard.Shard {
	if h.before != nil {
		return h.before
	}
	return h.Shard
}

// follows reports whether before is the fold of the log that Shard reads, so that what the log has
// no more can be taken from it: of the same era, not older than what the log has whole.
func (h *held) follows(maxAge time.Duration) bool {
	was := h.before.Position()
	same := was.Era == h.end.Era || was.Era == 0 || h.end.Era == 0
	return same && h.end.known && h.end.Start <= was.Offset && (maxAge == 0 || time.Since(was.Time) < maxAge)
}

// cut ends a batch where the shard before this one ends, and begins another one there: carry must
// see the shard at that very offset.
func (h *held) cut(b Batch) []Batch {
	if h.before == nil || h.carried {
		return []Batch{b}
	}
	at := h.before.Offset()
	if at <= h.Offset() || at >= b.Next {
		return []Batch{b}
	}
	i := 0
	for i < len(b.Changes) && b.Changes[i].Offset < at {
		i++
	}
	first, rest := b, b
	first.Changes, first.Next = b.Changes[:i], at
	rest.Changes = b.Changes[i:]
	return []Batch{first, rest}
}

// carry takes over what before has and the log has no more, once this shard stands where before
// stands. It does nothing at another offset.
func (h *held) carry(ctx context.Context, o *Options, log *slog.Logger) error {
	if h.before == nil || h.carried || h.Offset() != h.before.Offset() || !h.follows(o.MaxAge) {
		return nil
	}
	was, is := h.before.Position(), h.Position()
	if was.Digest != is.Digest || was.Docs != is.Docs {
		n, steps, err := h.Shard.Carry(ctx, h.before)
		h.audit.add(steps)
		if err != nil {
			return fmt.Errorf("partition %d: take over from the shard before: %w", h.partition, err)
		}
		if n > 0 {
			log.Warn("index took documents over that docs.unique has no more", "partition", h.partition, "documents", n)
		}
	}
	h.carried = true
	return nil
}

// complete reports whether this shard may take the place of the one before it: it stands where that
// one stood, or, if they are of different logs, where the log ended. A log that is empty proves
// nothing.
func (h *held) complete(maxAge time.Duration) bool {
	if h.before == nil || !h.end.known {
		return false
	}
	if h.follows(maxAge) {
		return h.Offset() >= h.before.Offset()
	}
	return h.end.need > 0 && h.Offset() >= h.need()
}

// replace closes and removes the shard before this one.
func (h *held) replace() error {
	old, dir := h.before, h.beforeDir
	h.before, h.beforeDir = nil, ""
	return errors.Join(old.Close(), os.RemoveAll(dir))
}

func (h *held) close() error {
	err := h.Shard.Close()
	if h.before != nil {
		err = errors.Join(err, h.before.Close())
	}
	return err
}

// fresh is how far back an end of the log must have been seen to count as due.
const fresh = 5 * time.Second

// Bounds are those of the log of a partition, as its owner sees them.
type Bounds struct {
	Era    int64 // of the log; 0 = not known
	Start  int64
	End    int64
	Passed int64 // between the shard's offset and this one there is no record: transactions leave markers
}

// ends knows which offset a shard must have passed to be complete.
type ends struct {
	Bounds
	known bool
	need  int64     // an End that was seen at least fresh ago, or the first one
	at    time.Time // when Bounds was taken over
	later int64     // an End seen since
}

// see notes the bounds of the log.
func (e *ends) see(b Bounds, now time.Time) {
	switch {
	case !e.known || e.Era != b.Era:
		*e = ends{known: true, need: b.End, later: b.End, at: now}
	case now.Sub(e.at) >= fresh:
		e.need, e.later, e.at = max(e.need, e.later), b.End, now
	}
	e.Bounds = b
}

// need is the offset below which the shard is not complete; 0 = not known.
func (h *held) need() int64 {
	if h.end.Passed >= h.end.need {
		return min(h.end.need, h.Offset()) // only markers are left
	}
	return h.end.need
}
