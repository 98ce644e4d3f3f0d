package indexnow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"millrace/schema"
)

// Producer is the producer's name in Add records.
const Producer = "indexnow"

// Path is where requests come in.
const Path = "/indexnow"

// Options of the endpoint.
type Options struct {
	MaxBody  int64         // bytes of a request
	HostMost int           // requests a minute for one host, and
	Most     int           // for all
	Waiting  int           // requests that wait for a key file
	Hosts    int           // hosts whose keys are remembered
	Pause    time.Duration // between two requests for key files
	Keep     time.Duration // for which a proved key stays proved
	Tries    int           // key files that a host is asked for in
	Again    time.Duration // before it is asked for the same one again
}

// DefaultOptions returns the defaults.
func DefaultOptions() Options {
	return Options{MaxBody: 1 << 20, HostMost: 60, Most: 600, Waiting: 64, Hosts: 10_000,
		Pause: time.Second, Keep: 24 * time.Hour, Tries: 4, Again: 10 * time.Minute}
}

// Validate returns an error for options that cannot work.
func (o Options) Validate() error {
	if o.MaxBody < 1 || o.HostMost < 1 || o.Most < 1 || o.Waiting < 1 || o.Hosts < 1 || o.Pause < 0 || o.Tries < 1 || o.Keep <= 0 || o.Again <= 0 {
		return errors.New("indexnow: bounds must be above 0")
	}
	return nil
}

// Deps are the dependencies of the endpoint.
type Deps struct {
	Canon   *schema.Canonicalizer
	Client  *http.Client // guarded against private addresses; it follows no redirects
	Agent   string       // User-Agent of requests for key files
	InScope func(schema.Host, schema.Site) bool
	Paused  func(schema.Host, schema.Site) bool // nil: no host ever is
	Send    func(context.Context, ...*schema.Discovered) error
	Clock   func() time.Time
	Log     *slog.Logger
}

// Endpoint answers announcements. It is safe for concurrent use.
type Endpoint struct {
	opts Options
	deps Deps
	wake chan struct{}

	mu      sync.Mutex
	hosts   map[schema.Host]*known
	waiting []*request
	minute  int64
	n       int // requests in this minute
}

// known holds the key files remembered of a host, and its requests in a minute. Claims of others
// never displace the proved key.
type known struct {
	proved file
	tried  []file // asked for in the last Options.Again, and not proved
	minute int64
	n      int // requests in that minute
}

// file is a key, and where it stands.
type file struct {
	key, location string
	at            time.Time // when it was asked for
}

func (f file) is(q *request) bool { return f.key == q.key && f.location == q.location.String() }

// has reports whether the key of a request is proved, and whether its file was asked for in vain.
func (h *known) has(q *request, o *Options, now time.Time) (proved, tried bool) {
	h.tried = slices.DeleteFunc(h.tried, func(f file) bool { return now.Sub(f.at) >= o.Again })
	return h.proved.is(q) && now.Sub(h.proved.at) < o.Keep, slices.ContainsFunc(h.tried, func(f file) bool { return f.is(q) })
}

// New returns an endpoint. Run must be called for keys to be proved.
func New(o Options, d Deps) (*Endpoint, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if d.Canon == nil || d.Client == nil || d.InScope == nil || d.Send == nil || d.Clock == nil || d.Log == nil {
		return nil, errors.New("indexnow: a dependency is missing")
	}
	return &Endpoint{opts: o, deps: d, wake: make(chan struct{}, 1), hosts: map[schema.Host]*known{}}, nil
}

// ServeHTTP answers one announcement, with a line that says why where it is refused.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, err := e.take(w, r)
	var no *refusal
	switch {
	case errors.As(err, &no):
		if no.status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "60")
		}
		http.Error(w, no.why, no.status)
	case errors.Is(err, errPaused):
		w.Header().Set("Retry-After", "3600")
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case err != nil:
		e.deps.Log.Warn("announced URLs not appended", "error", err)
		w.Header().Set("Retry-After", "60")
		http.Error(w, "try again", http.StatusServiceUnavailable)
	default:
		w.WriteHeader(status)
	}
}

// take reads a request and appends its URLs, or lets it wait for its key.
func (e *Endpoint) take(w http.ResponseWriter, r *http.Request) (status int, err error) {
	if err := e.pass(); err != nil {
		return 0, err
	}
	q, err := e.read(w, r)
	if err != nil {
		return 0, err
	}
	if !e.deps.InScope(q.host, schema.SiteOf(q.host.Name())) {
		return 0, refuse(http.StatusUnprocessableEntity, "this crawl does not have that host in its scope")
	}
	if e.paused(q.host) {
		return 0, errPaused
	}
	proved, err := e.enter(q)
	if err != nil {
		return 0, err
	}
	if !proved {
		return http.StatusAccepted, nil
	}
	return http.StatusOK, e.deps.Send(r.Context(), q.record(e.deps.Clock()))
}

var errPaused = errors.New("this crawl does not ask that host anything now: announce it again later")

// paused reports whether an operator paused a host: it is not asked for its key file.
func (e *Endpoint) paused(host schema.Host) bool {
	return e.deps.Paused != nil && e.deps.Paused(host, schema.SiteOf(host.Name()))
}

// pass counts a request against the bound of all.
func (e *Endpoint) pass() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if m := e.deps.Clock().Unix() / 60; e.minute != m {
		e.minute, e.n = m, 0
	}
	if e.n++; e.n > e.opts.Most {
		return refuse(http.StatusTooManyRequests, "more than %d requests a minute", e.opts.Most)
	}
	return nil
}

// enter counts a request against the bound of its host, and reports whether its key is proved. If
// nothing is known of the key, the request waits for the file.
func (e *Endpoint) enter(q *request) (proved bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.deps.Clock()
	h := e.of(q.host)
	if m := now.Unix() / 60; h.minute != m {
		h.minute, h.n = m, 0
	}
	if h.n++; h.n > e.opts.HostMost {
		return false, refuse(http.StatusTooManyRequests, "more than %d requests a minute for this host", e.opts.HostMost)
	}
	proved, tried := h.has(q, &e.opts, now)
	switch {
	case proved:
		return true, nil
	case tried:
		return false, refuse(http.StatusForbidden, "%s did not have this key; it is asked again %s after it was asked", q.location, e.opts.Again)
	case len(h.tried) >= e.opts.Tries:
		return false, refuse(http.StatusTooManyRequests, "this host was asked for %d key files that it does not have", e.opts.Tries)
	case len(e.waiting) >= e.opts.Waiting:
		return false, refuse(http.StatusTooManyRequests, "too many hosts announce at the same time")
	}
	e.waiting = append(e.waiting, q)
	select {
	case e.wake <- struct{}{}:
	default:
	}
	return false, nil
}

// makeRoom forgets any host when too many are remembered. That costs one request for its key file.
func (e *Endpoint) makeRoom() {
	for name := range e.hosts {
		if len(e.hosts) < e.opts.Hosts {
			return
		}
		delete(e.hosts, name)
	}
}

// Run fetches key files, one at a time, until ctx ends.
func (e *Endpoint) Run(ctx context.Context) {
	for {
		for q := e.next(); q != nil; q = e.next() {
			e.prove(ctx, q)
			if !pause(ctx, e.opts.Pause) {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		}
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// next takes the request that waits longest; nil if none does.
func (e *Endpoint) next() *request {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.waiting) == 0 {
		return nil
	}
	q := e.waiting[0]
	e.waiting = e.waiting[1:]
	return q
}

// prove fetches a key file, unless that was done a moment ago, and appends what waited for it. What
// waited for a host that was paused since is lost.
func (e *Endpoint) prove(ctx context.Context, q *request) {
	if e.paused(q.host) {
		return
	}
	now := e.deps.Clock()
	proved, ask := e.mayAsk(q, now)
	if ask {
		err := e.fetch(ctx, q)
		if proved = err == nil; err != nil {
			e.deps.Log.Info("announced key not proved", "host", q.host.Name(), "error", err)
		}
		e.asked(q, now, proved)
	}
	if !proved {
		return
	}
	if err := e.deps.Send(ctx, q.record(now)); err != nil && ctx.Err() == nil {
		e.deps.Log.Warn("announced URLs not appended", "host", q.host.Name(), "error", err)
	}
}

// of returns what is known of a host. The caller holds the lock.
func (e *Endpoint) of(host schema.Host) *known {
	h := e.hosts[host]
	if h == nil {
		e.makeRoom()
		h = &known{}
		e.hosts[host] = h
	}
	return h
}

// mayAsk reports whether the key of a request is proved already, or else its file may be asked for.
func (e *Endpoint) mayAsk(q *request, now time.Time) (proved, ask bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := e.of(q.host)
	proved, tried := h.has(q, &e.opts, now)
	return proved, !proved && !tried && len(h.tried) < e.opts.Tries
}

// asked notes what a key file said.
func (e *Endpoint) asked(q *request, now time.Time, proved bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	h, f := e.of(q.host), file{q.key, q.location.String(), now}
	if proved {
		h.proved = f
	} else {
		h.tried = append(h.tried, f)
	}
}

// maxFile is how much of a key file is read, in bytes.
const maxFile = 1 << 10

// fetch returns nil if the key file has the key.
func (e *Endpoint) fetch(ctx context.Context, q *request) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, q.location.String(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("User-Agent", e.deps.Agent)
	client := *e.deps.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxFile))
	switch {
	case err != nil:
		return err
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("the key file is answered with %d", answer.StatusCode)
	case strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff")) != q.key:
		return errors.New("the key file has another key")
	}
	return nil
}

// record is the Add of the announced URLs.
func (q *request) record(now time.Time) *schema.Discovered {
	at := now.UnixMilli()
	add := &schema.Add{Producer: Producer, FeedRowKey: string(q.location.RowKey())}
	for _, u := range q.urls {
		add.Items = append(add.Items, &schema.AddItem{Url: u.String(), Kind: schema.Kind_PAGE, Lastmod: at})
	}
	return &schema.Discovered{Host: string(q.host), DiscoveredAt: at, Body: &schema.Discovered_Add{Add: add}}
}
