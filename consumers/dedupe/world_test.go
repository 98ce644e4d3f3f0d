package dedupe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/streams/streamstest"
	"millrace/topics"
)

var errCrash = errors.New("crash")

// world runs a Task over a log of docs.extracted, as the loop does.
type world struct {
	opts      Options
	store     *memory
	over      state.Store // what the Task sees of store; nil: store
	link      streamstest.Recorder
	task      streams.Task[*schema.Extracted]
	in        []*schema.Extracted
	group     *Deduper
	trimmer   Trimmer
	committed int
	at        int    // offset to read next
	out       []said // docs.unique and urls.discovered, in order
}

// said is a record that was sent, with the offset of the record that led to it.
type said struct {
	offset int
	streams.Send
}

func (s said) String() string {
	return fmt.Sprintf("%d: %s %s %x", s.offset, s.Topic, s.Key, s.Value)
}

func newWorld(opts Options) *world {
	return &world{opts: opts, store: newMemory()}
}

func testOptions() Options {
	o := DefaultOptions()
	o.Window = 1000
	return o
}

// start gives the partition a new owner.
func (w *world) start() error {
	w.link.Take()
	deps := Deps{Store: w.store, Logger: slog.New(slog.DiscardHandler), Trimmer: w.trimmer}
	if w.over != nil {
		deps.Store = w.over
	}
	w.group = &Deduper{opts: w.opts, deps: deps, live: map[int32]int64{}} // New refuses small windows
	w.task = w.group.Task(w.link.Partition(0, 4))
	w.at = w.committed
	_, err := w.task.Recover(context.Background())
	return err
}

// prepare announces the next n records to the Task, as the loop does.
func (w *world) prepare(n int) {
	task, ok := w.task.(streams.Preparer[*schema.Extracted])
	if !ok {
		return
	}
	var list []*streams.Record[*schema.Extracted]
	for offset := w.at; offset < w.at+n; offset++ {
		list = append(list, w.record(offset))
	}
	if err := task.Prepare(context.Background(), list); err != nil {
		w.task.Undo()
	}
}

// handle lets the Task handle the next record, with retries as in the loop.
func (w *world) handle() ([]said, error) {
	before := taken(w)
	if len(before) != 0 {
		return nil, fmt.Errorf("%d sends out of nowhere", len(before))
	}
	r := w.record(w.at)
	for range 50 {
		err := w.task.Handle(context.Background(), r)
		if err == nil {
			break
		}
		w.link.Take()
		w.task.Undo()
		if !errors.Is(err, errRead) && !errors.Is(err, errOvertaken) {
			return nil, err
		}
	}
	var out []said
	for _, s := range taken(w) {
		s.Headers = nil
		out = append(out, said{w.at, s})
	}
	w.at++
	return out, nil
}

var errRead = errors.New("a read failed")

func (w *world) record(offset int) *streams.Record[*schema.Extracted] {
	value := streams.Encode(w.in[offset])
	m := &schema.Extracted{}
	if err := m.UnmarshalVT(value); err != nil {
		panic(err)
	}
	return &streams.Record[*schema.Extracted]{
		Topic: topics.Extracted().Name, Offset: int64(offset), Time: time.UnixMilli(int64(1_000_000 + offset)), Value: m, Bytes: value,
	}
}

// rounds handles all records, n in each round, without crashes.
func (w *world) rounds(n int) error {
	for w.at < len(w.in) {
		w.prepare(min(n, len(w.in)-w.at))
		for range min(n, len(w.in)-w.at) {
			sent, err := w.handle()
			if err != nil {
				return err
			}
			w.out = append(w.out, sent...)
		}
		if err := w.task.Settle(context.Background()); err != nil {
			return err
		}
		w.committed = w.at
	}
	return nil
}

// standing returns the newest record of each key on docs.unique: the documents, and the bytes.
func standing(log []said) (map[string]*schema.Unique, map[string][]byte, error) {
	docs, values := map[string]*schema.Unique{}, map[string][]byte{}
	for _, s := range log {
		if s.Topic != topics.Unique().Name {
			continue
		}
		delete(docs, s.Key)
		delete(values, s.Key)
		if s.Value == nil {
			continue
		}
		u := &schema.Unique{}
		if err := u.UnmarshalVT(s.Value); err != nil {
			return nil, nil, err
		}
		docs[s.Key], values[s.Key] = u, s.Value
	}
	return docs, values, nil
}

// checkDigest compares the fold row with the records on the log.
func (w *world) checkDigest(log []said) error {
	_, values, err := standing(log)
	if err != nil {
		return err
	}
	digest, n := uint64(0), int64(len(values))
	for key, value := range values {
		digest ^= schema.RecordHash(key, value)
	}
	var row schema.FoldRow
	cells, err := w.store.Get(context.Background(), schema.Fold, state.Key{state.Num(0), state.Str("fold")})
	if errors.Is(err, state.ErrNotFound) {
		cells, err = state.Cells{state.Bytes(nil)}, nil
	}
	if err == nil {
		err = row.UnmarshalVT(cells[0].Bytes())
	}
	if err == nil && (row.Digest != digest || row.Documents != n) {
		err = fmt.Errorf("fold row: %x of %d, fold of the log: %x of %d", row.Digest, row.Documents, digest, n)
	}
	return err
}

// taken returns what was sent, without what near was told. That must be the same: of each record of
// docs.unique a sketch, or that it was withdrawn, in the same order and partition.
func taken(w *world) (out []streams.Send) {
	var unique, told []streams.Send
	for _, s := range w.link.Take() {
		switch s.Topic {
		case topics.NearFound().Name:
			told = append(told, s)
			continue
		case topics.Unique().Name:
			unique = append(unique, s)
		}
		out = append(out, s)
	}
	if !slices.EqualFunc(unique, told, sketched) {
		panic(fmt.Sprintf("docs.unique got %v, near.found %v", unique, told))
	}
	return out
}

// sketched reports whether a record of near.found says what one of docs.unique does.
func sketched(unique, told streams.Send) bool {
	m, u := &schema.Near{}, &schema.Unique{}
	if unique.Key != told.Key || unique.Partition != told.Partition || m.UnmarshalVT(told.Value) != nil || u.UnmarshalVT(unique.Value) != nil {
		return false
	}
	return bytes.Equal(m.GetPage().GetSketch(), u.GetDoc().GetSketch())
}
