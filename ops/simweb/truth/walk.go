package truth

import (
	"slices"
	"strings"
	"time"

	"millrace/ops/simweb/world"
)

// Web is the web on which the truth is computed: a world, or one with overrides.
type Web interface {
	Look(url string, t time.Time) (world.Look, bool)
	RobotsFor(url string, t time.Time) world.RobotsFile
	Announced(url string, t time.Time) (feeds, sitemaps []string)
}

// Kind is the class of a URL within reach, by its answer and the rules of its host.
type Kind string

// The kinds.
const (
	Page     Kind = "page"     // 200 with text
	File     Kind = "file"     // 200 without text: images
	Redirect Kind = "redirect" //
	Failed   Kind = "failed"   // 4xx, 5xx, no answer
	Denied   Kind = "denied"   // robots.txt forbids it: must not be asked for
	Trapped  Kind = "trap"     // the first page of a trap; the rest is not walked
)

// Entry is a URL within reach.
type Entry struct {
	URL      string `json:"url"`
	Kind     Kind   `json:"kind"`
	Depth    int    `json:"depth"`
	Hops     int    `json:"hops"`
	Status   int    `json:"status"` // 0: no answer
	Location string `json:"location"`
	Doubtful bool   `json:"doubtful"`
	look     world.Look
}

// Truth holds the URLs and documents that a crawl must find.
type Truth struct {
	// URLs within reach, by the form the crawler asks for.
	URLs map[string]*Entry
	// Docs are the documents, by the URL that should stand for each.
	Docs map[string]*Doc
	// Aliases map pages that are no documents to the page they name.
	Aliases map[string]string

	rules Rules
	web   Web
}

// Compute walks the web under rules.
func Compute(web Web, rules Rules) (*Truth, error) {
	if err := rules.Validate(); err != nil {
		return nil, err
	}
	t := &Truth{
		URLs: map[string]*Entry{}, Docs: map[string]*Doc{}, Aliases: map[string]string{},
		rules: rules, web: web,
	}
	t.walk()
	t.documents()
	return t, nil
}

type step struct {
	url         string
	depth, hops int
}

// walk is breadth first. Redirects go before links of the same depth, so that
// the depth of a URL is the least one.
func (t *Truth) walk() {
	var now, next []step
	for _, s := range t.rules.Seeds {
		now = append(now, step{url: s})
	}
	if t.rules.Feeds || t.rules.Sitemaps {
		now = append(now, t.announced()...)
	}
	for depth := 0; len(now) > 0; depth++ {
		for i := 0; i < len(now); i++ { // grows by redirects
			e := t.visit(now[i])
			if e == nil {
				continue
			}
			if e.Kind == Redirect && (t.rules.MaxHops < 0 || e.Hops < t.rules.MaxHops) {
				now = append(now, step{e.Location, depth, e.Hops + 1})
			}
			if t.rules.MaxDepth >= 0 && depth >= t.rules.MaxDepth {
				continue
			}
			for _, l := range e.look.Links {
				next = append(next, step{l, depth + 1, 0})
			}
			e.look.Links = nil
		}
		now, next = next, now[:0]
	}
}

// announced are the URLs that the feeds and sitemaps of the seeds' hosts name.
func (t *Truth) announced() []step {
	var steps []step
	for _, s := range t.rules.Seeds {
		feeds, maps := t.web.Announced(s, t.rules.At)
		if t.rules.Feeds {
			for _, u := range feeds {
				steps = append(steps, step{url: u})
			}
		}
		if t.rules.Sitemaps {
			for _, u := range maps {
				steps = append(steps, step{url: u})
			}
		}
	}
	return steps
}

// visit enters a URL into the truth; nil if it is known, out of scope or
// nowhere. A URL reached again with fewer hops is entered again.
func (t *Truth) visit(s step) *Entry {
	url := t.rules.canonical(s.url)
	old := t.URLs[url]
	if old != nil && (old.Kind != Redirect || old.Hops <= s.hops) || !t.rules.inScope(url) {
		return nil
	}
	look, ok := t.look(url)
	if !ok {
		return nil
	}
	if old != nil {
		s.depth = min(s.depth, old.Depth)
	}
	e := &Entry{URL: url, Depth: s.depth, Hops: s.hops, Status: look.Status, Location: look.Location, look: look}
	e.Kind, e.Doubtful = KindOf(look)
	if t.rules.Robots && !t.allowed(url) {
		e.Kind, e.Doubtful, e.look.Links = Denied, false, nil
	}
	if e.Kind == Trapped {
		e.look.Links = nil
	}
	t.URLs[url] = e
	return e
}

// look returns the look of a URL at the end, with the links it had at the start.
func (t *Truth) look(url string) (world.Look, bool) {
	l, ok := t.web.Look(url, t.rules.At)
	if ok && !t.rules.Since.IsZero() {
		earlier, _ := t.web.Look(url, t.rules.Since)
		l.Links = append(l.Links, earlier.Links...)
		l.Alternates = append(l.Alternates, earlier.Alternates...)
	}
	if t.rules.Alternates {
		l.Links = slices.Concat(l.Links, l.Alternates)
	}
	return l, ok
}

func (t *Truth) allowed(url string) bool {
	return Allowed(t.web.RobotsFor(url, t.rules.At), t.rules.Agent, target(url))
}

// KindOf says what a URL turns out to be, robots.txt aside; doubtful if its answer
// is damaged.
func KindOf(l world.Look) (k Kind, doubtful bool) {
	switch l.Role {
	case world.Cut, world.LengthShort, world.LengthLong, world.WrongType, world.WrongCharset, world.BrokenGzip:
		doubtful = true
	}
	switch {
	case l.Role == world.Trap:
		return Trapped, doubtful
	case l.Location != "":
		return Redirect, doubtful
	case l.Status != 200:
		return Failed, doubtful
	case l.Text != 0:
		return Page, doubtful
	}
	return File, doubtful
}

// InTrap says whether a URL leads into a trap without end.
func InTrap(url string) bool {
	path := target(url)
	return strings.HasPrefix(path, "/calendar?") || strings.HasPrefix(path, "/maze/") || strings.HasPrefix(path, "/shop")
}
