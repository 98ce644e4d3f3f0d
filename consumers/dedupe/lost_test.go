package dedupe

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/embedded"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// asks counts the requests to a broker by their kind.
type asks struct {
	mu sync.Mutex
	n  map[int16]int
}

// OnBrokerWrite implements kgo.HookBrokerWrite.
func (a *asks) OnBrokerWrite(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, _ error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n[key]++
}

// cutting is a partition whose docs.unique is on disk, so that it can be cut.
type cutting struct {
	*tidy
	dir  string
	asks *asks

	brokers []string
	told    int // of w.out, that is on docs.unique
	stop    func()
}

func newCutting(t *testing.T) *cutting {
	s := &scene{t, newWorld(testOptions())}
	s.w.opts.Transactions = false
	c := &cutting{tidy: &tidy{scene: s, now: time.UnixMilli(1 << 40)}, dir: t.TempDir()}
	c.open()
	t.Cleanup(func() { c.stop() })
	return c
}

// open starts the broker, and gives the partition an owner.
func (c *cutting) open() {
	c.Helper()
	b, err := embedded.OpenPort(c.dir, slog.New(slog.DiscardHandler))
	if err != nil {
		c.Fatal(err)
	}
	c.asks = &asks{n: map[int16]int{}}
	kafka := streams.Options{
		Brokers: b.Addrs(), Client: []kgo.Opt{kgo.WithHooks(c.asks), kgo.Dialer((&net.Dialer{}).DialContext)},
		Transactions: c.w.opts.Transactions,
	}
	if err := streams.Provision(c.Context(), kafka, streams.DefaultLayout(true)); err != nil {
		c.Fatal(err)
	}
	c.brokers = b.Addrs()
	if c.log, err = streams.NewLog(kafka); err != nil {
		c.Fatal(err)
	}
	if c.cl, err = kgo.NewClient(kgo.SeedBrokers(kafka.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner())); err != nil {
		c.Fatal(err)
	}
	c.stop = func() { c.cl.Close(); c.log.Close(); b.Close() }
	c.w.link.Reader = c.log
	c.asks.mu.Lock()
	c.asks.n = map[int16]int{}
	c.asks.mu.Unlock()
	if err := c.w.start(); err != nil {
		c.Fatal(err)
	}
}

func (c *cutting) segment() string {
	return filepath.Join(c.dir, "partitions", topics.Unique().Name+"-0", "0.dat")
}

// says handles records, appends to docs.unique what was sent, and compares it.
func (c *cutting) says(want string, in ...*schema.Extracted) {
	c.Helper()
	c.want(want, in...)
	c.append(sendsOf(c.w.out[c.told:]))
	c.told = len(c.w.out)
}

// ticks advances the clock, and compares what was sent.
func (c *cutting) ticks(want string) {
	c.Helper()
	c.now = c.now.Add(proveEvery)
	if err := c.w.task.Tick(c.Context(), c.now); err != nil {
		c.Fatal(err)
	}
	var got []string
	sends := taken(c.w)
	for _, s := range sends {
		got = append(got, inShort(c.T, said{0, s}))
	}
	if got := strings.Join(got, " "); got != want {
		c.Errorf("a tick sent %q, want %q", got, want)
	}
	c.append(sends)
	if err := c.w.task.Settle(c.Context()); err != nil {
		c.Fatal(err)
	}
}

func (c *cutting) wantProof(want bool) {
	c.Helper()
	offset, digest, n, ok, err := Proof(c.Context(), c.w.store, 0)
	if err != nil || ok != want {
		c.Fatalf("a proof: %t, %v; want %t", ok, err, want)
	}
	if !ok {
		return
	}
	row, err := readFold(c.Context(), c.w.store, 0, foldKind)
	if _, end := c.edges(); err != nil || offset != end || digest != row.Digest || n != row.Documents {
		c.Errorf("proved %x of %d before %d; the fold is %x of %d before %d, %v", digest, n, offset, row.Digest, row.Documents, end, err)
	}
	c.wantWhole()
}

func numbered(i int, text string, rev int64) *schema.Extracted {
	return page(fmt.Sprintf("com.example.www:https/%d", i), text, rev)
}

// docs.unique loses its last records; the store keeps its state.
func TestWhatDocsUniqueLostComesAgain(t *testing.T) {
	c := newCutting(t)
	c.says("+https/1=a/ +https/2=b/ +https/3=c/", numbered(1, "a", 1), numbered(2, "b", 1), numbered(3, "c", 1))
	c.stop()
	whole, err := os.Stat(c.segment())
	if err != nil {
		t.Fatal(err)
	}
	c.open()
	c.says("+https/3=new/ +https/4=d/ -https/1", numbered(3, "new", 2), numbered(4, "d", 1), lost("com.example.www:https/1", 2))
	c.ticks("")
	c.wantProof(true)
	c.stop()
	if err := os.Truncate(c.segment(), whole.Size()); err != nil {
		t.Fatal(err)
	}

	c.open()
	c.wantProof(false) // its offset names another record soon
	c.ticks("-https/1 ?https/3 ?https/4")
	c.ticks("")
	c.stop()
	c.open() // ends further on than it was cut: what is lost is known nevertheless
	c.says("", numbered(2, "b", 2))
	c.ticks("?https/3 ?https/4")
	c.wantProof(false)
	c.says("+https/3=new/", numbered(3, "new", 3))
	c.stop()
	c.open()
	c.ticks("?https/4")
	c.says("+https/4=d/", numbered(4, "d", 2))
	c.says("", numbered(3, "new", 4), numbered(4, "d", 3))
	c.ticks("")
	c.wantProof(true)
	c.stop()
	c.open()
	c.ticks("")
	c.wantProof(true)
}

// A lost page that ends is withdrawn, whether its document is still on docs.unique or not.
func TestALostPageThatEndsIsWithdrawn(t *testing.T) {
	c := newCutting(t)
	c.says("+https/1=a/ +https/2=b/", numbered(1, "a", 1), numbered(2, "b", 1))
	c.stop()
	whole, err := os.Stat(c.segment())
	if err != nil {
		t.Fatal(err)
	}
	c.open()
	c.says("+https/1=new/", numbered(1, "new", 2))
	c.stop()
	if err := os.Truncate(c.segment(), whole.Size()); err != nil {
		t.Fatal(err)
	}
	c.open()
	c.says("-https/1", lost("com.example.www:https/1", 3))
	c.ticks("")
	c.wantProof(true)
}

// A new owner asks for the end of docs.unique, and reads no records of it.
func TestADocsUniqueThatIsWholeIsNotRead(t *testing.T) {
	c := newCutting(t)
	c.says("+https/1=a/ +https/2=b/", numbered(1, "a", 1), numbered(2, "b", 1))
	written := func() *schema.UniqueRow {
		row := &schema.UniqueRow{}
		cells, err := c.w.store.Get(t.Context(), schema.Fold, foldKey(0, uniqueKind))
		if err == nil {
			err = row.UnmarshalVT(cells[0].Bytes())
		}
		if err != nil {
			t.Fatal(err)
		}
		return row
	}
	for range 2 {
		c.stop()
		before := written()
		c.open()
		if n := c.asks.n; n[int16(kmsg.Fetch)] != 0 || n[int16(kmsg.ListOffsets)] != 2 { // and of docs.extracted, for proofs
			t.Errorf("an owner began with %v", n)
		}
		c.ticks("")
		if after := written(); before.Seq == 0 || before.End != 2 || after.Seq != before.Seq {
			t.Errorf("the row was %v and is %v", before, after)
		}
	}
	c.says("", numbered(1, "a", 2))
	c.says("+https/3=c/", numbered(3, "c", 1))
}

// A docs.unique that was created anew is empty: the pages in the journal are asked for.
func TestThePagesOfADocsUniqueMadeAnewAreAskedFor(t *testing.T) {
	s := newScene(t, nil)
	kafka := streamstest.Options(t)
	restart := func() string {
		t.Helper()
		log, err := streams.NewLog(kafka)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(log.Close)
		s.w.link.Reader = log
		if err := s.w.start(); err != nil {
			t.Fatal(err)
		}
		if err := s.w.task.Tick(t.Context(), time.UnixMilli(1<<40)); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, send := range taken(s.w) {
			got = append(got, inShort(t, said{0, send}))
		}
		return strings.Join(got, " ")
	}
	restart()
	s.want("+https/1=a/ +https/2=b/ -https/2", numbered(1, "a", 1), numbered(2, "b", 1), lost("com.example.www:https/2", 2))
	streamstest.Remake(t, kafka, topics.Unique().Name)
	if got := restart(); got != "?https/1" {
		t.Errorf("a tick sent %q", got)
	}
	s.want("+https/1=a/", numbered(1, "a", 2))
}

// Records of pages that the journal does not name are lost: each page is published when its
// document comes.
func TestWhatTheJournalDoesNotNameIsPublishedWhenItComes(t *testing.T) {
	c := newCutting(t)
	c.says("+https/1=a/", numbered(1, "a", 1))
	c.stop()
	whole, err := os.Stat(c.segment())
	if err != nil {
		t.Fatal(err)
	}
	c.open()
	c.says("+https/2=b/", numbered(2, "b", 1))
	for i := range c.w.opts.Window {
		c.says("", numbered(1, "a", 2+i))
	}
	c.stop()
	if err := os.Truncate(c.segment(), whole.Size()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c.open()
		c.ticks("")
		c.wantProof(false)
		c.says("", numbered(1, "a", c.w.opts.Window+10))
		c.stop()
	}
	c.open()
	c.says("+https/2=b/", numbered(2, "b", 2))
	c.says("", numbered(2, "b", 3))
	c.stop()
	c.open()
	c.ticks("")
	c.wantProof(true)
}
