package fetch

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state/embedded"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// TestTheGroupOnARealBrokerAndSockets: records in, requests out, one at a time per host and a delay
// apart, records done, through a change of the member.
func TestTheGroupOnARealBrokerAndSockets(t *testing.T) {
	const hosts, pages = 5, 8
	delay := 30 * time.Millisecond
	var origin busy
	srv := httptest.NewServer(&origin)
	defer srv.Close()
	opts := streamstest.Options(t)
	store, err := embedded.Open(t.TempDir(), embedded.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	o := DefaultOptions()
	o.Delay, o.Web.AllowPrivate = delay, true
	o.Web.Resolve = []string{"*.test=" + srv.Listener.Addr().String()}
	g, err := topics.GroupNamed(Group)
	if err != nil {
		t.Fatal(err)
	}
	produce(t, opts, hosts, pages)
	// The first member leaves after a while, the second takes over.
	leave := runMember(t, opts, g, o, store)
	awaitOutcomes(t, opts, hosts*pages/3)
	leave()
	leave = runMember(t, opts, g, o, store)
	starts := awaitOutcomes(t, opts, hosts*pages)
	leave()
	for host, list := range starts {
		slices.Sort(list)
		for i := 1; i < len(list); i++ {
			if gap := list[i] - list[i-1]; gap < delay.Milliseconds() {
				t.Errorf("%s: starts %d ms apart", host, gap)
			}
		}
	}
	if origin.most > 1 {
		t.Errorf("%d requests of one host at once", origin.most)
	}
}

func runMember(t *testing.T, opts streams.Options, g topics.Group, o Options, store *embedded.Store) (leave func()) {
	t.Helper()
	f, err := New(o, Deps{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	stop := streamstest.Start(t, streamstest.Config(opts), g, topics.Scheduled(), f.Task)
	return func() {
		stop()
		f.Close()
	}
}

func produce(t *testing.T, opts streams.Options, hosts, pages int) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(opts.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	topic := topics.Scheduled()
	for i := range hosts * pages {
		u, err := new(schema.Canonicalizer).Parse(fmt.Sprintf("http://h%d.test/%d", i%hosts, i))
		if err != nil {
			t.Fatal(err)
		}
		s := &schema.Scheduled{
			RowKey: string(u.RowKey()), Url: u.String(), Site: string(u.Site()), Kind: schema.Kind_PAGE, Rev: 1, PoliteKey: string(u.Host()),
		}
		rec := &kgo.Record{Topic: topic.Name, Partition: topics.Partition(s.PoliteKey, 4), Key: []byte(s.PoliteKey), Value: streams.Encode(s)}
		if err := cl.ProduceSync(t.Context(), rec).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

// awaitOutcomes waits for n URLs with an outcome and returns the start times by host, in ms.
func awaitOutcomes(t *testing.T, opts streams.Options, n int) map[string][]int64 {
	t.Helper()
	starts := map[string][]int64{}
	seen := map[string]bool{}
	streamstest.Tail(t, opts, topics.Discovered().Name, func(r *kgo.Record) bool {
		d := new(schema.Discovered)
		if err := d.UnmarshalVT(r.Value); err != nil {
			t.Error(err)
			return true
		}
		o := d.GetOutcome()
		if o == nil {
			return false
		}
		if o.Result != schema.Outcome_OK {
			t.Errorf("outcome %v", o)
		}
		starts[d.Host] = append(starts[d.Host], o.FetchedAt)
		seen[o.RowKey] = true
		return len(seen) >= n
	})
	return starts
}

// busy is a server of many hosts that counts how many requests of one host it has at a time.
type busy struct {
	mu   sync.Mutex
	now  map[string]int
	most int
}

func (b *busy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	b.count(host, 1)
	defer b.count(host, -1)
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	fmt.Fprintf(w, "<p>%s%s", host, r.URL.Path)
}

func (b *busy) count(host string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.now == nil {
		b.now = map[string]int{}
	}
	b.now[host] += n
	b.most = max(b.most, b.now[host])
}
