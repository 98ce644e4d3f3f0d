package world

import (
	"net/http"
	"time"

	"millrace/ops/simweb/draw"
)

// HTML is the media type of pages.
const HTML = "text/html; charset=utf-8"

// Answer describes the answer of a page at a time, without its body.
type Answer struct {
	Ref    Ref
	At     int64 // ns since 1970
	Target string
	Port   string
	Role   Role
	Status int // 0: no answer at all (Hang, Reset)
	Type   string

	Source    Source
	Version   int64  // time of the last change, 0 if none
	Text      TextID // 0: no text
	Canonical Ref
	HasCanon  bool
	Location  Ref // with Status 301, 302
	NoIndex   bool

	RetryAfter time.Duration
	Born       int64
	Modified   int64 // of the answer, links included
	ETag       uint64
}

// HasLinks says whether the body is HTML with the page's links. Pages whose
// answer is damaged carry none, so that nothing can be reached only through them.
func (a *Answer) HasLinks() bool { return a.Status == http.StatusOK && a.Role.isHTML() }

// Answer describes what is answered to a request at t.
func (w *World) Answer(req Request, t time.Time) Answer {
	r := req.Ref
	a := Answer{
		Ref: r, At: t.UnixNano(), Target: req.Target, Port: req.Port,
		Status: http.StatusOK, Type: HTML, Role: Listing, Born: w.epoch,
	}
	switch r.Page.Space() {
	case Tree:
		w.answerTree(&a)
	case Item:
		w.answerItem(&a)
	case Translation:
		w.answerTranslation(&a)
	case Archive:
		w.answerArchive(&a)
	case Robots:
		w.answerRobots(&a)
	case Feed:
		w.answerFeed(&a)
	case Sitemap:
		w.answerSitemap(&a)
	case Hop:
		w.answerHop(&a)
	case Calendar, Maze, Facet:
		a.Role = Trap
		a.Source = Source{Host: r.Host, Page: r.Page, Share: 1, Of: r.Page}
		a.Text = w.textID(a.Source, 0)
	default:
		w.answerMissing(&a)
	}
	w.validators(&a)
	return a
}

func (w *World) answerTree(a *Answer) {
	r := a.Ref
	a.Role = w.role(r.Host, r.Page.Index())
	born, dies := w.life(r.Host, r.Page)
	a.Born = born
	if a.At < born || a.At >= dies {
		w.answerDead(a, a.At >= dies)
		return
	}
	switch a.Role {
	case Missing:
		w.answerMissing(a)
	case Gone:
		a.Status = http.StatusGone
	case Error:
		a.Status = http.StatusInternalServerError
	case Busy:
		a.Status, a.RetryAfter = http.StatusServiceUnavailable, 30*time.Second
	case SlowDown:
		a.Status, a.RetryAfter = http.StatusTooManyRequests, 20*time.Second
	case Hang, Reset:
		a.Status = 0
	case Redirect, RedirectOut, RedirectLoop:
		w.answerRedirect(a)
	case Image:
		a.Type = "image/png"
	default:
		w.answerText(a)
	}
}

// answerDead is the answer before birth and after death: a 410 for a page whose
// number is divisible by four, else whatever the host says for 404.
func (w *World) answerDead(a *Answer, died bool) {
	if died && a.Ref.Page.Index()%4 == 0 {
		a.Role, a.Status = Gone, http.StatusGone
		return
	}
	w.answerMissing(a)
}

func (w *World) answerMissing(a *Answer) {
	a.Role, a.Status = Missing, http.StatusNotFound
	if w.trait(a.Ref.Host, traitSoft404, w.p.Hosting.Soft404) {
		a.Status, a.Text = http.StatusOK, w.softText(a.Ref.Host)
		site := Host(w.Site(a.Ref.Host) * uint32(w.p.HostsPerSite))
		a.Source = Source{Host: site, Page: ID(Unknown, 0), Share: 1, Of: ID(Unknown, 0)}
	}
}

func (w *World) answerText(a *Answer) {
	r := a.Ref
	a.Source = w.source(r.Host, r.Page, a.Role)
	a.Version = w.lastChange(a.Source.Host, a.Source.Page, a.At)
	a.Text = w.textID(a.Source, a.Version)
	a.NoIndex = a.Role == NoIndex
	switch a.Role {
	case PDF:
		a.Type = "application/pdf"
	case WrongType:
		a.Type = "application/octet-stream"
	case WrongCharset:
		a.Type = "text/html; charset=iso-8859-1"
	default:
		a.Canonical, a.HasCanon = w.canonical(r, a.Role, a.Source)
	}
}

func (w *World) answerItem(a *Answer) {
	a.Born = w.itemTime(a.Ref.Host, a.Ref.Page)
	if a.At < a.Born {
		w.answerMissing(a)
		return
	}
	a.Role = Plain
	w.answerText(a)
}

func (w *World) answerArchive(a *Answer) {
	if a.Ref.Page.Index() > w.lastArchive(a.At) {
		w.answerMissing(a)
		return
	}
	a.Source = Source{Host: a.Ref.Host, Page: a.Ref.Page, Share: 1, Of: a.Ref.Page}
	a.Text = w.textID(a.Source, 0)
}

// answerRedirect sends to a target, at times through hops.
func (w *World) answerRedirect(a *Answer) {
	a.Status = http.StatusMovedPermanently
	if w.hash(forRedirect, uint64(a.Ref.Host), uint64(a.Ref.Page), 1)&1 == 0 {
		a.Status = http.StatusFound
	}
	i := a.Ref.Page.Index()
	switch hops := w.chain(a.Ref.Host, i); {
	case a.Role == Redirect && hops > 0:
		a.Location = Ref{a.Ref.Host, w.Main(a.Ref.Host), ID(Hop, i<<hopBits|(hops-1))}
	default:
		a.Location = w.redirectTarget(a.Ref)
	}
}

func (w *World) answerHop(a *Answer) {
	page, left := a.Ref.Page.Index()>>hopBits, a.Ref.Page.Index()&(1<<hopBits-1)
	a.Role, a.Status = Redirect, http.StatusFound
	if left > 0 {
		a.Location = Ref{a.Ref.Host, w.Main(a.Ref.Host), ID(Hop, page<<hopBits|(left-1))}
		return
	}
	a.Location = w.redirectTarget(Ref{a.Ref.Host, 0, ID(Tree, page)})
}

// redirectTarget is where a redirecting page leads in the end.
func (w *World) redirectTarget(r Ref) Ref {
	h, i := r.Host, r.Page.Index()
	u := w.hash(forTarget, uint64(h), i)
	switch w.role(h, i) {
	case RedirectLoop:
		return Ref{h, w.Main(h), ID(Tree, i)}
	case RedirectOut:
		h = Host(u >> 32 % uint64(w.p.Hosts))
	}
	return Ref{h, w.Main(h), ID(Tree, w.popular(w.Pages(h), draw.Unit(draw.Mix(u))))}
}

// validators sets ETag and Last-Modified from everything the body shows.
func (w *World) validators(a *Answer) {
	if a.Status != http.StatusOK {
		return
	}
	a.Modified = max(a.Born, a.Version, a.Modified)
	h := draw.Hash(uint64(a.Text), uint64(a.Ref.Page), uint64(a.Ref.Host), uint64(a.Modified))
	listing := a.Role == Listing && a.Ref.Page.Space() == Archive
	if w.p.Life.Born > 0 && a.HasLinks() || listing || a.Ref.Page == 0 && w.HasItems(a.Ref.Host) {
		for _, l := range w.Links(make([]Link, 0, 64), a) {
			h = draw.Mix(h ^ uint64(l.To.Page) ^ uint64(l.To.Host)<<32)
			if born, _ := w.life(l.To.Host, l.To.Page); born <= a.At {
				a.Modified = max(a.Modified, born)
			}
		}
	}
	a.ETag = h
}

// HasETag and HasLastModified say which validators a host sends.
func (w *World) HasETag(h Host) bool { return !w.trait(h, traitNoETag, w.p.Change.NoETag) }

// HasLastModified says whether a host sends Last-Modified.
func (w *World) HasLastModified(h Host) bool {
	return !w.trait(h, traitNoLastModified, w.p.Change.NoLastModified)
}

// Compresses says whether a host sends gzip to those who accept it.
func (w *World) Compresses(h Host) bool { return !w.trait(h, traitNotGzip, w.p.Hosting.NotGzip) }

// overloadWindow is the length of a host's good and bad times.
const overloadWindow = 2 * time.Minute

// Overloaded says whether a host answers 429 or 503 to everything at t, and
// until when.
func (w *World) Overloaded(h Host, t time.Time) (status int, until time.Time) {
	if !w.trait(h, traitOverload, w.p.Hosting.Overload) {
		return 0, time.Time{}
	}
	window := t.Truncate(overloadWindow)
	switch w.hash(forLatency, uint64(h), uint64(window.UnixNano())) % 10 {
	case 0:
		return http.StatusTooManyRequests, window.Add(overloadWindow)
	case 1:
		return http.StatusServiceUnavailable, window.Add(overloadWindow)
	}
	return 0, time.Time{}
}

// Latency is how long a host thinks about a request; bits make it the request's.
func (w *World) Latency(h Host, bits uint64) time.Duration {
	l := w.p.Latency
	median := l.Median
	if w.trait(h, traitSlow, l.SlowShare) {
		median = l.Slow
	}
	if median == 0 {
		return 0
	}
	s := draw.NewStream(w.hash(forLatency, uint64(h), bits))
	return time.Duration(s.LogNormal(float64(median), l.Sigma))
}
