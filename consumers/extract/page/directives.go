package page

import (
	"iter"
	"strings"
	"time"

	"millrace/consumers/extract/dates"
)

// fromHeaders reads X-Robots-Tag headers: "noindex, nofollow" is for all robots, "millrace:
// noindex" for this one. A name counts until the next one: proxies join several headers by commas.
func (d *Directives) fromHeaders(tags []string, robot string) {
	for _, tag := range tags {
		ours := true
		for part := range splitList(tag) {
			agent, rest, ok := strings.Cut(part, ":")
			if agent = strings.ToLower(strings.TrimSpace(agent)); ok && isAgent(agent) {
				ours, part = agent == robot || agent == "*", rest
			}
			if ours {
				d.read(part)
			}
		}
	}
}

// splitList yields the parts of a list of directives. They are separated by commas, of some authors
// by semicolons. A date has commas of its own: what follows unavailable_after belongs to it until
// the next directive or name.
func splitList(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		last := ""
		for part := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ';' }) {
			if strings.Contains(strings.ToLower(last), "unavailable_after") && !begins(part) {
				last += "," + part
				continue
			}
			if last != "" && !yield(last) {
				return
			}
			last = part
		}
		if last != "" {
			yield(last)
		}
	}
}

// begins reports whether a part of a list is a directive or begins with the name of a robot.
func begins(part string) bool {
	word, _, named := strings.Cut(strings.ToLower(strings.TrimSpace(part)), ":")
	if named {
		return word != "" && !strings.ContainsAny(word, " 0123456789")
	}
	first, _, _ := strings.Cut(word, " ")
	switch first {
	case "all", "index", "follow", "archive", "indexifembedded":
		return true
	}
	return strings.HasPrefix(first, "no") && !strings.HasPrefix(first, "nov") // no directive begins like the month
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
	for part := range splitList(list) {
		lower := strings.ToLower(part)
		if before, date, ok := strings.Cut(lower, "unavailable_after:"); ok {
			d.until(part[len(part)-len(date):])
			lower = before
		}
		if d.word(strings.Join(strings.Fields(lower), "")) {
			continue
		}
		for word := range strings.FieldsSeq(lower) { // separated by nothing but blanks
			d.word(word)
		}
	}
}

// word adds a directive, and reports whether it is known.
func (d *Directives) word(w string) bool {
	switch w {
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
	default:
		return false
	}
	return true
}

func (d *Directives) until(text string) {
	t, err := time.Parse(time.RFC850, strings.TrimSpace(text)) // whose year has two digits
	if err != nil {
		var ok bool
		if t, ok = dates.Parse(text); !ok {
			return
		}
	}
	if d.UnavailableAfter.IsZero() || t.Before(d.UnavailableAfter) {
		d.UnavailableAfter = t.UTC()
	}
}

// past reports whether the time after which the page wants to be gone is over.
func (d *Directives) past(now time.Time) bool {
	return !d.UnavailableAfter.IsZero() && !now.IsZero() && d.UnavailableAfter.Before(now)
}
