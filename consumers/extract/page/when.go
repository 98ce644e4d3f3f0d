package page

import (
	"strings"
	"time"

	"millrace/consumers/extract/dates"
	"millrace/consumers/extract/plain"
)

// publishedMeta lists the meta names that state the publication, the most reliable first.
var publishedMeta = [...]string{"article:published_time", "og:article:published_time", "datepublished", "date", "pubdate", "publishdate",
	"publish-date", "publish_date", "published_time", "published-date", "dc.date.issued", "dcterms.issued", "dcterms.created", "dc.date.created", "dc.date", "dcterms.date",
	"parsely-pub-date", "sailthru.date", "article.published", "cxenseparse:recs:publishtime", "cxense:articlepublishdate", "citation_publication_date", "citation_date",
	"originalpublicationdate", "article_date_original", "datecreated", "created", "creation_date", "timestamp", "og:pubdate", "og:published_time", "shareaholic:article_published_time", "rnews:datepublished", "search_date", "last-published", "artikeldatum", "publication_date", "pub_date", "release_date", "video:release_date"}

var modifiedMeta = [...]string{"article:modified_time", "og:updated_time", "datemodified", "last-modified", "lastmod", "dcterms.modified", "dc.date.modified", "modified", "revised", "shareaholic:article_modified_time"}

// clock parses dates in the order of the page's language, and knows the time of fetching.
type clock struct {
	order dates.Order
	now   time.Time
}

func (c clock) parse(s string) (time.Time, bool) {
	t, ok := dates.ParseIn(s, c.order)
	return t, ok && c.plausible(t)
}

// firstYear is the first from which a page of the web can be. Older ones need a statement: see
// older.
const firstYear = 1995

// plausible reports whether a time is not before firstYear and not after the fetch (plus two days
// for time zones and wrong clocks).
func (c clock) plausible(t time.Time) bool {
	return t.Year() >= firstYear && (c.now.IsZero() || t.Before(c.now.Add(48*time.Hour)))
}

func (c clock) date(s, from string) (Date, bool) {
	t, ok := c.parse(s)
	return Date{Time: t, From: from, Text: plain.Cut(plain.Clean(s), 100)}, ok
}

func (c clock) fromMeta(f *facts, names []string) (Date, bool) {
	for _, name := range names {
		if v := f.meta[name]; v != "" {
			if d, ok := c.date(v, "meta "+name); ok {
				return d, true
			}
		}
	}
	return Date{}, false
}

func (c clock) modified(f *facts, l linked) Date {
	if d, ok := c.date(l.modified, "json-ld"); ok {
		return d
	}
	d, _ := c.fromMeta(f, modifiedMeta[:])
	return d
}

// orderOf returns MonthFirst for en-US, and for English or an unknown language unless the host is
// in another country; else DayFirst.
func orderOf(lang, url string) dates.Order {
	lang = strings.ToLower(strings.ReplaceAll(lang, "_", "-"))
	switch {
	case lang == "en-us":
		return dates.MonthFirst
	case lang == "en" || lang == "":
		host := hostOf(url)
		if strings.HasSuffix(host, ".com") || strings.HasSuffix(host, ".gov") || strings.HasSuffix(host, ".edu") || strings.HasSuffix(host, ".us") {
			return dates.MonthFirst
		}
	}
	return dates.DayFirst
}

func hostOf(u string) string {
	_, rest, _ := strings.Cut(u, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	host, _, _ := strings.Cut(rest, ":")
	return host
}
