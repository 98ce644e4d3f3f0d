package schedule

import (
	"context"
	"fmt"
	"testing"
	"time"

	"millrace/schema"
	"millrace/streams/state/embedded"
	"millrace/topics"
)

// benchWorld is a frontier on Pebble that owns all hosts.
func benchWorld(b *testing.B, change func(*Options)) *world {
	store, err := embedded.Open(b.TempDir(), embedded.DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	w := newWorldOn(b, store, 1, func(o *Options) {
		o.Delay = 0
		if change != nil {
			change(o)
		}
	})
	w.run()
	return w
}

const benchHosts, benchLinks = 1000, 10

// benchRecord is the i-th message of so many links, to one of benchHosts hosts.
func benchRecord(i int) *schema.Discovered {
	var list []string
	for n := range benchLinks {
		list = append(list, fmt.Sprintf(":https/section/article-%d-%d.html", i/benchHosts, n))
	}
	return linksTo(schema.Host(fmt.Sprintf("com.example.h%d", i%benchHosts)), list...)
}

// handle handles n messages, settling every 500 records, as the loop does.
func (w *world) handle(b *testing.B, from, n int) {
	ctx := context.Background()
	for i := range n {
		w.append(benchRecord(from + i))
		if err := w.task.Handle(ctx, w.in[len(w.in)-1]); err != nil {
			b.Fatal(err)
		}
		if i%500 == 499 || i == n-1 {
			w.settle(b)
		}
	}
	w.committed = len(w.in)
}

func (w *world) settle(b *testing.B) {
	w.link.Take()
	if err := w.task.Settle(context.Background()); err != nil {
		b.Fatal(err)
	}
}

func perLink(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/benchLinks, "us/link")
}

func BenchmarkNewLink(b *testing.B) {
	w := benchWorld(b, nil)
	b.ResetTimer()
	w.handle(b, 0, b.N)
	perLink(b)
}

func BenchmarkKnownLink(b *testing.B) {
	for name, cache := range map[string]int{"cached": 1 << 20, "read": 1} {
		b.Run(name, func(b *testing.B) {
			w := benchWorld(b, func(o *Options) { o.SeenCache = cache })
			w.handle(b, 0, 5000)
			b.ResetTimer()
			for i := 0; i < b.N; i += 5000 {
				w.handle(b, 0, min(5000, b.N-i))
			}
			perLink(b)
		})
	}
}

// BenchmarkFetch is one URL from its emission to the write of its outcome.
func BenchmarkFetch(b *testing.B) {
	w := benchWorld(b, nil)
	w.handle(b, 0, b.N/benchLinks+benchHosts)
	ctx := context.Background()
	var emit, outcome, settle time.Duration
	b.ResetTimer()
	for done := 0; done < b.N; {
		start := time.Now()
		if err := w.task.Tick(ctx, w.clock); err != nil {
			b.Fatal(err)
		}
		emit += time.Since(start)
		start = time.Now()
		sent := w.link.Take()
		for _, s := range sent {
			m := decode(b, s, topics.Scheduled())
			w.append(&schema.Discovered{Host: string(schema.RowKey(m.RowKey).Host()), Body: &schema.Discovered_Outcome{
				Outcome: &schema.Outcome{RowKey: m.RowKey, Rev: m.Rev, Result: schema.Outcome_OK, HttpStatus: 200, FetchedAt: m.ScheduledAt}}})
			if err := w.task.Handle(ctx, w.in[len(w.in)-1]); err != nil {
				b.Fatal(err)
			}
		}
		outcome += time.Since(start)
		start = time.Now()
		w.settle(b)
		settle += time.Since(start)
		if done += len(sent); len(sent) == 0 {
			b.Fatalf("nothing emitted after %d", done)
		}
	}
	n := float64(b.N)
	b.ReportMetric(float64(emit.Microseconds())/n, "us/emission")
	b.ReportMetric(float64(outcome.Microseconds())/n, "us/outcome")
	b.ReportMetric(float64(settle.Microseconds())/n, "us/settle")
}
