package world

import (
	"errors"
	"math"
	"slices"
	"time"

	"millrace/ops/simweb/draw"
	"millrace/ops/simweb/profile"
	"millrace/ops/simweb/text"
)

// Options place a web in time.
type Options struct {
	// Start is when the crawl is expected to begin: things that appear, change
	// and disappear do so from Start - History on.
	Start time.Time
	// Agent is the product token some robots files have a group of their own for.
	Agent string
}

// DefaultOptions returns a fixed start, so that two runs see the same web.
func DefaultOptions() Options {
	return Options{Start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Agent: "millrace"}
}

// Validate says what is wrong.
func (o Options) Validate() error {
	if o.Start.IsZero() {
		return errors.New("world: start is not set")
	}
	if o.Agent == "" {
		return errors.New("world: agent is empty")
	}
	return nil
}

// World is one web.
//
// It is large because every kind of page that the web can serve is a method on the one seed and
// profile that all of them are computed from; they stand in a file a kind.
type World struct {
	p      profile.Profile
	opts   Options
	seed   uint64
	models text.Models
	start  int64 // ns since 1970
	epoch  int64 // start - history
	roles  choice[Role]
	shapes choice[Form]
	robots choice[string]
	twins  Form // every bit some link may carry
	langs  []text.Lang
}

// New builds a world; the profile is checked.
func New(p profile.Profile, seed uint64, opts Options) (*World, error) {
	if err := errors.Join(p.Validate(), opts.Validate()); err != nil {
		return nil, err
	}
	langs := languages(p.Languages)
	wanted := langs
	if !slices.Contains(langs, text.English) {
		wanted = append(slices.Clip(langs), text.English) // PDFs are in it
	}
	models, err := text.Load(seed, wanted...)
	if err != nil {
		return nil, err
	}
	w := &World{p: p, opts: opts, seed: seed, models: models, langs: langs, start: opts.Start.UnixNano()}
	w.epoch = w.start - int64(p.History)
	w.roles = newChoice(profile.Roles(), p.Leaves, roleOf)
	w.shapes = newChoice(profile.Shapes(), p.Twins, shapeOf)
	w.robots = newChoice(profile.RobotsKinds(), p.Robots.Answers, func(s string) string { return s })
	for _, f := range w.shapes.values {
		w.twins |= f
	}
	return w, nil
}

// languages are those some host has.
func languages(l profile.Languages) []text.Lang {
	var list []text.Lang
	if l.English > 0 {
		list = append(list, text.English)
	}
	if l.Russian > 0 {
		list = append(list, text.Russian)
	}
	if l.Chinese > 0 {
		list = append(list, text.Chinese)
	}
	return list
}

// Profile returns what the world was built from.
func (w *World) Profile() profile.Profile { return w.p }

// Start returns when the web's crawl is expected to begin.
func (w *World) Start() time.Time { return time.Unix(0, w.start).UTC() }

// Agent returns the product token that some robots files name.
func (w *World) Agent() string { return w.opts.Agent }

// purpose keeps the draws of one page apart.
type purpose uint64

const (
	forPages purpose = iota + 1
	forLanguage
	forRole
	forText
	forSize
	forDegree
	forTarget
	forCopy
	forNear
	forBirth
	forDeath
	forChange
	forChangeRate
	forItems
	forHostTrait
	forTopic
	forRobots
	forRedirect
	forStale
	forLatency
	forCanonical
	forAlternate
)

func (w *World) hash(why purpose, parts ...uint64) uint64 {
	h := draw.Mix(w.seed ^ uint64(why)<<56)
	for _, p := range parts {
		h = draw.Mix(h ^ p)
	}
	return h
}

// trait says whether a host has a trait that a share of hosts have; n keeps the
// traits apart.
func (w *World) trait(h Host, n uint64, share float64) bool {
	return share > 0 && draw.Unit(w.hash(forHostTrait, uint64(h), n)) < share
}

const (
	traitItems uint64 = iota
	traitHTTPS
	traitSoft404
	traitOverload
	traitNotGzip
	traitCalendar
	traitMaze
	traitFacets
	traitSitemap
	traitSitemapGzip
	traitFalseMod
	traitNoMod
	traitInRobots
	traitBadFormat
	traitSlow
	traitDelay
	traitSelfCanonical
	traitNoETag
	traitNoLastModified
	traitNewsSitemap
	traitAlternates
)

// choice draws one of several values by their shares, or none.
type choice[T any] struct {
	upTo   []float64 // cumulative shares
	values []T
}

func newChoice[T any](names []string, shares map[string]float64, value func(string) T) choice[T] {
	var c choice[T]
	sum := 0.0
	for _, name := range names {
		if s := shares[name]; s > 0 {
			sum += s
			c.upTo = append(c.upTo, sum)
			c.values = append(c.values, value(name))
		}
	}
	return c
}

func (c choice[T]) pick(h uint64) (v T, ok bool) {
	u := draw.Unit(h)
	for i, limit := range c.upTo {
		if u < limit {
			return c.values[i], true
		}
	}
	return v, false
}

// HostCount is the number of hosts.
func (w *World) HostCount() int { return w.p.Hosts }

// Pages is the number of tree pages of a host.
func (w *World) Pages(h Host) uint64 {
	p := w.p.Pages
	if p.Alpha == 0 {
		return uint64(p.Min)
	}
	u := 1 - draw.Unit(w.hash(forPages, uint64(h)))
	return uint64(min(float64(p.Min)*math.Pow(u, -1/p.Alpha), float64(p.Max)))
}

// inner is the number of pages with children; at least the home page counts.
func (w *World) inner(n uint64) uint64 {
	f := uint64(w.p.Links.Fanout)
	return max(1, (n+f-2)/f)
}

// Lang is the language of a host.
func (w *World) Lang(h Host) text.Lang {
	l := w.p.Languages
	u := draw.Unit(w.hash(forLanguage, uint64(h))) * (l.English + l.Russian + l.Chinese)
	switch {
	case u < l.English:
		return text.English
	case u < l.English+l.Russian:
		return text.Russian
	}
	return text.Chinese
}
