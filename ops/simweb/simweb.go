// Package simweb is the synthetic web: it turns a profile and a seed into an origin server that
// knows the truth about itself and judges who crawled it. `millrace demo` crawls it, and so do the
// tests and measurements of bench.
//
// # Goals
//
//   - A web of any size that costs no memory, needs no network, and is the same on every
//     machine.
//   - What a crawl must find, and how politely it asked, is known to the byte and the
//     millisecond.
//
// # How it works
//
//	w, err := simweb.New("fast", 1, simweb.DefaultOptions())
//	srv, err := simweb.Serve(w, simweb.DefaultServe())
//	defer srv.Close()
//	client := &http.Client{Transport: &http.Transport{DialContext: srv.DialContext}}
//	… crawl from w.Seeds(10, srv.Port) …
//	t, err := srv.Truth(simweb.DefaultRules(w.Start(), seeds...))
//	report, err := srv.Judge().Report(opts)
//
// The parts: profile (YAML), draw (counter-based random numbers), text (word models), world (the
// pure function), clock, origin (the server), truth, judge.
//
// # Promises
//
// A page is a pure function of (seed, host, page, time). Memory grows only with the requests that
// are recorded (48 bytes each). No part imports a package of the pipeline, so that nothing is
// judged by itself.
//
// # On failure
//
// An unknown profile or a wrong value in one is an error that names the key. Serve returns the
// error of its listener.
//
// # Limits
//
// A world's contents may change between versions of this package: compare results of one version
// only.
package simweb

import (
	"time"

	"millrace/ops/simweb/judge"
	"millrace/ops/simweb/origin"
	"millrace/ops/simweb/profile"
	"millrace/ops/simweb/truth"
	"millrace/ops/simweb/world"
)

// The names a test needs, so that it imports one package.
type (
	// Profile is every switch of a web.
	Profile = profile.Profile
	// Options place a web in time.
	Options = world.Options
	// ServeOptions say where it is served and by which clock.
	ServeOptions = origin.Options
	// Override says what stands at a URL instead.
	Override = origin.Override
	// Rules say what a crawl may do.
	Rules = truth.Rules
	// JudgeOptions say what is held against a crawler.
	JudgeOptions = judge.Options
	// Report is the judge's verdict.
	Report = judge.Report
	// Truth holds the URLs and documents that a crawl must find.
	Truth = truth.Truth
	// NearDuplicate is a page made from the paragraphs of another one.
	NearDuplicate = truth.NearDuplicate
	// History is when a page appears, changes and disappears.
	History = truth.History
)

// World is a web, not served yet.
type World struct{ *world.World }

// Server is a web being served.
type Server struct{ *origin.Server }

// DefaultOptions returns a fixed start, so that two runs see the same web.
func DefaultOptions() Options { return world.DefaultOptions() }

// DefaultServe listens on a free port of 127.0.0.1.
func DefaultServe() ServeOptions { return origin.DefaultOptions() }

// DefaultJudge measures against a delay of one second.
func DefaultJudge() JudgeOptions { return judge.DefaultOptions() }

// Load returns a shipped profile, or reads a file whose name ends in .yaml, for
// tests that change some of it.
func Load(name string) (Profile, error) { return profile.Load(name) }

// New builds a web from the name of a profile (see Load).
func New(name string, seed uint64, opts Options) (*World, error) {
	p, err := profile.Load(name)
	if err != nil {
		return nil, err
	}
	return Build(p, seed, opts)
}

// Build builds a web from a profile.
func Build(p Profile, seed uint64, opts Options) (*World, error) {
	w, err := world.New(p, seed, opts)
	if err != nil {
		return nil, err
	}
	return &World{w}, nil
}

// Truth says what a crawl of the web under rules must find.
func (w *World) Truth(rules Rules) (*Truth, error) { return truth.Compute(w.World, rules) }

// NearDuplicates lists the documents of a truth of this web that are
// near-duplicates, but for those an override hides.
func (w *World) NearDuplicates(t *Truth) []NearDuplicate { return t.NearDuplicates(w.World) }

// History tells when what stands at a URL appears, changes (until a time) and
// disappears.
func (w *World) History(url string, until time.Time) History {
	return truth.HistoryOf(w.World, url, until)
}

// Seeds returns the home pages of the first n hosts; port is "" for the default
// one.
func (w *World) Seeds(n int, port string) []string {
	seeds := make([]string, min(n, w.HostCount()))
	for i := range seeds {
		seeds[i] = w.URL(w.Home(world.Host(i)), port)
	}
	return seeds
}

// Serve starts serving; it listens when this returns.
func Serve(w *World, opts ServeOptions) (*Server, error) {
	s, err := origin.Serve(w.World, opts)
	if err != nil {
		return nil, err
	}
	return &Server{s}, nil
}

// Truth is the world's truth with the overrides of now.
func (s *Server) Truth(rules Rules) (*Truth, error) { return truth.Compute(s.Overridden(), rules) }

// DefaultRules crawls everything from the seeds politely; the web is seen as it
// stands at the given time.
func DefaultRules(at time.Time, seeds ...string) Rules { return truth.DefaultRules(at, seeds...) }

// ScopeOf returns the rule of scope of a name: host, site or any.
func ScopeOf(name string, seeds []string) (func(host string) bool, error) {
	return truth.ScopeOf(name, seeds)
}
