package schedule

import (
	"fmt"
	"strings"
	"time"

	"millrace/consumers/schedule/hosts"
	"millrace/schema"
	"millrace/schema/facts"
)

// urlFields returns what a URL's row says, as pairs of name and value; empty values are left out.
func urlFields(r *schema.UrlRow) [][2]string {
	return facts.Said([][2]string{
		{"status", r.Status.String()},
		{"kind", r.Kind.String()},
		{"found on", foundOn(r.Source)},
		{"discovered", facts.At(r.DiscoveredAt)},
		{"depth", fmt.Sprint(r.Depth)},
		{"last fetch", facts.At(r.FetchedAt)},
		{"result", outcome(r)},
		{"reason", r.Reason},
		{"redirects to", r.RedirectTo},
		{"failures in a row", facts.Number(int64(r.Fails))},
		{"tries that met trouble of the host", facts.Number(int64(r.Waits))},
		{"next due", facts.At(r.NextDue)},
		{"asks not to be shown after", facts.At(max(r.UnavailableAfter, -r.UnavailableAfter))},
		{"changed", changed(r)},
		{"looked at again every", span(r.IntervalMs / 60_000 * 60_000)},
		{"ETag", r.Etag},
		{"version", facts.Number(r.Rev)},
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

// hostFields returns what a host's row says, and the delay that rules set, as pairs of name and
// value.
func hostFields(h *schema.HostRow, ruled time.Duration) [][2]string {
	return facts.Said([][2]string{
		{"first seen", facts.At(h.FirstSeen)},
		{"pages fetched", facts.Number(h.Fetched)},
		{"entries in its queues", facts.Number(hosts.Queued(h))},
		{"robots.txt", strings.ToLower(h.Robots.String())},
		{"delay between requests", span(max(h.CrawlDelayMs, ruled.Milliseconds()))},
		{"looks a day at its pages", looks(h.Freshness)},
		{"blocked until", facts.At(future(h.BlockedUntil, time.Now()))},
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

// span writes a duration without units that are zero at its end: "24h", not "24h0m0s".
func span(ms int64) string {
	if ms == 0 {
		return ""
	}
	s := (time.Duration(ms) * time.Millisecond).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
