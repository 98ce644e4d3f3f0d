package schedule

import (
	"fmt"
	"strings"
	"time"

	"millrace/consumers/schedule/hosts"
	"millrace/schema"
)

// urlFields returns what a URL's row says, as pairs of name and value; empty values are left out.
func urlFields(r *schema.UrlRow) [][2]string {
	return said([][2]string{
		{"status", r.Status.String()},
		{"kind", r.Kind.String()},
		{"found on", foundOn(r.Source)},
		{"discovered", at(r.DiscoveredAt)},
		{"depth", fmt.Sprint(r.Depth)},
		{"last fetch", at(r.FetchedAt)},
		{"result", outcome(r)},
		{"reason", r.Reason},
		{"redirects to", r.RedirectTo},
		{"failures in a row", number(int64(r.Fails))},
		{"tries that met trouble of the host", number(int64(r.Waits))},
		{"next due", at(r.NextDue)},
		{"changed", changed(r)},
		{"looked at again every", span(r.IntervalMs / 60_000 * 60_000)},
		{"ETag", r.Etag},
		{"version", number(r.Rev)},
	})
}

func outcome(r *schema.UrlRow) string {
	if r.Result == schema.Outcome_UNSPECIFIED {
		return ""
	}
	text := strings.ToLower(r.Result.String())
	if r.HttpStatus != 0 {
		text += fmt.Sprintf(", HTTP %d", r.HttpStatus)
	}
	if r.ErrorKind != "" {
		text += ", " + r.ErrorKind
	}
	return text
}

func changed(r *schema.UrlRow) string {
	if r.Checks == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d times it was looked at again", r.Changes, r.Checks)
}

// hostFields returns what a host's row says, as pairs of name and value.
func hostFields(h *schema.HostRow) [][2]string {
	return said([][2]string{
		{"first seen", at(h.FirstSeen)},
		{"pages fetched", number(h.Fetched)},
		{"entries in its queues", number(hosts.Queued(h))},
		{"robots.txt", strings.ToLower(h.Robots.String())},
		{"delay between requests", span(h.CrawlDelayMs)},
		{"looks a day at its pages", looks(h.Freshness)},
		{"blocked until", at(future(h.BlockedUntil, time.Now()))},
	})
}

// looks returns how many re-crawls a day the plans of a host's pages ask for.
func looks(f *schema.HostFreshness) string {
	if f.GetPages() == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f for %d pages", f.Load, f.Pages)
}

// foundOn returns the address of the page that named a URL first, or the name of the producer that
// added it.
func foundOn(source string) string {
	if strings.Contains(source, ":http") { // a row key
		return schema.RowKey(source).URL()
	}
	return source
}

// future returns a time, or 0 if it has passed.
func future(ms int64, now time.Time) int64 {
	if ms <= now.UnixMilli() {
		return 0
	}
	return ms
}

// said returns the pairs whose value is not empty.
func said(facts [][2]string) [][2]string {
	var out [][2]string
	for _, f := range facts {
		if f[1] != "" {
			out = append(out, f)
		}
	}
	return out
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func span(ms int64) string {
	if ms == 0 {
		return ""
	}
	return (time.Duration(ms) * time.Millisecond).String()
}

func at(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format(time.RFC3339)
}
