package page

import (
	"time"

	"millrace/consumers/extract/plain"
)

// Archives and newspapers put texts on the web that are older than it. A day before 1995 counts
// only where markup states the publication and nothing else, in the form of ISO 8601 or nearly so:
// in texts and in weaker fields such years are events, birthdays and defaults of programs.

// publishedSurely lists the meta names that state the publication and nothing else.
var publishedSurely = [...]string{"article:published_time", "og:article:published_time", "datepublished", "dc.date.issued", "dcterms.issued",
	"citation_publication_date", "citation_date", "originalpublicationdate", "publication_date"}

// oldest is the first year of which such days are taken.
const oldest = 1450

// older returns the day of publication that a page states, if it is before the web.
func older(f *facts, l linked) (Date, bool) {
	if d, ok := olderDay(l.published, "json-ld"); ok {
		return d, true
	}
	for _, name := range publishedSurely {
		if d, ok := olderDay(f.meta[name], "meta "+name); ok {
			return d, true
		}
	}
	return Date{}, false
}

func olderDay(value, from string) (Date, bool) {
	value = plain.Clean(value)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04Z07:00", time.DateOnly, "2006/01/02", "2006/1/2"} {
		t, err := time.Parse(layout, value)
		if err != nil {
			continue
		}
		return Date{Time: t, From: from, Text: value, Sure: 1}, t.Year() >= oldest && t.Year() < firstYear && !isDefault(t)
	}
	return Date{}, false
}

// isDefault reports days that programs write for want of a date: their zero, in any zone.
func isDefault(t time.Time) bool {
	for _, zero := range []time.Time{
		time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC),
		time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1753, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1582, 10, 15, 0, 0, 0, 0, time.UTC),
	} {
		if d := t.Sub(zero); d > -48*time.Hour && d < 48*time.Hour {
			return true
		}
	}
	return false
}
