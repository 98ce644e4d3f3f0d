package schedule

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
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

// BenchmarkGrowth measures the CPU time of links and emissions in the whole process, garbage
// collection and the store's work in the background included, when so many URLs are known, and its
// memory. Run it with -benchtime 1x.
func BenchmarkGrowth(b *testing.B) {
	const sample = 4000 // records of benchLinks links
	for _, known := range []int{100_000, 300_000, 1_000_000} {
		b.Run(fmt.Sprint(known), func(b *testing.B) {
			for range b.N {
				w := benchWorld(b, func(o *Options) { o.SeenCache = 1 })
				measure := func(what string, from int) {
					began := cpu(b)
					for i := from; i < from+sample; i += 500 {
						w.forgetful(b, i, 500)
					}
					b.ReportMetric(float64((cpu(b)-began).Microseconds())/(sample*benchLinks), what)
				}
				for i := 0; i < known/benchLinks; i += 500 {
					w.forgetful(b, i, 500)
				}
				measure("cpu-us/new-link", known/benchLinks)
				measure("cpu-us/known-link", 0)
				began, sent := cpu(b), 0
				for sent < sample*benchLinks/4 {
					if err := w.task.Tick(context.Background(), w.clock); err != nil {
						b.Fatal(err)
					}
					list := w.link.Take()
					if sent += len(list); len(list) == 0 {
						break
					}
					for _, s := range list {
						m := decode(b, s, topics.Scheduled())
						w.append(&schema.Discovered{Host: string(schema.RowKey(m.RowKey).Host()), Body: &schema.Discovered_Outcome{
							Outcome: &schema.Outcome{RowKey: m.RowKey, Rev: m.Rev, Result: schema.Outcome_OK, HttpStatus: 200, FetchedAt: m.ScheduledAt}}})
						if err := w.task.Handle(context.Background(), w.in[len(w.in)-1]); err != nil {
							b.Fatal(err)
						}
						w.in[len(w.in)-1].Value = nil
					}
					w.settle(b)
				}
				b.ReportMetric(float64((cpu(b)-began).Microseconds())/float64(max(sent, 1)), "cpu-us/fetch")
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.HeapInuse)/(1<<20), "MB-heap")
			}
		})
	}
}

// forgetful is handle without keeping the records.
func (w *world) forgetful(b *testing.B, from, n int) {
	first := len(w.in)
	w.handle(b, from, n)
	for _, r := range w.in[first:] {
		r.Value = nil
	}
}

// cpu is the processor time of this process so far.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
