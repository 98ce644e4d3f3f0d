package sitemaps

import (
	"strings"
	"time"
)

// date reads the forms of W3C date and time, with common deviations (no zone, no seconds, a blank
// in place of T), and the date of RSS. It returns ms since 1970, 0 if s is not a date.
func date(s string) int64 {
	for _, layout := range layouts(s) {
		if t, err := time.Parse(layout, s); err == nil {
			return max(0, t.UnixMilli())
		}
	}
	return 0
}

// layouts are the layouts that a date of this length can have.
func layouts(s string) []string {
	switch {
	case len(s) < len("2006"):
		return nil
	case s[0] < '0' || s[0] > '9' || len(s) > 3 && strings.IndexByte(s[:4], ' ') > 0:
		return []string{"Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 MST"}
	case len(s) == len("2006"):
		return []string{"2006"}
	case len(s) == len("2006-01"):
		return []string{"2006-01"}
	case len(s) <= len("2006-01-02+00:00"): // XML Schema allows a zone after a date
		return []string{time.DateOnly, "2006-1-2", "2006-01-02Z07:00", "2006-01-02T15:04", "2006-01-02 15:04"}
	case s[len("2006-01-02")] == ' ':
		return []string{time.DateTime, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z0700", "2006-01-02 15:04:05 MST"}
	}
	// A fraction of a second may always follow the seconds.
	return []string{
		time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z0700",
		"2006-01-02T15:04:05Z07",
	}
}
