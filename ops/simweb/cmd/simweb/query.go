package main

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"

	"millrace/ops/simweb"
)

// mostSeeds bounds what a request can ask for.
const mostSeeds = 100_000

// query reads the parameters of a request. The first mistake stays in err.
type query struct {
	values url.Values
	known  map[string]bool
	err    error
}

func queryOf(r *http.Request) *query {
	values, err := url.ParseQuery(r.URL.RawQuery)
	return &query{values, map[string]bool{}, err}
}

// read returns a parameter, or otherwise if the request does not name it.
func read[T any](q *query, name string, otherwise T, parse func(string) (T, error)) T {
	q.known[name] = true
	if !q.values.Has(name) || q.err != nil {
		return otherwise
	}
	v, err := parse(q.values.Get(name))
	if err != nil {
		q.err = fmt.Errorf("%s: %w", name, err)
		return otherwise
	}
	return v
}

// done returns the first mistake. A name that nothing asked for is one.
func (q *query) done() error {
	for name := range q.values {
		if q.err == nil && !q.known[name] {
			q.err = fmt.Errorf("no parameter %q", name)
		}
	}
	return q.err
}

func asIs(s string) (string, error) { return s, nil }

// within reads whole numbers of a range.
func within(least, most int) func(string) (int, error) {
	return func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err == nil && (n < least || n > most) {
			err = fmt.Errorf("%d is not within %d..%d", n, least, most)
		}
		return n, err
	}
}

// rules reads the rules of a crawl that goes on from the web's start until now:
// seeds (so many hosts' home pages, none if not named), depth, hops, agent, scope,
// feeds, sitemaps, alternates, robots.
func (a *admin) rules(q *query, leastSeeds int) simweb.Rules {
	n := read(q, "seeds", 0, within(leastSeeds, mostSeeds))
	r := simweb.DefaultRules(a.srv.Clock().Now().UTC(), a.w.Seeds(n, "")...)
	r.Since = a.w.Start()
	r.MaxDepth = read(q, "depth", r.MaxDepth, within(-1, math.MaxInt32))
	r.MaxHops = read(q, "hops", r.MaxHops, within(-1, math.MaxInt32))
	r.Agent = read(q, "agent", r.Agent, asIs)
	r.Feeds = read(q, "feeds", r.Feeds, strconv.ParseBool)
	r.Sitemaps = read(q, "sitemaps", r.Sitemaps, strconv.ParseBool)
	r.Alternates = read(q, "alternates", r.Alternates, strconv.ParseBool)
	r.Robots = read(q, "robots", r.Robots, strconv.ParseBool)
	r.Scope = read(q, "scope", r.Scope, func(name string) (func(string) bool, error) {
		return simweb.ScopeOf(name, r.Seeds)
	})
	return r
}
