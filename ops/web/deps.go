package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"millrace/ops/deadletters"
	"millrace/ops/records"
	"millrace/ops/watch"
)

// Deps are the dependencies of the pages. Watch, Token and Logger are required; a nil function
// means that this process does not have the part.
//
// It is large because each page of the dashboard needs something else.
type Deps struct {
	Watch  *watch.Watch
	Token  string // what calls that change something carry; see Access
	Logger *slog.Logger

	Search     func(context.Context, Question) (Results, error)
	Suggest    func(ctx context.Context, typed string, limit int) ([]string, error)  // whole queries that complete what was typed
	Text       func(ctx context.Context, url string) (text Text, ok bool, err error) // false: the index does not have the page
	Why        func(ctx context.Context, url string) (Story, error)
	Ready      func() error                // nil: caught up and index open
	Healthy    func(context.Context) error // a real query
	Recheck    func(ctx context.Context, urls []string, prefix bool) (Rechecked, error)
	Idler      func(context.Context) string                                           // why seeds and rechecks are not fetched yet; "" if they are
	Seed       func(ctx context.Context, urls []string, scope string) (Seeded, error) // scope: host, site, any, or "" as it is
	Rebuild    func() error                                                           // begins one
	Rebuilding func() Rebuild                                                         // the state of the running or last one

	Operators Operators // rules, pauses, removals, lists of URLs and hosts

	Ranks       func(ctx context.Context, hosts bool, top int) (Ranks, error)      // highest PageRank first
	DeadLetters func(ctx context.Context, limit int) ([]deadletters.Letter, error) // newest first
	PutBack     func(ctx context.Context, offsets []int64) (int, error)            // nil offsets = all
	Records     func(ctx context.Context, topic string, opts records.Options, each func(records.Record) error) error
	Follow      func(ctx context.Context, topic string, opts records.Options, begin records.Position, to records.Follower) error

	WebSub   http.Handler // answers hubs; nil: no subscriptions
	IndexNow http.Handler // takes announced URLs; nil: it is off

	Replayer Replayer // nil: not in this process

	ending context.Context // ends when the server stops; set by New
}

// UserError is an error whose text is for the client: a query that cannot be answered, a text that
// is no URL. Errors with a method UserMessage() string are treated alike.
type UserError struct{ Message string }

// Error implements error.
func (e *UserError) Error() string { return e.Message }

// UserMessage returns the text for the client.
func (e *UserError) UserMessage() string { return e.Message }

// Unavailable is an error that ends by itself or when an operator acts, as its text says. It is
// answered with 503.
type Unavailable struct{ Message string }

// Error implements error.
func (e *Unavailable) Error() string { return e.Message }

// Rechecked says which URLs will be fetched again.
type Rechecked struct {
	Accepted int          `json:"accepted"`
	Unknown  []UnknownURL `json:"unknown,omitempty"`
	Note     string       `json:"note,omitempty"` // why they are not fetched yet
}

// Seeded says which URLs were added to the crawl.
type Seeded struct {
	Accepted int          `json:"accepted"`
	KeptOut  []UnknownURL `json:"kept_out,omitempty"` // by decisions of operators
	Note     string       `json:"note,omitempty"`     // why they are not fetched yet
}

// UnknownURL is a URL that was left out.
type UnknownURL struct {
	URL string `json:"url"`
	Why string `json:"why"`
}

// Question is a question to the index.
type Question struct {
	Query      string
	From, Size int
	PerSite    int    // hits of one site before those of others; 0 = default, below 0 = no limit
	Newest     bool   // order by date
	Facets     bool   // count by site, language, type and year
	Explain    bool   // list the addends of the scores
	Cursor     string // "" = none; "*" begins a walk over all results
	Seen       string // the token of the page before
	Exact      bool   // never answer another query than this one
}

// Results are one page of results.
type Results struct {
	Total    int64 // pages that match
	Listed   int64 // without copies that are folded into others
	Took     time.Duration
	Hits     []Hit
	Relaxed  bool     // pages may lack words of the query
	Meant    string   // a query that finds more; "" = none
	Instead  string   // nothing was found, and this query was answered; "" = the one that was asked
	Next     string   // the cursor to go on with
	Seen     string   // token of what this page and those before it showed; "" = it was the last
	Facets   []Facet  // if they were asked for
	Warnings []string // what is missing, and why
}

// Facet counts the results by their values of one property.
type Facet struct {
	Name   string       `json:"name"` // site, language, type, year
	Values []FacetValue `json:"values"`
}

// FacetValue is a value with the number of results that have it, and the condition that selects
// these.
type FacetValue struct {
	Value string `json:"value"`
	Count int64  `json:"count"`
	Query string `json:"query"`
}

// Hit is one result. All its strings are plain text from the web.
type Hit struct {
	URL, Title   string
	Snippet      []Fragment
	Score        float64
	Site, Lang   string
	Author, Type string
	PublishedAt  time.Time // zero = not known
	FetchedAt    time.Time
	Date         time.Time // used by before:, after: and the order by date
	Also         []Also    // pages with the same text, or nearly
	More         int       // other pages of the site further down
	FilePage     int       // of a file: its page, slide or sheet where the snippet matches, from 1; 0 = none
	NoArchive    bool      // the page asked that its whole text not be shown
	Parts        []Part    // of the score, if they were asked for
}

// Text is the text of a page as the index has it. All its strings are plain text from the web.
type Text struct {
	URL, Title   string
	Site, Lang   string
	Author, Type string
	PublishedAt  time.Time // zero = not known
	FetchedAt    time.Time
	NoArchive    bool       // the page asked that its whole text not be shown, so Pages is empty
	Pages        []TextPage // of a file; of a page without such parts only one
}

// TextPage is a page, slide, sheet or chapter of a file.
type TextPage struct {
	Number int    `json:"number"` // from 1; 0 = a text without pages, or what stands before the first one
	Text   string `json:"text"`   // a paragraph a line
}

// Also is another page with the text of a hit.
type Also struct {
	URL  string `json:"url"`
	Site string `json:"site"`
}

// Part is one addend of a score.
type Part struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Fragment is a piece of a snippet. Mark says that it matched.
type Fragment struct {
	Text string
	Mark bool
}

// Rebuild is the state of a rebuild of the index, or of the last one.
type Rebuild struct {
	Running    bool      `json:"running"`
	Began      time.Time `json:"began,omitzero"` // zero = none since the process began
	Ended      time.Time `json:"ended,omitzero"`
	Read       int64     `json:"records_read"`
	Total      int64     `json:"records,omitempty"`      // offsets to read, including those of cleaned records
	Left       float64   `json:"seconds_left,omitempty"` // at the speed so far
	Error      string    `json:"error,omitempty"`        // why it failed
	Generation int       `json:"generation"`             // of the index that answers
	Docs       int64     `json:"documents"`              // in it
}

// Story is everything that is known of a URL.
type Story struct {
	URL      string    `json:"url"`     // canonical
	Summary  string    `json:"summary"` // in a sentence
	Sections []Section `json:"sections"`
}

// Section is one part of a Story: names and values, in order.
type Section struct {
	Title string      `json:"title"`
	Facts [][2]string `json:"facts"`
}
