package index

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/consumers/index/shard"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// lateRow is a row of links that is written some time after its record was appended.
type lateRow struct {
	mu     sync.Mutex
	stamp  int64
	misses int
	missed chan struct{} // closed when the row was looked for before it was there
}

func (l *lateRow) of(_ context.Context, keys []string) (map[string]Anchored, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]Anchored{}
	for _, k := range keys {
		if l.stamp > 0 {
			out[k] = Anchored{Anchors: []shard.Anchor{{Text: "kingfisher", Sites: 1}}, Stamp: l.stamp}
		}
	}
	if l.misses++; l.stamp == 0 && l.misses == 3 {
		close(l.missed)
	}
	return out, nil
}

// links appends its record before it writes its row. Whoever reads the record in between waits for
// the row; no timer panics over it.
func TestTextsOfLinksWaitForTheirRow(t *testing.T) {
	w := newWorld(t)
	w.put("com.example.www:https/1", "Page one", "a text about mills")
	row := &lateRow{missed: make(chan struct{})}
	w.deps.Anchors, w.opts.LookEvery = row.of, time.Millisecond
	r := &kgo.Record{Topic: topics.Links().Name, Partition: topics.Partition("com.example.www:https/1", partitions),
		Key: []byte("com.example.www:https/1"), Value: streams.Encode(&schema.InLinks{RowKey: "com.example.www:https/1", Stamp: 7})}
	if err := w.cl.ProduceSync(t.Context(), r).FirstErr(); err != nil {
		t.Fatal(err)
	}
	s := w.open()
	g, err := topics.GroupNamed("index")
	if err != nil {
		t.Fatal(err)
	}
	cfg := streamstest.Config(w.kafka)
	stop := streamstest.Start(t, cfg, g, topics.Unique(), s.Task)
	defer stop()
	w.caughtUp(s)
	<-row.missed
	if n := cfg.Meter.Value("index", "failed_ticks", "panic"); n > 0 {
		t.Fatalf("%d timers panicked", n)
	}
	row.mu.Lock()
	row.stamp = 7
	row.mu.Unlock()
	for found(t, s, "kingfisher") == nil {
		select {
		case <-s.Moved():
		case <-t.Context().Done():
			t.Fatal("the texts never came")
		}
	}
}
