package schedule

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"millrace/schema"
	"millrace/topics"
)

// BenchmarkGrowth measures what links and fetches cost when so many URLs are known, ten of each
// host, with the default settings on Pebble: microseconds of CPU of the whole process, garbage
// collection and the store's work in the background included. Then the frontier starts anew, and
// what it remembered is gone: seconds until it sends the first URL and until it knows all hosts,
// the cost of known links again, and the memory of the process. Run it with -benchtime 1x, one size
// at a time: memory is that of the process.
func BenchmarkGrowth(b *testing.B) {
	for _, known := range []int{100_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprint(known), func(b *testing.B) {
			for range b.N {
				newGrowth(b, known).measure()
			}
		})
	}
}

// growth is a frontier with benchLinks URLs of each of many hosts.
type growth struct {
	*world
	b     *testing.B
	hosts int
	draw  *rand.Rand
}

const growthSample = 4000 // records of benchLinks links, and fetches

func newGrowth(b *testing.B, known int) *growth {
	g := &growth{world: benchWorld(b, func(o *Options) { o.Traps = true }), b: b, hosts: known / benchLinks, draw: rand.New(rand.NewPCG(1, 2))}
	for i := range g.hosts {
		g.links(i, "first")
	}
	g.settle(b)
	return g
}

// links hands in a record with benchLinks links to a host.
func (g *growth) links(host int, name string) {
	list := make([]string, benchLinks)
	for n := range list {
		list[n] = fmt.Sprintf(":https/section/%s-%d.html", name, n)
	}
	g.append(linksTo(schema.Host(fmt.Sprintf("com.site%d", host)), list...))
	g.handleAll()
}

// handleAll handles what was appended, as the loop does: the state is written after 500 records.
func (g *growth) handleAll() {
	for ; g.committed < len(g.in); g.committed++ {
		if err := g.task.Handle(context.Background(), g.in[g.committed]); err != nil {
			g.b.Fatal(err)
		}
		if g.in[g.committed] = nil; g.committed%500 == 499 {
			g.settle(g.b)
		}
	}
}

func (g *growth) measure() {
	g.b.ReportMetric(g.sample(func(i int) { g.links(g.hosts+i, "first") }), "us/link-of-new-host")
	g.b.ReportMetric(g.sample(func(int) { g.links(g.draw.IntN(g.hosts), "second") }), "us/new-link")
	drawn := make([]int, growthSample)
	for i := range drawn {
		drawn[i] = g.draw.IntN(g.hosts)
	}
	known := func(i int) { g.links(drawn[i], "first") }
	g.b.ReportMetric(g.sample(known), "us/known-link")
	g.b.ReportMetric(g.fetches(), "us/fetch")
	g.again()
	g.b.ReportMetric(g.sample(known), "us/known-link-after-start")
	g.b.ReportMetric(g.fetches(), "us/fetch-after-start")
	runtime.GC()
	g.b.ReportMetric(resident(g.b), "MB-resident")
}

// sample returns the microseconds of CPU of a link.
func (g *growth) sample(record func(i int)) float64 {
	began := cpu(g.b)
	for i := range growthSample {
		record(i)
	}
	g.settle(g.b)
	return float64((cpu(g.b) - began).Microseconds()) / (growthSample * benchLinks)
}

// fetches returns the microseconds of CPU from the emission of a URL to the write of its digest.
func (g *growth) fetches() float64 {
	began, sent := cpu(g.b), 0
	for sent < 2*growthSample {
		n := g.fetchSome()
		if n == 0 {
			g.b.Fatalf("nothing is sent after %d", sent)
		}
		sent += n
	}
	return float64((cpu(g.b) - began).Microseconds()) / float64(sent)
}

// fetchSome lets the frontier send URLs once and answers them. It returns how many.
func (g *growth) fetchSome() int {
	if err := g.task.Tick(context.Background(), g.clock); err != nil {
		g.b.Fatal(err)
	}
	sent := 0
	for _, s := range g.link.Take() {
		if s.Topic != topics.Scheduled().Name {
			g.deliver(s)
			continue
		}
		sent++
		m := decode(g.b, s, topics.Scheduled())
		host := string(schema.RowKey(m.RowKey).Host())
		g.append(&schema.Discovered{Host: host, Body: &schema.Discovered_Outcome{Outcome: &schema.Outcome{RowKey: m.RowKey, Rev: m.Rev,
			Result: schema.Outcome_OK, HttpStatus: 200, FetchedAt: m.ScheduledAt}}})
		g.append(&schema.Discovered{Host: host, Body: &schema.Discovered_Digest{Digest: &schema.Digest{RowKey: m.RowKey, Rev: m.Rev,
			TextHash: []byte(m.RowKey), Useful: true}}})
	}
	g.handleAll()
	g.settle(g.b)
	return sent
}

// again starts the frontier anew, until it sends and knows all hosts.
func (g *growth) again() {
	began, sent := time.Now(), false
	g.start()
	for !g.task.ledger.counts.whole || !sent {
		if g.fetchSome() > 0 && !sent {
			sent = true
			g.b.ReportMetric(time.Since(began).Seconds(), "s-to-first-emission")
		}
	}
	g.b.ReportMetric(time.Since(began).Seconds(), "s-to-all-hosts")
}

// resident is the memory of this process in MB.
func resident(b *testing.B) float64 {
	status, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Fatal(err)
	}
	pages, err := strconv.Atoi(string(bytes.Fields(status)[1]))
	if err != nil {
		b.Fatal(err)
	}
	return float64(pages*os.Getpagesize()) / (1 << 20)
}

// cpu is the processor time of this process so far.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
