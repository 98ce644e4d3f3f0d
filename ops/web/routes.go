package web

import (
	"net/http"
	"time"
)

// Route is one thing the server answers.
type Route struct {
	Pattern string        `json:"pattern"` // of http.ServeMux
	About   string        `json:"about"`
	Access  Access        `json:"access"`
	limit   time.Duration // for an answer; 0 = it streams
	slots   slots
	do      func(*Server, http.ResponseWriter, *http.Request) error
}

// slots says which bound of Options holds for answers under way at once.
type slots uint8

const (
	unbounded slots = iota
	searches
	readers // of topics
	letters // readers of dead letters: whoever reads a topic slowly must not keep them out
)

// Routes lists everything the server answers.
func Routes() []Route {
	const quick, slow = 10 * time.Second, 30 * time.Second
	return []Route{
		{"GET /{$}", "the search page: q, from", Searching, quick, searches, (*Server).searchPage},
		{"GET /dashboard", "the pipeline on one page: range=10m or 24h", Reading, quick, unbounded, (*Server).dashboardPage},
		{"GET /why", "the story of a URL: url", Reading, slow, unbounded, (*Server).whyPage},

		{"GET /api/v1/{$}", "this list", Open, quick, unbounded, (*Server).apiRoutes},
		{"GET /api/v1/search", "results: q, from, size", Searching, quick, searches, (*Server).apiSearch},
		{"GET /api/v1/status", "everything the dashboard shows", Reading, quick, unbounded, (*Server).apiStatus},
		{"GET /api/v1/lag", "how far every group is behind, and why", Reading, quick, unbounded, (*Server).apiLag},
		{"GET /api/v1/why", "the story of a URL: url", Reading, slow, unbounded, (*Server).apiWhy},
		{"POST /api/v1/seeds", `add URLs to the crawl: {"urls": [...], "scope": "host, site or any; empty: as it is"}`, Changing, slow, unbounded, (*Server).apiSeed},
		{"POST /api/v1/recheck", `fetch again now: {"urls": [...], "prefix": false}`, Changing, slow, unbounded, (*Server).apiRecheck},
		{"GET /api/v1/rebuild", "how a rebuild of the index stands, or ended", Reading, quick, unbounded, (*Server).apiRebuilding},
		{"POST /api/v1/rebuild", "fill a new index from docs.unique beside the one that answers, then swap: {}", Changing, quick, unbounded, (*Server).apiRebuild},
		{"GET /api/v1/dlq", "dead letters, newest first: limit", Reading, slow, letters, (*Server).apiDeadLetters},
		{"POST /api/v1/dlq", `put dead letters back: {"offsets": [...]} or {"all": true}`, Changing, slow, unbounded, (*Server).apiPutBack},
		{"GET /api/v1/topics", "the topics, who writes and who reads them", Reading, quick, unbounded, (*Server).apiTopics},
		{"GET /api/v1/topics/{topic}", "records as JSON lines: from_beginning, key, partition, n", Reading, 0, readers, (*Server).apiRecords},

		{"GET /metrics", "for Prometheus", Reading, quick, unbounded, (*Server).metrics},
		{"GET /healthz", "200 if a query can be answered", Open, quick, unbounded, (*Server).healthy},
		{"GET /readyz", "200 if caught up and the index is open", Open, quick, unbounded, (*Server).ready},

		{"GET /opensearch.xml", "for browsers that add search engines", Searching, quick, unbounded, (*Server).openSearch},
		{"GET /robots.txt", "keeps crawlers out, this one too", Open, quick, unbounded, (*Server).robots},
		{"GET /assets/{name}", "styles, script, icon", Open, quick, unbounded, (*Server).asset},
	}
}

// routed returns the handler of all routes.
func (s *Server) routed() (http.Handler, error) {
	seen, err := s.meter()
	if err != nil {
		return nil, err
	}
	bounds := map[slots]chan struct{}{
		searches: make(chan struct{}, s.opts.MaxSearches),
		readers:  make(chan struct{}, s.opts.MaxReaders),
		letters:  make(chan struct{}, s.opts.MaxReaders),
	}
	mux := http.NewServeMux()
	for _, r := range Routes() {
		mux.Handle(r.Pattern, seen.count(r.Pattern, s.guarded(r, bounds[r.slots])))
	}
	mux.Handle("/", seen.count("none", s.lost(mux)))
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(s.answer(func(http.ResponseWriter, *http.Request) error {
		return refuse(http.StatusForbidden, "a page of another site may not change anything here")
	}))
	return s.headers(origin.Handler(mux)), nil
}

// lost answers what no route does: with 405 if only the method is wrong.
func (s *Server) lost(mux *http.ServeMux) http.Handler {
	return s.answer(func(w http.ResponseWriter, r *http.Request) error {
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
