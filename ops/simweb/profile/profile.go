// Package profile says how a synthetic web behaves: it turns a small YAML file into a checked
// Profile.
//
// # Goals
//
// Every switch of a web stands in one file that people read.
//
// # How it works
//
// The profiles fast, news, university, nasty and d15 are shipped; others are files. Shares are of
// the thing named beside them; what is absent is off.
//
// # Promises
//
// A Profile that Load returns is valid.
//
// # On failure
//
// A key that is not known, a share outside 0..1 or a set of shares above 1 is an error with the
// key's name.
//
// # Limits
//
// Sizes and counts are what the distributions are centred on; a single page differs.
package profile

import "time"

// Profile is every switch of a web. The YAML keys are the field names in lower
// case with underscores.
type Profile struct {
	Name  string `yaml:"name"`
	About string `yaml:"about"`

	Hosts        int `yaml:"hosts"`
	HostsPerSite int `yaml:"hosts_per_site"` // a site is a registrable domain
	// History is how long before its start the web exists: pages were born and
	// changed, items published, during it.
	History time.Duration `yaml:"history"`

	Languages Languages `yaml:"languages"`
	Pages     Pages     `yaml:"pages"`
	Size      Size      `yaml:"size"`
	Links     Links     `yaml:"links"`
	// Leaves are the shares of leaf pages (pages no other page needs to be
	// reached through) that play a role; the rest are plain. Names: see Roles.
	Leaves map[string]float64 `yaml:"leaves"`
	// Twins are the shares of links that name a page by another URL. Names: see
	// Shapes.
	Twins    map[string]float64 `yaml:"twins"`
	Life     Life               `yaml:"life"`
	Change   Change             `yaml:"change"`
	Robots   Robots             `yaml:"robots"`
	Items    Items              `yaml:"items"`
	Sitemaps Sitemaps           `yaml:"sitemaps"`
	Latency  Latency            `yaml:"latency"`
	Hosting  Hosting            `yaml:"hosting"`
	Traps    Traps              `yaml:"traps"`
	// Alternates are pages that exist in every language of the web.
	Alternates Alternates `yaml:"alternates"`
}

// Languages are weights of hosts by language.
type Languages struct {
	English float64 `yaml:"en"`
	Russian float64 `yaml:"ru"`
	Chinese float64 `yaml:"zh"`
}

// Pages is the number of pages of a host: a Pareto distribution from Min on with
// exponent Alpha, cut at Max. Alpha 0 gives every host Min pages.
type Pages struct {
	Min   int     `yaml:"min"`
	Max   int     `yaml:"max"`
	Alpha float64 `yaml:"alpha"`
}

// Size is the length of a page's HTML in bytes: log-normal, cut at Min and Max.
type Size struct {
	Median int     `yaml:"median"`
	Sigma  float64 `yaml:"sigma"`
	Min    int     `yaml:"min"`
	Max    int     `yaml:"max"`
}

// Links describes the links of a page: to its children in the host's tree, then to
// random pages.
type Links struct {
	Mean       int     `yaml:"mean"`       // links a page, tree included
	Sigma      float64 `yaml:"sigma"`      // of their log-normal distribution
	Fanout     int     `yaml:"fanout"`     // children of a page in its host's tree
	External   float64 `yaml:"external"`   // share of random links to other hosts
	Popularity float64 `yaml:"popularity"` // target rank = n * u^popularity; 1 is uniform
	Odd        float64 `yaml:"odd"`        // share written oddly (dots, port, case, fragment)
}

// Life says which leaves appear and disappear, at uniform times within Span of
// the start of the web.
type Life struct {
	Born float64       `yaml:"born"`
	Dies float64       `yaml:"dies"`
	Span time.Duration `yaml:"span"`
}

// Change says which pages change, each by a Poisson process whose mean interval
// is drawn log-uniformly between Fastest and Slowest.
type Change struct {
	Share   float64       `yaml:"share"`
	Fastest time.Duration `yaml:"fastest"`
	Slowest time.Duration `yaml:"slowest"`
	// NoETag and NoLastModified are shares of hosts that leave a validator out.
	NoETag         float64 `yaml:"no_etag"`
	NoLastModified float64 `yaml:"no_last_modified"`
}

// Robots describes the answers of hosts at /robots.txt, as shares of hosts (the
// rest serve ordinary rules).
type Robots struct {
	// Answers are shares of hosts by kind of answer. Names: see RobotsKinds.
	Answers map[string]float64 `yaml:"answers"`
	// CrawlDelay is asked for by the share CrawlDelayShare of hosts.
	CrawlDelay      time.Duration `yaml:"crawl_delay"`
	CrawlDelayShare float64       `yaml:"crawl_delay_share"`
}

// Items are articles published over time: Share of hosts publish them by a
// Poisson process of mean interval Every, with feeds and an archive.
type Items struct {
	Share float64       `yaml:"share"`
	Every time.Duration `yaml:"every"`
	Feed  int           `yaml:"feed"` // items a feed shows
}

// Sitemaps are shares of hosts.
type Sitemaps struct {
	Share     float64 `yaml:"share"`
	Gzip      float64 `yaml:"gzip"`
	PerFile   int     `yaml:"per_file"`   // URLs a file
	FalseMod  float64 `yaml:"false_mod"`  // hosts whose lastmod is always now
	NoMod     float64 `yaml:"no_mod"`     // hosts without lastmod
	Stale     float64 `yaml:"stale"`      // share of dead URLs still listed
	InRobots  float64 `yaml:"in_robots"`  // hosts that name it in robots.txt
	BadFormat float64 `yaml:"bad_format"` // hosts whose sitemap is cut in the middle
	News      float64 `yaml:"news"`       // hosts whose items are in a Google news sitemap
}

// Latency is the time from request to answer: log-normal around Median.
type Latency struct {
	Median time.Duration `yaml:"median"`
	Sigma  float64       `yaml:"sigma"`
	// SlowShare of hosts take Slow instead of Median.
	SlowShare float64       `yaml:"slow_share"`
	Slow      time.Duration `yaml:"slow"`
}

// Hosting are shares of hosts.
type Hosting struct {
	HTTPS    float64 `yaml:"https"`    // the main scheme is https
	Soft404  float64 `yaml:"soft_404"` // an unknown path is answered with 200
	Overload float64 `yaml:"overload"` // answers 429 or 503 at times
	NotGzip  float64 `yaml:"not_gzip"` // never compresses

}

// Traps are shares of hosts that have one.
type Traps struct {
	Calendar float64 `yaml:"calendar"` // days without end
	Maze     float64 `yaml:"maze"`     // paths that grow
	Facets   float64 `yaml:"facets"`   // filters in any combination and order
}

// Alternates says how many pages there are in the other languages as well: on
// the share Hosts of hosts, the share Pages of plain tree pages. The versions
// name each other by rel=alternate hreflang; nothing else leads to those that are
// not in the host's own language.
type Alternates struct {
	Hosts float64 `yaml:"hosts"`
	Pages float64 `yaml:"pages"`
}
