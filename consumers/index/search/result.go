package search

import "millrace/consumers/index/rank"

// Request is one page of results.
type Request struct {
	Query   string
	Offset  int
	Size    int    // 0 = 10
	PerSite int    // hits of one site that come before those of others; 0 = as the options have it, below 0 = no matter
	Newest  bool   // order by date
	Facets  bool   // count all that match, by site, language, type and year
	Explain bool   // say what scores consist of
	Suggest bool   // look for words like those that find nothing
	Cursor  string // "*" begins a walk over all results; then what Result.Next said
}

// Start is the cursor that begins a walk.
const Start = "*"

// Result is the answer.
type Result struct {
	Total    int64        `json:"total"`
	Listed   int64        `json:"listed"` // without copies that are folded into other hits
	TookMS   float64      `json:"took_ms"`
	Hits     []Hit        `json:"hits"`
	Relaxed  bool         `json:"relaxed,omitempty"` // pages may lack words of the query
	Meant    string       `json:"meant,omitempty"`   // a query that finds more
	Next     string       `json:"next,omitempty"`    // the cursor that goes on; "" = that was all, or no cursor was given
	Facets   *rank.Facets `json:"facets,omitempty"`
	Warnings []string     `json:"warnings,omitempty"` // what is missing from the result, and why
	Gaps     []Gap        `json:"gaps,omitempty"`     // the same of whole partitions, for programs
}

// Hit is one page.
type Hit struct {
	URL         string      `json:"url"`
	Title       string      `json:"title"`
	Snippet     []Piece     `json:"snippet"`
	Score       float64     `json:"score"`
	Site        string      `json:"site"`
	Lang        string      `json:"lang,omitempty"`
	Author      string      `json:"author,omitempty"`
	Type        string      `json:"type,omitempty"`
	PublishedAt int64       `json:"published_at,omitempty"` // Unix milliseconds
	FetchedAt   int64       `json:"fetched_at,omitempty"`   // Unix milliseconds
	Date        int64       `json:"date,omitempty"`         // what before:, after: and the order by date go by
	Key         string      `json:"key"`                    // row key: `millrace why` takes it
	Also        []Copy      `json:"also,omitempty"`         // pages with the same text, or nearly
	More        int         `json:"more,omitempty"`         // other pages of this site further down
	Parts       []rank.Part `json:"parts,omitempty"`        // of the score
}

// Copy is a page that is folded into a hit.
type Copy struct {
	URL  string `json:"url"`
	Site string `json:"site"`
}

// Piece is a run of text of a snippet; Match marks what the query asked for.
type Piece struct {
	Text  string `json:"text"`
	Match bool   `json:"match,omitempty"`
}
