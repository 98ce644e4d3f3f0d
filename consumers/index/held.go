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

// Batch is a sequence of records of one partition.
type Batch = shard.Batch

// held is one partition's part of the index in this process.
//
// It is large because it knows two shards while one replaces the other.
type held struct {
	*shard.Shard // follows the log
	dir          string
	n            int // how often it was begun anew

	partition int32
	before    *shard.Shard // the old shard, which answers searches until Shard is complete; nil = none
	beforeDir string
	carried   bool   // the documents that the log no longer has were copied from before
	anew      string // why it was begun anew since this process started; "" = it was not
	owned     bool   // this process writes it
	hole      error  // why the next batch does not continue what is on disk; the next assignment clears it

	end        ends
	audit      *audit
	difference *Difference
	proven     int64 // the last offset at which a proof confirmed its digest
}

// damaged says why a shard was begun anew.
const damaged = "its files were damaged"

// openAt opens the latest shard on disk, and the one before it. places are their numbers, latest
// first.
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

// openReshaped begins a new shard beside one that was built with other options. If that one was
// itself replacing an older one, it is removed and the older one goes on answering.
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

// openBefore opens the shard that answers until this one is complete, and removes older ones. If it
// cannot be opened, it is removed, and searches see the new shard as far as it is.
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

// beginAnew replaces this shard by an empty one; the old one answers until the new one is complete.
// An old one that is empty, failed, or was itself being filled is removed.
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

// answering returns the shard that searches see. An old one whose files are in the format of an
// older version cannot be searched.
func (h *held) answering() *shard.Shard {
	if h.before != nil && h.before.Searchable() {
		return h.before
	}
	return h.Shard
}

// follows reports whether before was filled from the log that Shard reads, and the log reaches back
// to its offset, so that documents that the log no longer has can be copied from it.
func (h *held) follows(maxAge time.Duration) bool {
	was := h.before.Position()
	same := was.Era == h.end.Era || was.Era == 0 || h.end.Era == 0
	return same && h.end.known && h.end.Start <= was.Offset && (maxAge == 0 || time.Since(was.Time) < maxAge)
}

// cut splits a batch at the offset of the old shard, because carry must run at exactly that offset.
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

// carry copies the documents that the old shard has and the log no longer has. It does nothing
// unless this shard is at the old shard's offset.
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

// complete reports whether this shard may replace the old one: it has reached the old one's offset,
// or, if they are of different logs, the end of the log. An empty log is no reason to replace it.
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

// fresh is how long ago an end of the log must have been seen for the shard to be behind it.
const fresh = 5 * time.Second

// Bounds are those of a partition of the log, as its owner sees them.
type Bounds struct {
	Era    int64 // of the log; 0 = not known
	Start  int64
	End    int64
	Passed int64 // from the shard's offset to this one there are only transaction markers
}

// ends knows which offset a shard must have passed to be complete.
type ends struct {
	Bounds
	known bool
	need  int64     // an End that was seen at least fresh ago, or the first one
	at    time.Time // when later was taken
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

// need returns the offset below which the shard is not complete; 0 = not known.
func (h *held) need() int64 {
	if h.end.Passed >= h.end.need {
		return min(h.end.need, h.Offset()) // only transaction markers are left
	}
	return h.end.need
}
