package page

import (
	"time"

	"millrace/consumers/extract/charset"
	"millrace/schema"
)

// Input is one answer of a server, with its Content-Encoding undone.
type Input struct {
	URL         string
	ContentType string
	RobotsTags  []string // X-Robots-Tag headers
	LinkHeaders []string // Link headers
	Language    string   // Content-Language header
	Body        []byte
	FetchedAt   time.Time // for unavailable_after and dates in the future; zero = unknown
}

// Drop says why a page becomes no document; "" if it becomes one.
type Drop string

// The reasons.
const (
	NotDropped  Drop = ""
	NotHTML     Drop = "not_html"    // a type that is not read here
	Empty       Drop = "empty"       // no text at all
	Broken      Drop = "broken"      // it could not be decoded
	NoIndex     Drop = "noindex"     // the page asks for it
	Unavailable Drop = "unavailable" // its unavailable_after is over
	IsFeed      Drop = "feed"        // a feed or sitemap, found under a page's URL
	ByRule      Drop = "rule"        // a rule of its domain refuses it
	NoText      Drop = "no_text"     // a file whose pages are pictures
	Encrypted   Drop = "encrypted"   // a file that asks for a password
	TooHeavy    Drop = "too_heavy"   // a file that takes more time or memory than one may
)

// Result holds the texts, dates, links and other facts that were extracted from a page.
type Result struct {
	Title     string
	Text      string // main text, one paragraph per line
	Headings  []string
	LinkShare int    // percent of the words of Text that are in links
	Summary   string // the page's own description
	Author    string
	Lang      string // BCP 47; the stated one if it is plausible, else the detected one

	Stated    string // language that the page states; "" if none
	Detected  string // language of its text; "" if not sure
	Published Date
	Modified  Date

	Canonical  schema.URL // zero if not stated; may be the page itself
	Hreflang   []Alternate
	Directives Directives
	Links      []Link
	Cut        int // links beyond MaxLinks
	RuleID     string
	Type       string  // one of TypeNames; "" of a file or feed
	Comments   string  // comments of readers below the text
	Useful     bool    // article-like
	Score      float64 // how article-like, 0 to 1
	Words      int     // of the first 8 KB of Text

	Filetype   string  // of a file: pdf, docx, ...; "" for HTML, txt, xml
	PageStarts []int32 // of a file: where in Text its pages begin
	Pages      int     // of a file: how many it has
	FileCut    bool    // of a file: it has more than was read

	Same Identity

	Charset charset.Text // without the text
	Kind    MediaKind
	Flat    bool // the tree was too deep: it was built from tokens
	TitleBy string
	TextBy  string
	By      string // author's source
	Drop    Drop
}

// Identity holds the title and text that copies of a page have in common at any address. Title and
// Text of the Result may differ between copies, because the address has an influence on them.
type Identity struct {
	Title string // the choice of pickTitle
	Text  string // main text; if that is short, all text that may belong to it
}

// Date is a time and where it was found.
type Date struct {
	Time time.Time // zero if unknown
	From string    // e.g. "json-ld", "meta article:published_time"
	Text string    // as written in the page
	Sure float64   // probability that it is right, 0 to 1, if a model chose it; 1 if a rule or a file states it
}

// Alternate is the page in another language.
type Alternate struct {
	Lang string
	URL  schema.URL
}

// Directives are the page's directives for robots, in meta elements and X-Robots-Tag headers, for
// all robots and for this one.
type Directives struct {
	NoIndex, NoFollow, NoArchive, NoSnippet bool
	UnavailableAfter                        time.Time
}

// LinkKind says what a link's target is expected to be.
type LinkKind uint8

// The kinds.
const (
	PageLink LinkKind = iota
	FeedLink
	SitemapLink
)

// String names the kind.
func (k LinkKind) String() string { return [...]string{"page", "feed", "sitemap"}[k] }

// Rel is a set of what a link says about itself; the values are those of the Links message.
type Rel uint32

// The bits.
const (
	RelNoFollow    Rel = 1
	RelUGC         Rel = 2
	RelSponsored   Rel = 4
	RelMetaRefresh Rel = 16
)

// Link is one target of a page; each target is there once.
type Link struct {
	URL    schema.URL
	Kind   LinkKind
	Anchor string
	Rel    Rel
}
