package search

import (
	"errors"
	"fmt"
	"time"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
)

// Options of a Searcher.
type Options struct {
	Limits       query.Limits
	Params       rank.Params
	Timeout      time.Duration // for all shards together; those that are late are left out
	RelaxBelow   int64         // if fewer pages have all words, pages may lack some
	Rescore      int           // how many of the best, over all shards, get the additions of rank.Plan.Rescore
	MaxSize      int           // hits on one page
	MaxDepth     int           // of offset + size; cursors go further
	Window       int           // among how many of the best copies are folded and sites take turns
	PerSite      int           // hits of one site before those of others, unless asked otherwise
	NearBits     int           // texts of one site are nearly equal if sketch.Short differs in at most this many bits
	SnippetBytes int           // length of a snippet, about
	ScanBytes    int           // of a page's text that are searched for its snippet

	// CompoundsBelow: if fewer pages have all words as they were typed, words stand for the words
	// of which they are a part, and for the parts of which they are made, in languages that write
	// such words as one (Schifffahrt, Schifffahrtsgesellschaft); 0 = never.
	CompoundsBelow int64

	Feedback Feedback // words of the best pages added to long questions

	Now func() time.Time // for the age of pages
}

// Feedback bounds the words of the best pages that are added to a question that few pages answer
// fully.
type Feedback struct {
	Pages      int     // to be read; 0 = no feedback
	Words      int     // to be added
	Share      float64 // weight of the best of them, as a share of its weight in a query
	LeastWords int     // shorter queries are not changed
}

// DefaultOptions returns the options of the search page.
func DefaultOptions() Options {
	return Options{
		Limits:       query.DefaultLimits(),
		Params:       rank.DefaultParams(),
		Timeout:      2 * time.Second,
		RelaxBelow:   10,
		Rescore:      200,
		MaxSize:      100,
		MaxDepth:     1000,
		Window:       100,
		PerSite:      2,
		NearBits:     3,
		SnippetBytes: 240,
		ScanBytes:    64 << 10,

		CompoundsBelow: 10,

		Feedback: Feedback{Pages: 8, Words: 20, Share: 0.35, LeastWords: 7},
		Now:      time.Now,
	}
}

// Validate returns an error for options that cannot work.
func (o Options) Validate() error {
	switch {
	case o.Limits.MaxBytes < 1 || o.Limits.MaxTerms < 1 || o.Limits.MaxDepth < 1:
		return fmt.Errorf("query limits must be positive, are %+v", o.Limits)
	case o.Timeout <= 0:
		return fmt.Errorf("timeout must be positive, is %s", o.Timeout)
	case o.MaxSize < 1 || o.MaxDepth < o.MaxSize:
		return fmt.Errorf("max depth must be at least max size, and that positive: are %d and %d", o.MaxDepth, o.MaxSize)
	case o.Window < 0 || o.Window > o.MaxDepth || o.PerSite < 1 || o.NearBits < 0 || o.NearBits > 64:
		return fmt.Errorf("window, hits per site or near bits make no sense: %d, %d, %d", o.Window, o.PerSite, o.NearBits)
	case o.Feedback.Pages < 0 || o.Feedback.Pages > 100 || o.Feedback.Words < 0 || o.Feedback.Words > 100 || o.Feedback.Share < 0:
		return fmt.Errorf("feedback makes no sense: %+v", o.Feedback)
	case o.Now == nil:
		return errors.New("there must be a clock")
	case o.Rescore < 0:
		return fmt.Errorf("rescore must not be negative, is %d", o.Rescore)
	case o.SnippetBytes < 40 || o.ScanBytes < o.SnippetBytes:
		return fmt.Errorf("snippets must have at least 40 bytes and lie within what is scanned: %d of %d", o.SnippetBytes, o.ScanBytes)
	}
	return o.Params.Validate()
}
