package truth

import (
	"errors"
	"strings"
	"time"
)

// Rules say what a crawl may do.
type Rules struct {
	// Seeds are the URLs the crawl starts from; the port they carry is carried on.
	Seeds []string
	// Scope says which host names (without port) are in; nil takes all.
	Scope func(host string) bool
	// MaxDepth is the number of links from a seed; negative has no limit. A
	// redirect's target has the depth of the redirect.
	MaxDepth int
	// MaxHops is how many redirects in a row are followed; negative has no limit.
	MaxHops int
	// Robots says whether robots.txt is obeyed, by Agent's product token.
	Robots bool
	Agent  string
	// At is when the crawl ends; the walk sees the web as it stands then. With
	// Since set, links that existed at any time from Since on count as well.
	At    time.Time
	Since time.Time
	// Feeds and Sitemaps say whether their URLs are found through them.
	Feeds    bool
	Sitemaps bool
	// Alternates says whether rel=alternate hreflang is followed like a link. Off,
	// a page's other languages are not within reach: nothing else leads to them.
	Alternates bool
	// Canonical maps a URL to the form the crawler asks for, so that a crawler
	// that sorts parameters is not said to miss the unsorted URL. nil is identity.
	Canonical func(url string) string
}

// DefaultRules crawls everything from the seeds politely.
func DefaultRules(at time.Time, seeds ...string) Rules {
	return Rules{
		Seeds: seeds, MaxDepth: -1, MaxHops: -1, Robots: true, Agent: "millrace", At: at,
	}
}

// Validate says what is wrong.
func (r Rules) Validate() error {
	switch {
	case len(r.Seeds) == 0:
		return errors.New("truth: no seeds")
	case r.At.IsZero():
		return errors.New("truth: time is not set")
	case r.Robots && r.Agent == "":
		return errors.New("truth: robots needs an agent")
	}
	return nil
}

func (r Rules) canonical(url string) string {
	url, _, _ = strings.Cut(url, "#")
	if r.Canonical == nil {
		return url
	}
	return r.Canonical(url)
}

func (r Rules) inScope(url string) bool { return r.Scope == nil || r.Scope(hostName(url)) }

// hostName is the host of an absolute URL, without port.
func hostName(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, "/?:"); i >= 0 {
		return rest[:i]
	}
	return rest
}

// target is path and query of an absolute URL.
func target(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		return rest[i:]
	}
	return "/"
}

// siteName is the registrable domain of a host name: its last two labels, since
// every name of the web is below .test.
func siteName(host string) string {
	if i := strings.LastIndexByte(host, '.'); i >= 0 {
		return host[strings.LastIndexByte(host[:i], '.')+1:]
	}
	return host
}
