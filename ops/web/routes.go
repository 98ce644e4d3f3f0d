package web

import (
	"net/http"
	"time"
)

// Route is one route of the server.
type Route struct {
	Pattern string        `json:"pattern"` // of http.ServeMux
	About   string        `json:"about"`
	Access  Access        `json:"access"`
	limit   time.Duration // for an answer; 0 = it streams
	slots   slots
	do      func(http.ResponseWriter, *http.Request) error
}

// slots says which bound of Options limits the requests at the same time.
type slots uint8

const (
	unbounded slots = iota
	searches
	readers // of topics
	followers
	letters // of dead letters: slow readers of topics must not keep them out
	profiles
	hubs
)

// parts have the handlers, grouped by subject.
type parts struct {
	search    *searchPages
	dashboard *dashboard
	why       *storyPages
	text      *textPages
	api       *api
	steer     *steering
	health    *health
	files     *files
}

// Routes lists all routes.
func Routes() []Route { return parts{}.routes() }

func (p parts) routes() []Route {
	const quick, slow = 10 * time.Second, 30 * time.Second
	return []Route{
		{"GET /{$}", "the search page: q, from, size, sort, per_site, seen", Searching, quick, searches, p.search.page},
		{"GET /dashboard", "the pipeline on one page: range=10m or 24h", Reading, quick, unbounded, p.dashboard.page},
		{"GET /why", "the story of a URL: url", Reading, slow, unbounded, p.why.page},

		{"GET /api/v1/{$}", "this list", Open, quick, unbounded, p.api.routes},
		{"GET /rss", "results as RSS, newest first: q, size, sort=relevance, from, per_site", Searching, quick, searches, p.search.rss},
		{"GET /api/v1/openapi.json", "this API as OpenAPI 3.1", Open, quick, unbounded, p.api.openAPI},
		{"GET /api/v1/asyncapi.json", "the topics as AsyncAPI 3.0", Open, quick, unbounded, p.api.asyncAPI},
		{"GET /api/v1/search", "results: q, from, size, sort=date, per_site, facets, exact, explain, seen, cursor", Searching, quick, searches, p.search.answerJSON},
		{"GET /api/v1/suggest", "queries that go on from what was typed: q", Searching, quick, searches, p.search.suggest},
		{"GET /text", "the text of a page, as it was fetched, by pages of its file: url", Searching, quick, searches, p.text.page},
		{"GET /api/v1/text", "the text of a page, as it was fetched, by pages of its file: url", Searching, quick, searches, p.text.answerJSON},
		{"GET /api/v1/status", "everything the dashboard shows", Reading, quick, unbounded, p.api.status},
		{"GET /api/v1/lag", "how far every group is behind, and why", Reading, quick, unbounded, p.api.lag},
		{"GET /api/v1/why", "the story of a URL: url", Reading, slow, unbounded, p.why.answerJSON},
		{"POST /api/v1/seeds", `add URLs to the crawl: {"urls": [...], "scope": "host, site or any; empty: as it is"}`, Changing, slow, unbounded, p.api.seed},
		{"POST /api/v1/recheck", `fetch again now: {"urls": [...], "prefix": false}`, Changing, slow, unbounded, p.api.recheck},
		{"GET /api/v1/rules", "rules, pauses and removals: host, site, ended, n", Reading, slow, unbounded, p.steer.rules},
		{"POST /api/v1/rules", `change rules: {"add": [{"rule": "exclude /x", "site": ""}], "remove": [ids]}`, Changing, slow, unbounded, p.steer.changeRules},
		{"GET /api/v1/rules/test", "what a rule would change about known URLs: rule, host, site", Reading, slow, readers, p.steer.testRule},
		{"GET /api/v1/rules/judge", "what operators decided about a URL: url", Reading, quick, unbounded, p.steer.judge},
		{"GET /api/v1/rules/proposals", "rules that what was crawled suggests: host", Reading, slow, readers, p.steer.propose},
		{"GET /api/v1/urls", "known URLs in order: prefix, after, n", Reading, slow, readers, p.steer.urls},
		{"GET /api/v1/patterns", "what the URLs of a host brought, by shape: host", Reading, slow, readers, p.steer.patterns},
		{"GET /api/v1/hosts", "hosts: sort, site, n", Reading, slow, readers, p.steer.hosts},
		{"POST /api/v1/pause", `pause or resume: {"host": "", "site": "", "resume": false}`, Changing, slow, unbounded, p.steer.pause},
		{"POST /api/v1/forget", `remove for good: {"urls": [...], "prefix": false, "site": "", "content": false, "lift": false}`, Changing, slow, unbounded, p.steer.forget},
		{"GET /api/v1/rebuild", "how a rebuild of the index stands, or ended", Reading, quick, unbounded, p.api.rebuilding},
		{"POST /api/v1/rebuild", "fill a new index from docs.unique beside the one that answers, then swap: {}", Changing, quick, unbounded, p.api.rebuild},
		{"GET /api/v1/ranks", "pages or hosts with the highest PageRank: top, by (page or host)", Reading, slow, unbounded, p.api.ranks},
		{"GET /api/v1/replay", "how a replay of extraction stands, or ended", Reading, quick, unbounded, p.api.replaying},
		{"POST /api/v1/replay", `extract again what was fetched: {"edition": 2, "from": TIME, "to": TIME, "site": "...", "rate": 100, "plan": false}`, Changing, slow, unbounded, p.api.replay},
		{"GET /api/v1/dead-letters", "dead letters, newest first: limit", Reading, slow, letters, p.api.deadLetters},
		{"POST /api/v1/dead-letters", `put dead letters back: {"offsets": [...]} or {"all": true}`, Changing, slow, unbounded, p.api.putBack},
		{"GET /api/v1/topics", "the topics, who writes and who reads them", Reading, quick, unbounded, p.api.topics},
		{"GET /api/v1/topics/{topic}", "records as JSON lines: from_beginning, offset, since, key, where, partition, n, full", Reading, 0, readers, p.api.records},
		{"GET /api/v1/topics/{topic}/stream", "records as they come, as server-sent events, resumed by Last-Event-ID: from_beginning, offset, since, key, where, partition, full", Reading, 0, followers, p.api.follow},

		{"GET /websub/{id}", "for hubs: verification of a subscription", Open, quick, hubs, p.files.hub},
		{"POST /websub/{id}", "for hubs: content that they push", Open, quick, hubs, p.files.hub},
		{"GET /indexnow", "IndexNow: one URL that changed: url, key, keyLocation", Open, quick, hubs, p.files.announced},
		{"POST /indexnow", `IndexNow: {"host": "", "key": "", "keyLocation": "", "urlList": [...]}`, Open, quick, hubs, p.files.announced},

		{"GET /metrics", "for Prometheus", Reading, quick, unbounded, p.health.metrics},
		{"GET /healthz", "200 if a query can be answered", Open, quick, unbounded, p.health.healthy},
		{"GET /readyz", "200 if caught up and the index is open", Open, quick, unbounded, p.health.ready},

		{"GET /debug/pprof/{name}", "a profile for go tool pprof: profile (of CPU; seconds), heap, allocs, goroutine, mutex, block, trace", Inspecting, 0, profiles, p.health.profile},

		{"GET /opensearch.xml", "for browsers that add search engines", Searching, quick, unbounded, p.search.openSearch},
		{"GET /robots.txt", "keeps crawlers out, this one too", Open, quick, unbounded, p.files.robots},
		{"GET /assets/{name}", "styles, script, icon", Open, quick, unbounded, p.files.asset},
	}
}

// routed returns the handler of all routes.
func (p parts) routed(o Options, g *guard) (http.Handler, error) {
	seen, err := newRequests(p.health.registry)
	if err != nil {
		return nil, err
	}
	bounds := map[slots]chan struct{}{
		searches:  make(chan struct{}, o.MaxSearches),
		readers:   make(chan struct{}, o.MaxReaders),
		followers: make(chan struct{}, o.MaxFollowers),
		letters:   make(chan struct{}, o.MaxReaders),
		profiles:  make(chan struct{}, 1),
		hubs:      make(chan struct{}, o.MaxReaders),
	}
	mux := http.NewServeMux()
	for _, r := range p.routes() {
		mux.Handle(r.Pattern, seen.count(r.Pattern, g.guarded(r, bounds[r.slots])))
	}
	mux.Handle("/", seen.count("none", g.lost(mux)))
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(g.handler(func(http.ResponseWriter, *http.Request) error {
		return refuse(http.StatusForbidden, "a page of another site may not change anything here")
	}))
	return headers(origin.Handler(mux)), nil
}

// lost answers requests that match no route: with 405 if only the method is wrong, else 404.
func (a *answers) lost(mux *http.ServeMux) http.Handler {
	return a.handler(func(w http.ResponseWriter, r *http.Request) error {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			other := *r
			other.Method = method
			if _, pattern := mux.Handler(&other); pattern != "/" {
				w.Header().Set("Allow", method)
				return refuse(http.StatusMethodNotAllowed, "this address takes only %s", method)
			}
		}
		return refuse(http.StatusNotFound, "there is nothing at this address")
	})
}
