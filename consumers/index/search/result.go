package search

import "millrace/consumers/index/rank"

// Request asks for one page of results.
type Request struct {
	Query   string
	Offset  int
	Size    int    // 0 = 10
	PerSite int    // hits of one site before those of others; 0 = as in the options, below 0 = no limit
	Newest  bool   // order by date
	Facets  bool   // count all matching pages by site, language, type and year
	Explain bool   // list the addends of the scores
	Suggest bool   // look for a better spelling of words that find nothing
	Instead bool   // if nothing is found, answer the suggested query, unless this one has quotes
	Seen    string // the Seen of the page of results before, with Offset after it: the best that were not shown
	Cursor  string // "*" begins a walk over all results; then the Next of the last Result
}

// Start is the cursor that begins a walk over all results.
const Start = "*"

// Result is a page of results.
type Result struct {
	Total    int64        `json:"total"`
	Listed   int64        `json:"listed"` // without copies that are folded into other hits
	TookMS   float64      `json:"took_ms"`
	Hits     []Hit        `json:"hits"`
	Relaxed  bool         `json:"relaxed,omitempty"` // pages may lack words of the query
	Meant    string       `json:"meant,omitempty"`   // a query with corrected words that finds more
	Instead  string       `json:"instead,omitempty"` // nothing was found; this query was answered
	Next     string       `json:"next,omitempty"`    // the cursor to go on with; "" = that was all, or no cursor was given
	Seen     string       `json:"seen,omitempty"`    // names what this page and those before it showed; "" = it was the last
	Facets   *rank.Facets `json:"facets,omitempty"`
	Warnings []string     `json:"warnings,omitempty"` // what is missing from the result, and why
	Gaps     []Gap        `json:"gaps,omitempty"`     // the same for whole partitions, for programs
}

// Hit is one page.
type Hit struct {
	URL         string      `json:"url"`
	Title       string      `json:"title"`
	Snippet     []Piece     `json:"snippet"`
	FilePage    int         `json:"file_page,omitempty"` // of a file: its page, slide or sheet where the snippet matches, from 1; 0 = none
	Score       float64     `json:"score"`
	Site        string      `json:"site"`
	Lang        string      `json:"lang,omitempty"`
	Author      string      `json:"author,omitempty"`
	Type        string      `json:"type,omitempty"`
	PublishedAt int64       `json:"published_at,omitempty"` // Unix milliseconds
	FetchedAt   int64       `json:"fetched_at,omitempty"`   // Unix milliseconds
	Date        int64       `json:"date,omitempty"`         // used by before:, after: and the order by date
	Key         string      `json:"key"`                    // row key: `millrace why` takes it
	NoArchive   bool        `json:"no_archive,omitempty"`   // the page asked that its whole text not be shown
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
