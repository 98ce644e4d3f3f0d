package search

// Request is one page of results.
type Request struct {
	Query  string
	Offset int
	Size   int // 0 = 10
}

// Result is the answer; its JSON is the API of the search page.
type Result struct {
	Total    int64    `json:"total"`
	TookMS   float64  `json:"took_ms"`
	Hits     []Hit    `json:"hits"`
	Relaxed  bool     `json:"relaxed,omitempty"`  // pages may lack words of the query
	Warnings []string `json:"warnings,omitempty"` // what is missing from the result, and why
	Gaps     []Gap    `json:"gaps,omitempty"`     // the same of whole partitions, for programs
}

// Hit is one page.
type Hit struct {
	URL         string  `json:"url"`
	Title       string  `json:"title"`
	Snippet     []Piece `json:"snippet"`
	Score       float64 `json:"score"`
	Site        string  `json:"site"`
	Lang        string  `json:"lang,omitempty"`
	PublishedAt int64   `json:"published_at,omitempty"` // Unix milliseconds
	FetchedAt   int64   `json:"fetched_at,omitempty"`   // Unix milliseconds
	Key         string  `json:"key"`                    // row key: `millrace why` takes it
}

// Piece is a run of text of a snippet; Match marks what the query asked for.
type Piece struct {
	Text  string `json:"text"`
	Match bool   `json:"match,omitempty"`
}
