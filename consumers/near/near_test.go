package near

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/consumers/sketch"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/streams/state/embedded"
	"millrace/streams/state/statetest"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const partitions = 4

// world is the group over all partitions of near.found, with the topic near as a table.
type world struct {
	t     *testing.T
	r     *rand.Rand
	store state.Store
	group *Near
	logs  [partitions][]*schema.Near
	times [partitions][]int64
	clock int64
	done  [partitions]int // records before it are committed
	table map[string]*schema.NearPages
}

func newWorld(t *testing.T, seed uint64) *world {
	store, err := embedded.Open(t.TempDir(), embedded.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	group, err := New(DefaultOptions(), Deps{store})
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, r: rand.New(rand.NewPCG(seed, 1)), store: store, group: group, table: map[string]*schema.NearPages{}}
}

// round lets a new owner of a partition handle some records. It may crash before its rows are
// written: what it sent stays.
func (w *world) round(p int, crash bool) {
	rec := &streamstest.Recorder{}
	task := w.group.Task(rec.Partition(int32(p), partitions))
	end := w.done[p] + w.r.IntN(len(w.logs[p])-w.done[p]) + 1
	var round []*streams.Record[*schema.Near]
	for i := w.done[p]; i < end; i++ {
		round = append(round, &streams.Record[*schema.Near]{Offset: int64(i), Time: time.UnixMilli(w.times[p][i]), Value: w.logs[p][i].CloneVT()})
	}
	counting := &statetest.Counting{Store: w.store}
	task.(*preparing).rows.store.Store = counting
	if err := task.(*preparing).Prepare(w.t.Context(), round); err != nil {
		w.t.Fatal(err)
	}
	for _, r := range round {
		if err := task.Handle(w.t.Context(), r); err != nil {
			w.t.Fatal(err)
		}
	}
	if counting.Gets > 0 || counting.Alls > 2 {
		w.t.Fatalf("%d rows of a round read one by one, and %d requests for the others", counting.Gets, counting.Alls)
	}
	w.keep(rec.Take())
	if crash {
		return
	}
	if err := task.Settle(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.done[p] = end
}

// keep appends what was sent.
func (w *world) keep(sends []streams.Send) {
	for _, s := range sends {
		to := s.Partition
		if to == streams.AnyPartition {
			to = topics.Partition(s.Route, partitions)
		}
		if s.Topic == topics.Near().Name {
			w.told(s, to)
			continue
		}
		m := &schema.Near{}
		if err := m.UnmarshalVT(s.Value); err != nil {
			w.t.Fatal(err)
		}
		w.add(to, m)
	}
}

func (w *world) told(s streams.Send, to int32) {
	delete(w.table, s.Key)
	if s.Value == nil {
		return
	}
	m := &schema.NearPages{}
	if err := m.UnmarshalVT(s.Value); err != nil {
		w.t.Fatal(err)
	}
	if topics.Partition(m.Site, partitions) != to {
		w.t.Errorf("%s of %s was told in partition %d", s.Key, m.Site, to)
	}
	w.table[s.Key] = m
}

// publish appends what dedupe tells of a document.
func (w *world) publish(key string, rev int64, s []byte) {
	site := string(schema.SiteOf(schema.RowKey(key).Host().Name()))
	p := topics.Partition(site, partitions)
	w.add(p, &schema.Near{Body: &schema.Near_Page{Page: &schema.Sketch{RowKey: key, Site: site, Rev: rev, Sketch: s}}})
}

// add appends a record, at a time that two others may have, too.
func (w *world) add(p int32, m *schema.Near) {
	w.clock++
	w.logs[p], w.times[p] = append(w.logs[p], m), append(w.times[p], w.clock/3)
}

// rest handles records in a drawn order of partitions until nothing is left.
func (w *world) rest(crashes bool) {
	for {
		var open []int
		for p := range w.logs {
			if w.done[p] < len(w.logs[p]) {
				open = append(open, p)
			}
		}
		if len(open) == 0 {
			return
		}
		w.round(open[w.r.IntN(len(open))], crashes && w.r.IntN(4) == 0)
	}
}

// textOf returns the sketch of one of a few texts; variants of one are near each other.
func textOf(text, variant int) []byte {
	var m sketch.Maker
	r := rand.New(rand.NewPCG(uint64(text), 9))
	for i := range 300 {
		word := r.Uint64()
		if i == 20*variant {
			word = uint64(variant)
		}
		m.Add(word)
	}
	return m.Sketch()
}

func keyOf(i int) string {
	return fmt.Sprintf("com.site%d:https/page/%02d", i%7, i)
}

// TestTableIsWhatIsNear protects the promise: whatever is published, changed and withdrawn, in
// whichever order partitions hear of it and however often a round is repeated after a crash, at
// rest the table names those documents whose sketches share a band and are near each other.
func TestTableIsWhatIsNear(t *testing.T) {
	for seed := range uint64(8) {
		w := newWorld(t, seed)
		now, pages := map[string][]byte{}, map[string]bool{}
		since := map[string]int64{}
		for rev := range int64(60) {
			key := keyOf(w.r.IntN(12))
			var s []byte
			if w.r.IntN(4) > 0 {
				s = textOf(w.r.IntN(3), w.r.IntN(3))
			}
			w.publish(key, rev+1, s)
			if string(now[key]) != string(s) {
				since[key] = w.clock / 3
			}
			now[key], pages[key] = s, true
			if w.r.IntN(3) == 0 {
				w.rest(true)
			}
		}
		w.rest(true)
		if len(w.table) == 0 {
			t.Fatalf("seed %d: nothing is near anything", seed)
		}
		for key := range pages {
			want := expected(now, since, key)
			var got []string
			for _, p := range w.table[key].GetPages() {
				got = append(got, p.RowKey)
			}
			if !slices.Equal(got, want) {
				t.Errorf("seed %d: near %s are %v, want %v", seed, key, got, want)
			}
			if len(want) > 0 && w.table[key].Cluster != first(since, key, want[0]) {
				t.Errorf("seed %d: %s is in cluster %s", seed, key, w.table[key].Cluster)
			}
			stored, err := Of(t.Context(), w.store, key)
			if err != nil || len(stored.GetPages()) != len(want) {
				t.Errorf("seed %d: the row of %s has %d, %v", seed, key, len(stored.GetPages()), err)
			}
		}
	}
}

// first returns which of two documents was published first.
func first(since map[string]int64, a, b string) string {
	if since[a] < since[b] || since[a] == since[b] && a < b {
		return a
	}
	return b
}

func expected(now map[string][]byte, since map[string]int64, key string) (near []string) {
	for _, other := range slices.Sorted(maps.Keys(now)) {
		_, shared := sketch.FirstShared(now[key], now[other])
		if other != key && shared && sketch.Similarity(now[key], now[other]) >= sketch.Near {
			near = append(near, other)
		}
	}
	slices.SortFunc(near, func(a, b string) int {
		if first(since, a, b) == a {
			return -1
		}
		return 1
	})
	return near
}

// TestOneTextOnManySites protects bounded rows and records: of a text that 80 sites have, each
// document learns of 16 at most, all are in one cluster, and what a document costs does not grow.
func TestOneTextOnManySites(t *testing.T) {
	w := newWorld(t, 1)
	order := w.r.Perm(80)
	for n, i := range order {
		w.publish(fmt.Sprintf("com.mirror%03d:https/licence", i), 1, textOf(1, 0))
		if n%8 == 0 {
			w.rest(false)
		}
	}
	w.rest(false)
	if len(w.table) != 80 {
		t.Fatalf("%d documents have near-duplicates", len(w.table))
	}
	for key, m := range w.table {
		if m.Cluster != fmt.Sprintf("com.mirror%03d:https/licence", order[0]) || len(m.Pages) != 16 {
			t.Errorf("%s: cluster %s of %d", key, m.Cluster, len(m.Pages))
		}
	}
	records := 0
	for _, log := range w.logs {
		records += len(log)
	}
	if records > 80*20 {
		t.Errorf("%d records for 80 documents", records)
	}
}

// TestLateVersionChangesNothing protects from a member that was replaced: what it appends late,
// bands and matches of an old version, is corrected.
func TestLateVersionChangesNothing(t *testing.T) {
	w := newWorld(t, 2)
	a, b := keyOf(1), keyOf(2)
	w.publish(a, 1, textOf(1, 0))
	w.publish(b, 1, textOf(1, 0))
	w.rest(false)
	if len(w.table) != 2 {
		t.Fatalf("%d documents have near-duplicates", len(w.table))
	}
	var late [partitions][]*schema.Near
	for p, log := range w.logs {
		for _, m := range log {
			if m.GetPage() == nil {
				late[p] = append(late[p], m)
			}
		}
	}
	w.publish(a, 2, textOf(2, 0))
	w.publish(a, 1, textOf(1, 0)) // an older version
	w.rest(false)
	for p := range late {
		for _, m := range late[p] {
			w.add(int32(p), m)
		}
	}
	w.rest(false)
	if len(w.table) != 0 {
		t.Errorf("an old version is near: %v", w.table)
	}
	c := keyOf(3)
	w.publish(c, 1, textOf(1, 0)) // meets the old version in the bands
	w.rest(false)
	for _, key := range []string{a, b, c} {
		want := map[string]string{b: c, c: b}[key]
		if pages := w.table[key].GetPages(); len(pages) > 1 || len(pages) == 1 && pages[0].RowKey != want || len(pages) == 0 && want != "" {
			t.Errorf("near %s are %v", key, pages)
		}
	}
}

// FuzzHandle protects the group from records that others wrote: each is handled or a dead letter.
func FuzzHandle(f *testing.F) {
	whole := &schema.Near{Body: &schema.Near_Bands{Bands: &schema.Bands{RowKey: keyOf(1), Site: "site1.com", Sketch: textOf(1, 1),
		Version: 3, Join: sketch.Bands(textOf(1, 1)), Leave: []uint64{1, 1}}}}
	f.Add(streams.Encode(whole))
	f.Add(streams.Encode(&schema.Near{Body: &schema.Near_Match{Match: &schema.Match{RowKey: keyOf(1), Site: "x", Pages: []*schema.Nearby{{}}}}}))
	f.Add(streams.Encode(&schema.Near{Body: &schema.Near_Page{Page: &schema.Sketch{RowKey: "\x00", Site: ""}}}))
	f.Add(binary.AppendUvarint(nil, 10))
	f.Fuzz(func(t *testing.T, b []byte) {
		m := &schema.Near{}
		if m.UnmarshalVT(b) != nil {
			return
		}
		store, err := embedded.Open(t.TempDir(), embedded.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = store.Close() }()
		group, err := New(DefaultOptions(), Deps{store})
		if err != nil {
			t.Fatal(err)
		}
		task := group.Task((&streamstest.Recorder{}).Partition(0, partitions))
		for offset := range int64(2) {
			err := task.Handle(context.Background(), &streams.Record[*schema.Near]{Offset: offset, Value: m})
			var dead *streams.DeadLetterError
			if err != nil && !errors.As(err, &dead) {
				t.Fatal(err)
			}
		}
		if err := task.Settle(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
}
