package shard

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"millrace/consumers/index/query"
	"millrace/consumers/index/segment"
	"millrace/consumers/index/text"
)

// The names of the stored values, as scorch's segments of any format give them. They come in this
// order, so that reading a mark does not read the text.
const (
	storedKey   = segment.StoredKey
	storedMark  = segment.StoredMark // see mark
	storedInfo  = segment.StoredPage // see storedPage
	storedBody  = segment.StoredBody
	storedTitle = segment.StoredTitle
)

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

// The years that are distinguished; days before and after count as the nearest one.
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

// dayRange returns terms that cover the days in [from, to), as few as possible: at most 60 days, 22
// months, 200 years.
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

// maxPathDepth bounds the terms of a path, maxPathBytes their length.
const (
	maxPathDepth = 8
	maxPathBytes = 255
)

// paths returns a path and every folder above it: for /a/b.html, /a and /a/b.html.
func paths(path string) []string {
	path = strings.TrimSuffix(path, "/")
	if len(path) > maxPathBytes {
		path = cutText(path, maxPathBytes)
	}
	var all []string
	for i := 1; i < len(path) && len(all) < maxPathDepth-1; i++ {
		if path[i] == '/' && path[i-1] != '/' {
			all = append(all, path[:i])
		}
	}
	if len(path) > 1 {
		all = append(all, path)
	}
	return all
}

// address returns the words of host and path, without www, the top-level domain and the file name's
// extension.
func address(u *url.URL) string {
	host := strings.TrimPrefix(u.Hostname(), "www.")
	if i := strings.LastIndexByte(host, '.'); i > 0 {
		host = host[:i]
	}
	path := u.Path
	if i := strings.LastIndexByte(path, '.'); i > strings.LastIndexByte(path, '/') && len(path)-i <= 6 {
		path = path[:i]
	}
	return cutText(host+" "+strings.Map(apart, path), 4*maxPathBytes)
}

// apart replaces the signs that join words in paths by spaces.
func apart(r rune) rune {
	switch r {
	case '_', '-', '/', '.', '+', '#':
		return ' '
	}
	return r
}

// linkTerm returns the term for the percentage of the text that is in links; none below 50.
func linkTerm(percent int) []string {
	if percent < 50 {
		return nil
	}
	return []string{strconv.Itoa(min(percent, 100) / 10 * 10)}
}

// nearTerm is the term of a fingerprint.
func nearTerm(near uint64) []string {
	if near == 0 {
		return nil
	}
	return []string{strconv.FormatUint(near, 16)}
}

// nonempty is a list of one term, or of none.
func nonempty(term string) []string {
	if term == "" {
		return nil
	}
	return []string{term}
}

// typeTerm is the term of a file type.
func typeTerm(t string) []string {
	if t == "" {
		return []string{"html"}
	}
	return []string{cutText(strings.ToLower(t), text.MaxTermBytes)}
}
