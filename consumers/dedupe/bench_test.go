package dedupe

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state/embedded"
	"millrace/streams/streamstest"
)

// round is how many records the loop hands over at a time in these benchmarks.
const round = 250

// BenchmarkDoc measures the CPU time of a document of 3 KB on the embedded store,
// in rounds of 250: one not seen before, one of a text that is published, one that
// comes again unchanged.
func BenchmarkDoc(b *testing.B) {
	for _, transactions := range []bool{false, true} {
		for _, kind := range []string{"new", "twin", "unchanged"} {
			b.Run(fmt.Sprintf("%s/transactions=%t", kind, transactions), func(b *testing.B) {
				benchmark(b, kind, transactions)
			})
		}
	}
}

func benchmark(b *testing.B, kind string, transactions bool) {
	store, err := embedded.Open(b.TempDir(), embedded.DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	opts := DefaultOptions()
	opts.Transactions, opts.ReadAhead = transactions, transactions
	group, err := New(opts, Deps{Store: store, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	link := &streamstest.Recorder{}
	r := &runner{b: b, link: link, task: group.Task(link.Partition(0, 4))}
	if _, err := r.task.Recover(b.Context()); err != nil {
		b.Fatal(err)
	}
	if kind != "new" {
		for i := range b.N {
			r.handle(article(i, "a", 1))
		}
	}
	list := make([]*schema.Extracted, b.N)
	for i := range list {
		switch kind {
		case "twin":
			list[i] = article(i, "b", 1)
		case "unchanged":
			list[i] = article(i, "a", 2)
		default:
			list[i] = article(i, "a", 1)
		}
	}
	began := cpu()
	b.ResetTimer()
	for _, x := range list {
		r.handle(x)
	}
	r.settle()
	b.ReportMetric(float64((cpu()-began).Microseconds())/float64(b.N), "cpu-us/doc")
}

type runner struct {
	b      *testing.B
	link   *streamstest.Recorder
	task   streams.Task[*schema.Extracted]
	offset int64
}

func (r *runner) handle(x *schema.Extracted) {
	rec := &streams.Record[*schema.Extracted]{Offset: r.offset, Time: time.UnixMilli(r.offset), Value: x}
	if err := r.task.Handle(context.Background(), rec); err != nil {
		r.b.Fatal(err)
	}
	if r.offset++; r.offset%round == 0 {
		r.settle()
	}
}

func (r *runner) settle() {
	r.link.Take()
	if err := r.task.Settle(context.Background()); err != nil {
		r.b.Fatal(err)
	}
}

func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// article is document i of a news site, on host a or b.
func article(i int, host string, rev int64) *schema.Extracted {
	key := fmt.Sprintf("com.example.%s:https/2024/05/some-title-of-an-article-%d", host, i)
	text := prose(i)
	hash := sha256.Sum256([]byte(text))
	return &schema.Extracted{Body: &schema.Extracted_Doc{Doc: &schema.Doc{
		RowKey: key, Url: schema.RowKey(key).URL(), Host: host + ".example.com", Site: "example.com",
		Rev: 1700000000000 + rev, Edition: 1, Title: "Some title of an article", Text: text, Summary: text[:200],
		Author: "A. Writer", Lang: "en", PublishedAt: 1700000000000, TextHash: hash[:16], Simhash: uint64(i) * 0x9e3779b97f4a7c15,
		Directives: &schema.Directives{}, Fit: true, Score: 0.5, Depth: 3, Kind: schema.Kind_PAGE,
		DiscoveredAt: 1700000000000, FetchedAt: 1700000000000 + rev, ExtractedAt: 1700000000000 + rev,
	}}}
}

func prose(i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	var s strings.Builder
	for s.Len() < 3000 {
		for range 2 + r.IntN(8) {
			s.WriteByte(byte('a' + r.IntN(16)))
		}
		s.WriteByte(' ')
	}
	return s.String()
}
