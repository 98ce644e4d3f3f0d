package streams

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// How much a member of a group that looks ahead (topics.Group.Ahead) keeps of what it fetched.
const (
	aheadRecords = 4096
	aheadBytes   = 16 << 20
)

// urgent is the name of the header of a record that somebody waits for (topics.Place.Urgent).
const urgent = "urgent"

// ahead is what a member that looks ahead keeps after a round: the records that wait in work.kept.
// It handles first what somebody waits for, so that it does not wait for everything else: urgent
// records, or, where the order of a partition counts, all records of a partition up to the last
// urgent one. Everything else has half of each round, so urgent records delay it, but do not stop
// it.
type ahead struct {
	records, bytes int
	can            bool // some of them can be handled in the next round
	round          int  // number of the round
}

// looksAhead reports whether the member handles urgent records first.
func (r *runner[M]) looksAhead() bool { return r.spec.Ahead != topics.InTurn }

// fetch polls for records. A member that looks ahead does not wait for more while it keeps records
// that it can handle, and fetches none while it keeps as much as it may.
func (r *runner[M]) fetch(ctx context.Context) kgo.Fetches {
	room := r.roundSize()
	if r.looksAhead() {
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
// of it for the sake of urgent ones. The rest comes evenly from all partitions, so that all
// processors have work; where each batch of a partition has a price (topics.Group.Batch), from
// those whose turn was the longest ago. A partition that waits keeps its records.
func (r *runner[M]) choose(works []*work[M], fetched map[int32][]*kgo.Record) (batches map[int32][]*kgo.Record, taken int) {
	now, waiting := time.Now(), 0
	var can []*work[M]
	for _, w := range works {
		w.keep(fetched[w.id])
		waiting += len(w.kept)
		if !w.waits(now) && len(w.kept) > 0 {
			can = append(can, w)
		}
	}
	longestAgo := func(a, b *work[M]) int { return cmp.Compare(a.turn, b.turn) }
	slices.SortStableFunc(can, longestAgo)
	r.ahead.round++
	most, batch := r.sizes(waiting)
	batches = map[int32][]*kgo.Record{}
	take := func(w *work[M], list []*kgo.Record) {
		if len(list) > 0 {
			batches[w.id] = append(batches[w.id], list...)
			taken += len(list)
			w.turn = r.ahead.round
		}
	}
	for _, w := range can {
		take(w, w.takeUrgent(max(1, most/2)-taken))
	}
	slices.SortStableFunc(can, longestAgo)
	for ; len(can) > 0 && taken < most; can = slices.DeleteFunc(can, func(w *work[M]) bool { return len(w.kept) == 0 }) {
		share := max(batch, (most-taken)/len(can))
		for _, w := range can {
			take(w, w.takeFirst(min(share, most-taken)))
		}
	}
	return batches, taken
}

// sizes returns how many records the next round takes of those that wait, and how many of a
// partition at least. Where each batch of a partition has a price, a round has batches of two
// partitions a processor: of topics.Group.Batch records, so that rounds are short, but larger ones
// where so much waits that this would take many rounds.
func (r *runner[M]) sizes(waiting int) (round, batch int) {
	if r.spec.Batch == 0 {
		return r.roundSize(), 1
	}
	partitions := 2 * runtime.GOMAXPROCS(0)
	round = min(max(partitions*r.spec.Batch, waiting/4), r.roundSize())
	return round, max(1, round/partitions)
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
	if !r.looksAhead() {
		return
	}
	r.ahead = ahead{round: r.ahead.round}
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
		if isUrgent(rec) {
			w.urgentTo = rec.Offset + 1
		}
	}
	w.kept = append(w.kept, records...)
}

// takeFirst removes the first n of the records that wait, or all if there are fewer.
func (w *work[M]) takeFirst(n int) []*kgo.Record {
	n = min(n, len(w.kept))
	out := w.kept[:n:n]
	w.kept = w.kept[n:]
	return out
}

// takeUrgent removes at most n of the records that wait, for the sake of urgent ones, and returns
// them: urgent ones, or where the order counts all up to the last urgent one.
func (w *work[M]) takeUrgent(n int) (out []*kgo.Record) {
	if n <= 0 || len(w.kept) == 0 || w.kept[0].Offset >= w.urgentTo {
		return nil
	}
	if w.r.spec.Ahead == topics.Partitions {
		last := slices.IndexFunc(w.kept, func(rec *kgo.Record) bool { return rec.Offset >= w.urgentTo })
		if last < 0 {
			last = len(w.kept)
		}
		return w.takeFirst(min(n, last))
	}
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
	case w.r.looksAhead():
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
