package page

import (
	"strings"
	"time"

	"millrace/consumers/extract/dates"
)

// fromHeaders reads X-Robots-Tag headers: "noindex, nofollow" is for all robots, "millrace:
// noindex" for this one.
func (d *Directives) fromHeaders(tags []string, robot string) {
	for _, tag := range tags {
		agent, rest, ok := strings.Cut(tag, ":")
		agent = strings.ToLower(strings.TrimSpace(agent))
		switch {
		case !ok || !isAgent(agent):
			d.read(tag)
		case agent == robot:
			d.read(rest)
		}
	}
}

// isAgent distinguishes a robot's name from a directive with a value after its colon.
func isAgent(name string) bool {
	switch name {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
		return false
	}
	return name != "" && !strings.ContainsAny(name, ", ")
}

// fromMeta reads <meta name=robots> and <meta name=millrace>.
func (d *Directives) fromMeta(name, content, robot string) {
	if name == "robots" || name == robot {
		d.read(content)
	}
}

// read adds the directives of one list. The more restrictive directive wins, as in all large search
// engines.
func (d *Directives) read(list string) {
	lower := strings.ToLower(list)
	if before, date, ok := strings.Cut(lower, "unavailable_after:"); ok {
		d.until(list[len(list)-len(date):]) // the date may have commas, so it ends with the list
		lower = before
	}
	for word := range strings.SplitSeq(lower, ",") {
		switch strings.ReplaceAll(strings.TrimSpace(word), " ", "") {
		case "noindex":
			d.NoIndex = true
		case "nofollow":
			d.NoFollow = true
		case "none":
			d.NoIndex, d.NoFollow = true, true
		case "noarchive", "nocache":
			d.NoArchive = true
		case "nosnippet", "max-snippet:0":
			d.NoSnippet = true
		}
	}
}

func (d *Directives) until(text string) {
	t, ok := dates.Parse(text)
	if !ok {
		return
	}
	if d.UnavailableAfter.IsZero() || t.Before(d.UnavailableAfter) {
		d.UnavailableAfter = t.UTC()
	}
}

// past reports whether the time after which the page wants to be gone is over.
func (d *Directives) past(now time.Time) bool {
	return !d.UnavailableAfter.IsZero() && !now.IsZero() && d.UnavailableAfter.Before(now)
}
