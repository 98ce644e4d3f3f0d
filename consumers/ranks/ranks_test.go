package ranks

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/consumers/links"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/streams/state/embedded"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type world1 struct {
	t     *testing.T
	store state.Store
	group *Ranks
	rec   *streamstest.Recorder
	task  streams.Task[*schema.OutLinks]
	at    int64
	now   time.Time
}

func newWorld1(t *testing.T) *world1 {
	store, err := embedded.Open(t.TempDir(), embedded.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	g, err := New(DefaultOptions(), Deps{Graph: links.Graph{Store: store}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	w := &world1{t: t, store: store, group: g, now: time.UnixMilli(1e12)}
	w.own()
	return w
}

// own makes a new owner of the partition.
func (w *world1) own() {
	w.t.Helper()
	w.rec = &streamstest.Recorder{}
	w.task = w.group.Task(w.rec.Partition(0, 1))
	if _, err := w.task.Recover(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func rowKey(name string) string { return "test.a:http/" + name }

// page has a page link to others, in its row and on the topic.
func (w *world1) page(name string, to ...string) {
	w.t.Helper()
	w.at++
	id := schema.PageID(rowKey(name))
	row := &schema.PageLinksRow{At: w.at, Rev: w.at, RowKey: rowKey(name), Site: "a.test"}
	out := &schema.HostOut{Host: "test.a", Site: "a.test"}
	for _, x := range to {
		out.Ids, out.Texts, out.Rels = append(out.Ids, schema.PageID(rowKey(x))), append(out.Texts, 0), append(out.Rels, 0)
	}
	row.Hosts = []*schema.HostOut{out}
	st, err := row.MarshalVT()
	if err == nil {
		err = w.store.Write(w.t.Context(), []state.Mutation{{Table: schema.LinkPage, TS: w.at,
			Key: state.Key{state.Num(schema.PageShard(id)), state.Num(int64(id))}, Cells: state.Cells{state.Bytes(st)}}})
	}
	if err == nil {
		err = w.task.Handle(context.Background(), &streams.Record[*schema.OutLinks]{Offset: w.at, Value: outOf(row)})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// rest calls Tick until values are exact, and returns the published values of pages.
func (w *world1) rest() string {
	w.t.Helper()
	w.group.Finish()
	for range 1000 {
		w.now = w.now.Add(time.Second)
		if err := w.task.Tick(w.t.Context(), w.now); err != nil {
			w.t.Fatal(err)
		}
		if w.group.Status().Settled {
			break
		}
	}
	told, err := streamstest.Decode(w.rec.Take(), topics.Ranks())
	if err != nil || !w.group.Status().Settled {
		w.t.Fatalf("settled: %v: %v", w.group.Status(), err)
	}
	last := map[string]string{}
	for _, r := range told {
		if r.RowKey != "" {
			last[r.RowKey] = fmt.Sprintf("%s %.6f", strings.TrimPrefix(r.RowKey, rowKey("")), r.Value)
		}
	}
	var out []string
	for _, name := range []string{"1", "2", "3"} {
		if s, ok := last[rowKey(name)]; ok {
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}

// With Top = 0 exact values are told of no page: only those that differ by the share Differ.
func TestNoExactValuesAreToldOfTheTopNone(t *testing.T) {
	w := newWorld1(t)
	w.group.opts.Top = 0
	w.page("1", "2", "3")
	w.page("2", "1")
	w.page("3")
	if got := w.rest(); !strings.HasPrefix(got, "1 0.4") {
		t.Errorf("told %q", got)
	}
}

func TestExactValuesAreToldWhenTheCrawlRestsAndByANewOwner(t *testing.T) {
	w := newWorld1(t)
	w.page("1", "2", "3")
	w.page("2", "1")
	w.page("3")
	const sample = "1 0.434442, 2 0.334638, 3 0.334638"
	if got := w.rest(); got != sample {
		t.Errorf("told %s, want %s", got, sample)
	}
	if got := w.rest(); got != "" {
		t.Errorf("told again without a change: %s", got)
	}
	w.own() // it reads the graph from the store, and nothing is on its topic here
	if got := w.rest(); got != sample {
		t.Errorf("a new owner told %s, want %s", got, sample)
	}
	w.page("2", "3")
	if got, want := w.rest(), "1 0.150000, 2 0.213750, 3 0.395437"; got != want {
		t.Errorf("after a change told %s, want %s", got, want)
	}
}
