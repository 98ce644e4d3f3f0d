package fetch

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"millrace/consumers/fetch/web"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func TestMain(m *testing.M) {
	if spec := os.Getenv(memberEnv); spec != "" {
		fmt.Fprintln(os.Stderr, childMember(spec))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// origin is the web in virtual time: it answers after a while and keeps when requests arrived.
type origin struct {
	mu      sync.Mutex
	answer  func(r web.Request, path string) web.Result // what a URL gives; Elapsed is how long it takes
	hits    []hit
	flying  map[string]int
	dial    time.Duration                   // between the decision to ask and the request
	onWay   func(path string) time.Duration // from the request's last byte here to its arrival; nil: none
	addr    netip.Addr                      // where all hosts are
	list    []netip.Addr                    // the same, with several addresses
	where   func(host string) netip.Addr    // the same, by host
	writing func()                          // between the permission to write and the request; nil: nothing
	lookup  error                           // of every name; nil: they resolve
	connect func(netip.Addr) error          // whether an address can be connected to; nil: all can
	over    []string                        // hosts that had two requests at once
}

type hit struct {
	host, path string
	at         time.Time
	request    web.Request
}

// Do implements asker as web.Client does: MayWrite is asked at the moment of writing.
func (o *origin) Do(ctx context.Context, r web.Request) *web.Result {
	u, err := url.Parse(r.URL)
	if err != nil {
		return &web.Result{Err: &web.Error{Kind: web.KindURL, Err: err}}
	}
	if !pause(ctx, o.dialling()) {
		return &web.Result{Err: &web.Error{Kind: web.KindCanceled, Err: ctx.Err()}}
	}
	o.mu.Lock()
	connect := o.connect
	o.mu.Unlock()
	if connect != nil {
		if err := connect(r.Addr); err != nil {
			return &web.Result{Err: &web.Error{Kind: web.KindConnect, Err: err}}
		}
	}
	if err := r.MayWrite(); err != nil {
		return &web.Result{Err: &web.Error{Kind: web.KindRefused, Err: err}}
	}
	if o.writing != nil {
		o.writing()
	}
	started := time.Now()
	if o.onWay != nil && !pause(ctx, o.onWay(u.RequestURI())) {
		return &web.Result{Written: true, Started: started, Err: &web.Error{Kind: web.KindCanceled, Err: ctx.Err()}}
	}
	o.mu.Lock()
	o.hits = append(o.hits, hit{u.Host, u.RequestURI(), time.Now(), r})
	if o.flying[u.Host]++; o.flying[u.Host] > 1 {
		o.over = append(o.over, u.Host)
	}
	res := o.answer(r, u.RequestURI())
	o.mu.Unlock()
	res.Written, res.Started, res.Answered, res.Addr = true, started, time.Now(), o.addr
	if res.Header == nil {
		res.Header = http.Header{}
	}
	if !pause(ctx, res.Elapsed) {
		res.Err = &web.Error{Kind: web.KindCanceled, Err: ctx.Err()}
	}
	o.mu.Lock()
	o.flying[u.Host]--
	o.mu.Unlock()
	return &res
}

func (o *origin) dialling() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.dial
}

// all lists the requests so far.
func (o *origin) all() []hit {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.hits)
}

// set changes the web while it is being asked.
func (o *origin) set(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
}

func pause(ctx context.Context, d time.Duration) bool {
	if d == 0 {
		return ctx.Err() == nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Lookup gives each host an address of its own, or all the same.
func (o *origin) Lookup(_ context.Context, host string) ([]netip.Addr, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.lookup != nil:
		return nil, o.lookup
	case o.addr.IsValid():
		return []netip.Addr{o.addr}, nil
	case o.list != nil:
		return o.list, nil
	case o.where != nil && o.where(host).IsValid():
		return []netip.Addr{o.where(host)}, nil
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(host))
	n := h.Sum32()
	return []netip.Addr{netip.AddrFrom4([4]byte{20, byte(n >> 16), byte(n >> 8), byte(n)})}, nil
}

func (o *origin) Mapped(string) bool { return false }

func (o *origin) Close() {}

// paths lists what a host was asked for, in order.
func (o *origin) paths(host string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []string
	for _, h := range o.hits {
		if h.host == host {
			out = append(out, h.path)
		}
	}
	return strings.Join(out, " ")
}

// rows is a store of one table in memory: of two writes the higher timestamp wins.
type rows struct {
	state.Store // what fetch does not call is not there
	mu          sync.Mutex
	cells       map[string]state.Mutation
	writes      int
}

func (s *rows) Get(_ context.Context, _ *schema.Table, key state.Key) (state.Cells, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := s.cells[key[0].Str()]
	if !ok {
		return nil, state.ErrNotFound
	}
	return m.Cells, nil
}

func (s *rows) Write(_ context.Context, groups ...[]state.Mutation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range groups {
		for _, m := range g {
			if err := m.Check(); err != nil {
				return err
			}
			s.writes++
			if old, ok := s.cells[m.Key[0].Str()]; !ok || old.TS < m.TS {
				s.cells[m.Key[0].Str()] = m
			}
		}
	}
	return nil
}

// link is a Recorder whose answers can change while the group works.
type link struct {
	streamstest.Recorder
	stale, waiting, easing atomic.Bool
}

func (l *link) Fresh() bool  { return !l.stale.Load() }
func (l *link) Behind() bool { return l.waiting.Load() }

// BehindOn implements streams.Link.
func (l *link) Eased() bool          { return l.easing.Load() }
func (l *link) Full() bool           { return false }
func (l *link) BehindOn(string) bool { return l.waiting.Load() }

// world is one process with one partition.
type world struct {
	t      *testing.T
	origin *origin
	store  *rows
	rec    *link
	f      *Fetcher
	task   *task
	next   int64
	sent   []streams.Send
}

// inWorld runs a test in virtual time. Every page answers 200 and there is no robots.txt, unless
// answer says otherwise.
func inWorld(t *testing.T, change func(*Options), test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o := DefaultOptions()
		o.Contact = "https://example.test/bot"
		if change != nil {
			change(&o)
		}
		w := &world{t: t, origin: &origin{flying: map[string]int{}}, store: &rows{cells: map[string]state.Mutation{}}}
		w.origin.answer = func(_ web.Request, path string) web.Result {
			if path == "/robots.txt" {
				return web.Result{Status: 404}
			}
			return web.Result{Status: 200, Body: []byte("page")}
		}
		w.boot(o)
		test(w)
		w.shut(false)
		if len(w.origin.over) > 0 {
			t.Errorf("two requests at once: %v", w.origin.over)
		}
	})
}

func (w *world) boot(o Options) {
	w.t.Helper()
	f, err := start(o, Deps{Store: w.store}, w.origin)
	if err != nil {
		w.t.Fatal(err)
	}
	w.f, w.rec = f, &link{}
	w.task = f.Task(streams.NewPartition(0, 4, w.rec)).(*task)
	if at, err := w.task.Recover(w.t.Context()); err != nil || at != streams.Committed {
		w.t.Fatalf("recover: %d, %v", at, err)
	}
}

func (w *world) shut(lost bool) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Second)
	defer cancel()
	w.task.Revoke(ctx, lost)
	w.f.Close()
}

// schedule hands a URL over and returns its offset.
func (w *world) schedule(rawURL string, change ...func(*schema.Scheduled)) int64 {
	w.t.Helper()
	u, err := new(schema.Canonicalizer).Parse(rawURL)
	if err != nil {
		w.t.Fatal(err)
	}
	s := &schema.Scheduled{
		RowKey: string(u.RowKey()), Url: u.String(), Site: string(u.Site()), Kind: schema.Kind_PAGE,
		Rev: 1, Class: 6, PoliteKey: string(u.Host()), FirstContact: true,
	}
	for _, c := range change {
		c(s)
	}
	offset := w.next
	w.next++
	if err := w.handle(s, offset); err != nil {
		w.t.Fatal(err)
	}
	return offset
}

func (w *world) handle(s *schema.Scheduled, offset int64) error {
	return w.task.Handle(w.t.Context(), &streams.Record[*schema.Scheduled]{Topic: "urls.scheduled", Offset: offset, Value: s})
}

// wait lets virtual time pass.
func (w *world) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (w *world) collect() { w.sent = append(w.sent, w.rec.Take()...) }

// outcomes are those appended so far, in order.
func (w *world) outcomes() []*schema.Outcome {
	w.collect()
	list, err := streamstest.Decode(w.sent, topics.Discovered())
	if err != nil {
		w.t.Fatal(err)
	}
	var out []*schema.Outcome
	for _, d := range list {
		if o := d.GetOutcome(); o != nil {
			out = append(out, o)
		}
	}
	return out
}

func (w *world) links() []*schema.Discovered {
	w.collect()
	list, err := streamstest.Decode(w.sent, topics.Discovered())
	if err != nil {
		w.t.Fatal(err)
	}
	var out []*schema.Discovered
	for _, d := range list {
		if d.GetLinks() != nil {
			out = append(out, d)
		}
	}
	return out
}

func (w *world) pages(t topics.Topic[*schema.Page]) []*schema.Page {
	w.collect()
	list, err := streamstest.Decode(w.sent, t)
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

// one is the only outcome so far.
func (w *world) one() *schema.Outcome {
	w.t.Helper()
	list := w.outcomes()
	if len(list) != 1 {
		w.t.Fatalf("%d outcomes: %v", len(list), list)
	}
	return list[0]
}

// results prints the results so far, in order.
func (w *world) results() string {
	var out []string
	for _, o := range w.outcomes() {
		out = append(out, o.Result.String())
	}
	return strings.Join(out, " ")
}

// checkGaps is invariant I4 as a server sees it.
func (w *world) checkGaps(host string, least time.Duration) {
	w.t.Helper()
	w.origin.mu.Lock()
	defer w.origin.mu.Unlock()
	var last time.Time
	for _, h := range w.origin.hits {
		if h.host != host {
			continue
		}
		if !last.IsZero() && h.at.Sub(last) < least {
			w.t.Errorf("%s: gap of %v before %s, at least %v is due", host, h.at.Sub(last), h.path, least)
		}
		last = h.at
	}
}

// robots makes every robots.txt say text.
func (w *world) robots(text string) {
	w.serve("/robots.txt", web.Result{Status: 200, Body: []byte(text)})
}

// serve makes one path answer with a result.
func (w *world) serve(path string, res web.Result) {
	w.origin.set(func() {
		other := w.origin.answer
		w.origin.answer = func(r web.Request, p string) web.Result {
			if p == path {
				return res
			}
			return other(r, p)
		}
	})
}

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

func broken(k web.Kind) web.Result {
	return web.Result{Err: &web.Error{Kind: k, Err: errors.New("as the test wants")}}
}

func urlN(host string, n int) string { return fmt.Sprintf("https://%s/%d", host, n) }
