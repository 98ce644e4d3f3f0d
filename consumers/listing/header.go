package listing

import (
	"strings"

	"millrace/schema"
)

// mostHeaderLinks is how many links of the Link headers of one answer are read.
const mostHeaderLinks = 64

// saidByHeaders returns what the Link headers of an answer say of the document (RFC 8288): its hub
// and its own address. They count before what stands in the document (WebSub, section 4).
func saidByHeaders(p *schema.Page) Says {
	s, left := Says{}, mostHeaderLinks
	for _, h := range p.Headers {
		if h.Name != "link" {
			continue
		}
		for rest := h.Value; left > 0; left-- {
			var l headerLink
			var ok bool
			if l, rest, ok = nextLink(rest); !ok {
				break
			}
			for _, rel := range strings.Fields(strings.ToLower(l.rel)) {
				if !l.elsewhere {
					s.Link(rel, l.target)
				}
			}
		}
	}
	return s
}

// headerLink is one link of a Link header.
type headerLink struct {
	target, rel string
	elsewhere   bool // it has an anchor: it says something of another document
}

// nextLink reads the first link of a header value, and returns what follows it. false: there is
// none.
func nextLink(s string) (l headerLink, rest string, ok bool) {
	start := strings.IndexByte(s, '<')
	if start < 0 {
		return l, "", false
	}
	end := strings.IndexByte(s[start:], '>')
	if end < 0 {
		return l, "", false
	}
	l.target, rest = strings.TrimSpace(s[start+1:start+end]), s[start+end+1:]
	for first := true; ; {
		rest = strings.TrimLeft(rest, " \t;")
		if rest == "" || rest[0] == ',' {
			return l, strings.TrimPrefix(rest, ","), true
		}
		var name, value string
		if name, value, rest = parameter(rest); name == "" {
			return l, afterComma(rest), true
		}
		switch {
		case name == "rel" && first:
			l.rel, first = value, false // later ones must be ignored (section 3.3)
		case name == "anchor":
			l.elsewhere = true
		}
	}
}

// parameter reads name=value, where value may be in quotes, and returns what follows. "" as the
// name: it cannot be read.
func parameter(s string) (name, value, rest string) {
	end := strings.IndexAny(s, "=;,")
	if end < 0 {
		end = len(s)
	}
	name, rest = strings.ToLower(strings.TrimSpace(s[:end])), s[end:]
	if rest == "" || rest[0] != '=' {
		return name, "", rest
	}
	rest = strings.TrimLeft(rest[1:], " \t")
	if !strings.HasPrefix(rest, `"`) {
		if end = strings.IndexAny(rest, ";,"); end < 0 {
			end = len(rest)
		}
		return name, strings.TrimSpace(rest[:end]), rest[end:]
	}
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '"':
			return name, b.String(), rest[i+1:]
		case '\\':
			if i++; i == len(rest) {
				return "", "", ""
			}
		}
		b.WriteByte(rest[i])
	}
	return "", "", "" // the quotes do not end
}

func afterComma(s string) string {
	_, after, _ := strings.Cut(s, ",")
	return after
}
