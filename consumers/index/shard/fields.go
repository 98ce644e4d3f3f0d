package shard

import (
	"strings"
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"millrace/consumers/index/query"
)

// The fields. Names are sorted in stored documents, and those that start with "_" come first, so that reading
// a mark does not walk over the text.
const (
	fieldKey   = "_id"
	fieldMark  = "_mark" // see mark
	fieldPage  = "_page" // see storedPage
	fieldBody  = "body"
	fieldDay   = "day"
	fieldHost  = "host"
	fieldLang  = "lang"
	fieldTitle = "title"
)

// Every option of every field is here; nothing is left to a default of bleve. No field has doc values: sorting
// and facets over them cost 2 us a hit, and nothing needs them.
const (
	storedOnly = index.StoreField
	// keyword postings carry neither frequency nor length: a keyword that one page has costs no posting at all.
	keyword = index.IndexField | index.SkipFreqNorm
	prose   = index.IndexField | index.StoreField
)

func proseOptions(positions bool) index.FieldIndexingOptions {
	if positions {
		return prose | index.IncludeTermVectors
	}
	return prose
}

// domains returns the host and every domain above it: www.example.com, example.com, com.
func domains(host string) []string {
	host = strings.Trim(strings.ToLower(host), ".")
	if host == "" {
		return nil
	}
	if strings.HasPrefix(host, "[") || strings.Trim(host, "0123456789.") == "" {
		return []string{host} // an address has no parents
	}
	all := []string{host}
	for {
		_, parent, ok := strings.Cut(host, ".")
		if !ok {
			return all
		}
		all = append(all, parent)
		host = parent
	}
}

// The days that are told apart; others count as the nearest of these.
const (
	firstYear = 1900
	lastYear  = 2099
)

// dayTerms are the year, the month and the day of a date.
func dayTerms(ms int64) []string {
	d := clampDay(query.DayOfMillis(ms)).String()
	return []string{d[:4], d[:7], d}
}

func clampDay(d query.Day) query.Day {
	last := query.DayOf(time.Date(lastYear, 12, 31, 0, 0, 0, 0, time.UTC))
	return min(max(d, firstDay()), last)
}

func firstDay() query.Day { return query.DayOf(time.Date(firstYear, 1, 1, 0, 0, 0, 0, time.UTC)) }

// dayRange covers the days in [from, to) with as few terms as possible: at most 60 days, 22 months, 200 years.
func dayRange(from, to int32) []string {
	d := clampDay(query.Day(from))
	end := clampDay(query.Day(to))
	if to > int32(end) {
		end++ // open above
	}
	var terms []string
	for d < end {
		t := d.Time()
		year := query.DayOf(t.AddDate(1, 0, 0))
		month := query.DayOf(t.AddDate(0, 1, 0))
		switch {
		case t.YearDay() == 1 && year <= end:
			terms, d = append(terms, d.String()[:4]), year
		case t.Day() == 1 && month <= end:
			terms, d = append(terms, d.String()[:7]), month
		default:
			terms, d = append(terms, d.String()), d+1
		}
	}
	return terms
}
