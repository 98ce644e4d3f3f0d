package streams

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// How much a member of a group that looks ahead (topics.Group.Ahead) keeps of what it fetched.
const (
	aheadRecords = 512
	aheadBytes   = 16 << 20
)

// urgent is the name of the header of a record that somebody waits for (topics.Place.Urgent).
const urgent = "urgent"

// ahead is what a member that looks ahead keeps after a round: the records that wait in work.kept.
// It handles those first that somebody waits for, so that they do not wait for the others, and
// takes the others evenly from its partitions, so that all processors have work.
type ahead struct {
	records, bytes int
	can            bool // some of them can be handled in the next round
	turn           int  // rises with each round: no partition is always the first
}

// fetch polls for records. A member that looks ahead does not wait for more while it keeps records
// that it can handle, and fetches none while it keeps as much as it may.
func (r *runner[M]) fetch(ctx context.Context) kgo.Fetches {
	room := r.roundSize()
	if r.spec.Ahead {
		room = aheadRecords - r.ahead.records
		if r.ahead.bytes >= aheadBytes {
			room = 0
		}
	}
	switch {
	case room > 0 && !r.ahead.can:
		return r.cl.PollRecords(ctx, room)
	case room > 0:
		return r.cl.PollRecords(nil, room) // nil: what is there, without a wait
	case !r.ahead.can:
		<-ctx.Done()
	}
	return nil
}

// choose keeps what was fetched and returns the records of this round, by partition: at most half
// of it is urgent. A partition that waits keeps its records.
func (r *runner[M]) choose(works []*work[M], fetched map[int32][]*kgo.Record) (batches map[int32][]*kgo.Record, taken int) {
	now, most := time.Now(), r.roundSize()
	var can []*work[M]
	for _, w := range works {
		w.keep(fetched[w.id])
		if !w.waits(now) && len(w.kept) > 0 {
			can = append(can, w)
		}
	}
	if r.ahead.turn++; len(can) > 0 {
		n := r.ahead.turn % len(can)
		can = append(can[n:], can[:n]...)
	}
	batches = map[int32][]*kgo.Record{}
	for _, w := range can {
		list := w.takeUrgent(max(1, most/2) - taken)
		batches[w.id] = list
		taken += len(list)
	}
	for ; len(can) > 0 && taken < most; can = slices.DeleteFunc(can, func(w *work[M]) bool { return len(w.kept) == 0 }) {
		share := max(1, (most-taken)/len(can))
		for _, w := range can {
			n := min(share, len(w.kept), most-taken)
			batches[w.id] = append(batches[w.id], w.kept[:n]...)
			w.kept = w.kept[n:]
			taken += n
		}
	}
	return batches, taken
}

// look counts what is kept, at the end of a round.
func (a *ahead) look(kept []*kgo.Record, waits bool) {
	a.can = a.can || len(kept) > 0 && !waits
	a.records += len(kept)
	for _, rec := range kept {
		a.bytes += len(rec.Value)
	}
}

// lookAhead notes what the works keep.
func (r *runner[M]) lookAhead(works []*work[M]) {
	if !r.spec.Ahead {
		return
	}
	r.ahead = ahead{turn: r.ahead.turn}
	now := time.Now()
	for _, w := range works {
		r.ahead.look(w.kept, w.waits(now))
	}
}

// keep adds fetched records to those that wait. They count as taken: what is handled before them
// is done out of order.
func (w *work[M]) keep(records []*kgo.Record) {
	for _, rec := range records {
		w.track.take(rec.Offset)
	}
	w.kept = append(w.kept, records...)
}

// takeUrgent removes at most n urgent records from those that wait, and returns them.
func (w *work[M]) takeUrgent(n int) (out []*kgo.Record) {
	w.kept = slices.DeleteFunc(w.kept, func(rec *kgo.Record) bool {
		if len(out) >= n || !isUrgent(rec) {
			return false
		}
		out = append(out, rec)
		return true
	})
	return out
}

func isUrgent(rec *kgo.Record) bool {
	for _, h := range slices.Backward(rec.Headers) {
		if h.Key == urgent {
			return true
		}
	}
	return false
}

// putBack lets records come again: those of a member that looks ahead wait with the others, else
// they are fetched again.
func (w *work[M]) putBack(records []*kgo.Record) {
	switch {
	case len(records) == 0:
	case w.r.spec.Ahead:
		w.kept = append(slices.Clone(records), w.kept...)
		slices.SortFunc(w.kept, func(a, b *kgo.Record) int { return cmp.Compare(a.Offset, b.Offset) })
	default:
		w.again = records[0].Offset
	}
}

// urgentHeaders adds the header of a record that somebody waits for.
func urgentHeaders(h []Header, place topics.Place) []Header {
	if place.Urgent {
		h = append(h, Header{Key: urgent, Value: []byte("1")})
	}
	return h
}
