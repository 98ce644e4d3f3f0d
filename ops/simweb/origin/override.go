package origin

import (
	"errors"
	"html"
	"strings"
	"sync"
	"time"

	"millrace/ops/simweb/draw"
	"millrace/ops/simweb/truth"
	"millrace/ops/simweb/world"
)

// Override says what stands at a URL instead of what the world has there. What
// is zero is not changed by itself: an override with a Status of 404 is a
// deletion, one with SameAs a twin, one with a Title and Text a page of its own.
type Override struct {
	Status     int           // 0: 200
	Location   string        // absolute URL, with a 3xx status
	RetryAfter time.Duration //
	SameAs     string        // absolute URL whose page is shown
	Title      string
	Text       string
	Canonical  string   // absolute URL
	Links      []string // absolute URLs
	NoIndex    bool
	Hang       bool // never answers
	// Robots are the rules, if the URL is that of a robots.txt.
	Robots []world.Group
}

// overrides is the world with some URLs changed. It is the truth's web as well,
// so expectations follow.
type overrides struct {
	*world.World
	mu   sync.RWMutex
	list map[world.Ref]changed
}

type changed struct {
	Override
	from time.Time
}

func newOverrides(w *world.World) *overrides {
	return &overrides{World: w, list: map[world.Ref]changed{}}
}

// Override changes what stands at a URL from now on. The URL's host must be of
// the web; its path need not.
func (s *Server) Override(url string, o Override) error {
	return s.overrides.set(url, o, s.opts.Clock.Now())
}

// Restore takes an override back.
func (s *Server) Restore(url string) {
	if req, ok := s.w.ParseURL(url); ok {
		s.overrides.mu.Lock()
		defer s.overrides.mu.Unlock()
		delete(s.overrides.list, req.Ref)
	}
}

func (o *overrides) set(url string, v Override, now time.Time) error {
	req, ok := o.ParseURL(url)
	if !ok {
		return errors.New("origin: override: no such host: " + url)
	}
	if v.SameAs != "" {
		if _, ok := o.ParseURL(v.SameAs); !ok {
			return errors.New("origin: override: no such host: " + v.SameAs)
		}
	}
	if v.Status == 0 && !v.Hang {
		v.Status = 200
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list[req.Ref] = changed{v, now}
	return nil
}

func (o *overrides) get(r world.Ref) (changed, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	c, ok := o.list[r]
	return c, ok
}

// Look is the world's, but for URLs that are overridden.
func (o *overrides) Look(url string, t time.Time) (world.Look, bool) {
	req, ok := o.ParseURL(url)
	if !ok {
		return world.Look{}, false
	}
	c, has := o.get(req.Ref)
	if !has || t.Before(c.from) {
		return o.World.Look(url, t)
	}
	if c.SameAs != "" {
		l, ok := o.World.Look(c.SameAs, t)
		if l.Canonical == "" {
			l.Canonical = c.Canonical
		}
		l.Host = req.Ref.Host
		return l, ok
	}
	l := world.Look{Host: req.Ref.Host, Status: c.Status, Location: c.Location, Canonical: c.Canonical, NoIndex: c.NoIndex}
	if c.Status == 200 {
		l.Links, l.Text = c.Links, world.TextID(draw.HashString(1, c.Title+"\x00"+c.Text))
	}
	return l, true
}

// RobotsFor is the world's, but for hosts whose robots.txt is overridden.
func (o *overrides) RobotsFor(url string, t time.Time) world.RobotsFile {
	req, ok := o.ParseURL(url)
	if !ok {
		return o.World.RobotsFor(url, t)
	}
	const authority = world.HTTPS | world.WWW
	c, has := o.get(world.Ref{Host: req.Ref.Host, Form: req.Ref.Form & authority, Page: world.ID(world.Robots, 0)})
	if !has || t.Before(c.from) {
		return o.World.RobotsFor(url, t)
	}
	return world.RobotsFile{Kind: "override", Status: c.Status, Groups: c.Robots}
}

// page writes an override as HTML.
func (c changed) page(dst []byte) []byte {
	dst = append(dst, "<!doctype html>\n<html><head><meta charset=\"utf-8\"><title>"+html.EscapeString(c.Title)+"</title>\n"...)
	if c.Canonical != "" {
		dst = append(dst, "<link rel=\"canonical\" href=\""+html.EscapeString(c.Canonical)+"\">\n"...)
	}
	if c.NoIndex {
		dst = append(dst, "<meta name=\"robots\" content=\"noindex\">\n"...)
	}
	dst = append(dst, "</head><body><main><article><h1>"+html.EscapeString(c.Title)+"</h1>\n"...)
	for p := range strings.SplitSeq(c.Text, "\n") {
		dst = append(dst, "<p>"+html.EscapeString(p)+"</p>\n"...)
	}
	dst = append(dst, "</article></main><aside><ul>\n"...)
	for _, l := range c.Links {
		l = html.EscapeString(l)
		dst = append(dst, "<li><a href=\""+l+"\">"+l+"</a></li>\n"...)
	}
	return append(dst, "</ul></aside></body></html>\n"...)
}

// Overridden is the world as it is served: what the truth is computed from.
func (s *Server) Overridden() truth.Web { return s.overrides }
