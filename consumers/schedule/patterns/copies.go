package patterns

import (
	"cmp"
	"slices"
	"strings"

	"millrace/schema"
)

// Bounds of what is learnt of copies.
const (
	mostCopies  = 24  // entries of a host
	mostTwins   = 4   // pages that one URL is compared with
	copyFrom    = 12  // pages with the text of the other page from which URLs are taken for copies,
	copyOther   = 20  // if at most one in so many had another text
	copyMemory  = 200 // pages after which the counts are halved, so that a change is noticed
	copyControl = 64  // one URL in so many is fetched all the same
)

// copies learns which URLs repeat the text of other pages of the host: of the page that named them
// (a page to print), or of the URL with another segment (/v1/a and /stable/a).
type copies struct{ row *schema.PatternsRow }

// copyKey identifies an entry (schema.PatternCopy).
type copyKey struct {
	token string
	place int32
	by    string
}

// Twin is a page of the host whose text a URL may repeat.
type Twin struct {
	Path string
	Sure bool // such URLs do
	keys []copyKey
}

// Twins returns the pages whose text a URL may repeat: the page of the host that named it (source,
// "" = none), and those that follow from what was learnt before.
func (l copies) Twins(path, source string) []Twin {
	var out []Twin
	if keys := keysOf(path, source); len(keys) > 0 {
		out = append(out, Twin{source, slices.ContainsFunc(keys, l.sure), keys})
	}
	for _, c := range l.row.Copies {
		key := copyKey{c.Token, c.Place, c.By}
		if p := l.reduced(key.twinOf(path)); p != "" && p != path && p != source && len(out) < mostTwins {
			out = append(out, Twin{p, l.sure(key), []copyKey{key}})
		}
	}
	return out
}

// Guesses returns pages whose text a URL may repeat though nothing was learnt of such URLs: the URL
// in small letters, and without one of its first segments. They are looked up for a page whose text
// the host has already.
func (l copies) Guesses(path string) []Twin {
	_, segments, _ := cutPath(path)
	keys := []copyKey{{token: "", place: 0, by: bySmall}}
	for i := range segments[:max(0, min(len(segments)-1, mostGuesses))] {
		if token := segment(segments[i]); names(token) {
			keys = append(keys, copyKey{token, int32(i), byWithout})
		}
	}
	var out []Twin
	for _, k := range keys {
		if p := l.reduced(k.twinOf(path)); p != "" && p != path && l.entry(k) == nil {
			out = append(out, Twin{p, false, []copyKey{k}})
		}
	}
	return out
}

// mostReductions is how many segments are left out of one URL.
const mostReductions = 16

// reduced returns a URL without what sure entries say changes nothing: the twin of /de/en/a is
// /en/a, which is put aside as a copy of /a and has no text to compare with.
func (l copies) reduced(path string) string {
	for range mostReductions {
		shorter := ""
		for _, c := range l.row.Copies {
			k := copyKey{c.Token, c.Place, c.By}
			if (c.By == byWithout || c.By == bySmall) && l.sure(k) {
				shorter = cmp.Or(shorter, k.twinOf(path))
			}
		}
		if shorter == "" {
			break
		}
		path = shorter
	}
	return path
}

// twinOf returns the page whose text a URL repeats if the entry holds; "" if it says nothing of the
// URL.
func (k copyKey) twinOf(path string) string {
	start, segments, query := cutPath(path)
	i, p := int(k.place), ""
	switch {
	case k.by == "" || k.by == byAny || k.by != bySmall && (i >= len(segments) || segment(segments[i]) != k.token):
	case k.by == bySmall:
		p = start + strings.ToLower(strings.Join(segments, "/")) + query
	case k.by == byWithout && len(segments) > 1:
		p = start + strings.Join(slices.Delete(slices.Clone(segments), i, i+1), "/") + query
	case k.by != byWithout:
		other := slices.Clone(segments)
		other[i] = k.by
		p = start + strings.Join(other, "/") + query
	}
	if p == path {
		return ""
	}
	return p
}

// What stands in PatternCopy.by for another page than that with the segment by in a place: the same
// without the segment, and the same in small letters. No segment has a slash.
const (
	byWithout   = "/without"
	bySmall     = "/small"
	mostGuesses = 3 // first segments that are left out
)

// Copies reports whether some URLs of the host repeat the text of other pages.
func (l copies) Copies() bool {
	return slices.ContainsFunc(l.row.Copies, func(c *schema.PatternCopy) bool { return l.sure(copyKey{c.Token, c.Place, c.By}) })
}

// byAny stands in PatternCopy.by for any other identifier in a place: /s/6f2a9c41/a and
// /s/90bb27de/a.
const byAny = "/any"

const (
	blankRing  = 256 // pages that are remembered without one identifier of their path
	mostBlanks = 4   // first segments that are looked at
)

// blank is a URL without one identifier in its path.
type blank struct {
	key  copyKey
	hash uint32
}

// blanksOf returns a URL without each of the identifiers among its first segments.
func blanksOf(path string) (out []blank) {
	start, segments, query := cutPath(path)
	for i := range segments[:min(len(segments), mostBlanks)] {
		if !drawn(segments[i]) {
			continue
		}
		other := slices.Clone(segments)
		other[i] = anyToken
		out = append(out, blank{copyKey{anyToken, int32(i), byAny}, hash(start + strings.Join(other, "/") + query)})
	}
	return out
}

// drawn reports whether a segment may be an identifier of a visit: six characters or more, letters
// and digits. More do than identifier says; which of them change nothing is learnt.
func drawn(s string) bool {
	return len(s) >= 6 && strings.ContainsAny(s, "0123456789") && strings.ContainsFunc(s, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
}

// blanked notes the text of a page (Text.Exact) for each identifier in its path: whether the same
// URL with another identifier had it too.
func (l copies) blanked(path string, text uint32) {
	for _, b := range blanksOf(path) {
		if i := l.blankAt(b.hash); i >= 0 {
			l.Compared(Twin{keys: []copyKey{b.key}}, text, l.row.Blanks[i+1] == text)
			continue
		}
		l.row.Blanks, l.row.BlanksNext = push(l.row.Blanks, l.row.BlanksNext, 2*blankRing, b.hash, text)
	}
}

// blankAt is the place of a URL without an identifier among the remembered ones; -1 = not there.
func (l copies) blankAt(h uint32) int {
	for i := 0; i+1 < len(l.row.Blanks); i += 2 {
		if l.row.Blanks[i] == h {
			return i
		}
	}
	return -1
}

// Repeats reports whether a URL differs from one that was read lately in an identifier that changes
// no text.
func (l copies) Repeats(path string) bool {
	return slices.ContainsFunc(blanksOf(path), func(b blank) bool { return l.sure(b.key) && l.blankAt(b.hash) >= 0 })
}

// keysOf returns the entries that a URL and the page that named it are evidence for: for each
// segment that names a thing and that the other page does not have, and for the only segment in
// which the two differ.
func keysOf(path, source string) (out []copyKey) {
	start, segments, query := cutPath(path)
	if source == "" || source == path {
		return nil
	}
	start2, others, query2 := cutPath(source)
	var differ []int
	for i, s := range segments {
		token := segment(s)
		same := i < len(others) && others[i] == s
		if !same {
			differ = append(differ, i)
		}
		if names(token) && (i >= len(others) || segment(others[i]) != token) {
			out = append(out, copyKey{token, int32(i), ""})
		}
	}
	if len(differ) == 1 && len(segments) == len(others) && start == start2 && query == query2 {
		i := differ[0]
		if token := segment(segments[i]); names(token) && names(segment(others[i])) && segment(others[i]) != token {
			out = append(out, copyKey{token, int32(i), others[i]})
		}
	}
	return out
}

// names reports whether a token names one thing, such as a version or a section: it has letters and
// stands for nothing else.
func names(token string) bool {
	return !strings.HasPrefix(token, anyToken) && !strings.HasPrefix(token, titleToken) &&
		strings.ContainsFunc(token, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
}

// cutPath returns what comes before the segments of a path, the segments, and the query with its
// "?".
func cutPath(path string) (start string, segments []string, query string) {
	at := strings.IndexByte(path, '/') + 1
	end := len(path)
	if i := strings.IndexByte(path, '?'); i >= 0 {
		end = i
	}
	if at > end {
		return path, nil, ""
	}
	return path[:at], strings.Split(path[at:end], "/"), path[end:]
}

func (l copies) entry(k copyKey) *schema.PatternCopy {
	for _, c := range l.row.Copies {
		if c.Token == k.token && c.Place == k.place && c.By == k.by {
			return c
		}
	}
	return nil
}

func (l copies) sure(k copyKey) bool {
	c := l.entry(k)
	return c != nil && c.Same >= copyFrom && c.Other*copyOther <= c.Same
}

// Compared notes whether a page with a text (Text.Exact) had the same one as its twin. A text
// counts once in a row: what all pages say for a while, such as that the site is closed, makes no
// copies.
func (l copies) Compared(x Twin, text uint32, same bool) {
	for _, k := range x.keys {
		c := l.entry(k)
		if c == nil && same {
			c = l.room(k)
		}
		switch {
		case c == nil:
			continue
		case same && c.Last == text:
			continue
		case same:
			c.Same++
			c.Last = text
		default:
			c.Other++
		}
		if c.Same+c.Other > copyMemory {
			c.Same, c.Other = c.Same/2, c.Other/2
		}
	}
}

// room makes an entry, in place of the one with the fewest copies if there are too many; nil if all
// of them have proved true.
func (l copies) room(k copyKey) *schema.PatternCopy {
	if len(k.token) > maxToken || len(k.by) > maxToken {
		return nil
	}
	c := &schema.PatternCopy{Token: k.token, Place: k.place, By: k.by}
	if len(l.row.Copies) < mostCopies {
		l.row.Copies = append(l.row.Copies, c)
		return c
	}
	least := slices.MinFunc(l.row.Copies, func(a, b *schema.PatternCopy) int { return int(a.Same - b.Same) })
	if least.Same >= copyFrom {
		return nil
	}
	l.row.Copies[slices.Index(l.row.Copies, least)] = c
	return c
}

// Sampled reports whether a URL is fetched although it is a copy, so that a change is noticed.
func Sampled(path string) bool { return hash(path)%copyControl == 0 }
