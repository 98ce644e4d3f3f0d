package schema

import "strings"

// Reason is why a URL, a page or a link goes no further: the code that records, rows and counters
// carry, and its words for people. A code without words of its own is said as it is written, with
// spaces.
type Reason struct {
	Code  string
	Pages string // fetched pages that make no document for this reason: "12 ask not to be indexed"; "" if it is no such reason
	Count string // in a line of counts: "outside the scope 12"
	Why   string // of one URL: "it asks not to be indexed"
}

// Reasons lists all reasons, those of fetched pages first, in the order in which an account shows
// them. A drop whose reason is not here fails a test (ops/lint).
func Reasons() []Reason {
	return []Reason{
		{Code: "noindex", Pages: "ask not to be indexed", Why: "it asks not to be indexed"},
		{Code: "empty", Pages: "without text"},
		{Code: "not_html", Pages: "of a type that is not read", Count: "not a type that is read", Why: "it is of a type that is not read"},
		{Code: "feed", Pages: "feeds"},
		{Code: "sitemap", Pages: "sitemaps"},
		{Code: "rule", Pages: "left out by a rule"},
		{Code: "no_text", Pages: "files without text, such as scans", Count: "files without text", Why: "it is a file without text, such as a scan"},
		{Code: "encrypted", Pages: "files that ask for a password", Count: "files with a password", Why: "it is a file that asks for a password"},
		{Code: "too_heavy", Pages: "files that take too long to read", Count: "files too heavy to read",
			Why: "it is a file that takes more time or memory to read than one may"},
		{Code: "broken", Pages: "not readable"},
		{Code: "unavailable", Pages: "past their end date"},

		// Of URLs and links.
		{Code: "scope", Count: "outside the scope"},
		{Code: "ssrf", Count: "private address", Why: "a private address (allow with --allow-private)"},
		{Code: "robots", Why: "robots.txt forbids it"},
		{Code: "not_found", Why: "it is not there (HTTP 404)"},
		{Code: "depth", Count: "too deep"},
		{Code: "nofollow", Count: "marked nofollow"},
		{Code: "redirects", Count: "behind too many redirects"},
		{Code: "host_pages", Count: "beyond the pages of a host", Why: "its host has as many pages as one may have (--max-pages-host)"},
		{Code: "host_bytes", Count: "beyond the bytes of a host", Why: "its host has sent as much as one may send (--max-mib-host)"},
		{Code: "site_pages", Count: "beyond the pages of a site", Why: "its site has as many pages as one may have (--max-pages-site)"},
		{Code: "host_budget"},
		{Code: "site_hosts", Why: "its site has as many hosts as one may have (--max-hosts-site), they repeat each other's texts, or it has a host for any name"},
		{Code: "links_over_cap"},
		{Code: "trap", Count: "of kinds that bring nothing new", Why: "URLs of its shape brought nothing new"},
		{Code: "copy", Count: "copies of other pages", Why: "pages of its shape repeat the text of another page that is fetched"},
		{Code: "excluded", Count: "excluded by rules", Why: "an exclude rule keeps it out"},
		{Code: "not_included", Count: "not included by rules", Why: "no include rule of its scope matches it"},
		{Code: "suffix", Count: "no pages by their suffix", Why: "its suffix is left out by default"},
		{Code: "forgotten", Count: "removed by an operator", Why: "an operator had it removed"},
		{Code: "rule_limit", Count: "over the limit of a rule", Why: "its host or site has as many such URLs as a limit rule lets in"},

		// Of what feeds and sitemaps list, and of URLs that are none.
		{Code: "not_listing"}, {Code: "encoding"}, {Code: "foreign"}, {Code: "over_cap"},
		{Code: ErrEmpty}, {Code: ErrRelative}, {Code: ErrScheme}, {Code: ErrHost}, {Code: ErrPort}, {Code: ErrTooLong}, {Code: ErrSyntax},

		// Of records that change nothing.
		{Code: "again"}, {Code: "repeat"}, {Code: "repeated"}, {Code: "stale"}, {Code: "older_version"}, {Code: "repeated_version"},
		{Code: "takedown"}, {Code: "unknown_url"}, {Code: "known"}, {Code: "probe"}, {Code: "panic"},
		{Code: "aliases_full"}, {Code: "cluster_full"},
	}
}

// ReasonOf returns the reason of a code, with all its words.
func ReasonOf(code string) Reason {
	r := Reason{Code: code}
	for _, x := range Reasons() {
		if x.Code == code {
			r = x
		}
	}
	plain := strings.ReplaceAll(code, "_", " ")
	if r.Count == "" {
		r.Count = plain
	}
	if r.Why == "" {
		r.Why = plain
	}
	return r
}
