package web

import (
	"net/url"
	"strings"
	"unicode"
)

// trailRunes bounds how much of a path is shown.
const trailRunes = 70

// shown returns the link of an address from the web, and its readable form: the host, then the
// parts of the path. The link is "" if the address is not http or https.
func shown(raw string) (link string, trail []string) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", []string{clip(plain(raw), trailRunes)}
	}
	trail = []string{u.Host}
	left := trailRunes
	for part := range strings.SplitSeq(strings.Trim(u.EscapedPath(), "/"), "/") {
		if unescaped, err := url.PathUnescape(part); err == nil {
			part = unescaped
		}
		if part = plain(part); part == "" {
			continue
		}
		part = clip(part, max(12, left))
		left -= len([]rune(part))
		trail = append(trail, part)
		if left <= 0 {
			break
		}
	}
	if u.RawQuery != "" && left > 0 {
		trail[len(trail)-1] += "?" + clip(plain(u.RawQuery), left)
	}
	return u.String(), trail
}

// href returns a text if it is a web address that can be clicked; else "".
func href(text string) string {
	link, _ := shown(text)
	return link
}

// plain removes characters that are invisible or change how others look: control and format
// characters, among them those that change the direction of writing.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsGraphic(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, s)
}

func clip(s string, runes int) string {
	r := []rune(s)
	if len(r) <= runes {
		return s
	}
	return string(r[:runes-1]) + "…"
}
