package listing

import (
	"strings"
	"testing"

	"millrace/schema"
)

func headers(values ...string) *schema.Page {
	p := &schema.Page{}
	for _, v := range values {
		p.Headers = append(p.Headers, &schema.Header{Name: "link", Value: v})
	}
	return p
}

// Hub and own address are found however the header is written, and only if they are said of this
// document.
func TestLinkHeadersNameTheHub(t *testing.T) {
	for _, c := range []struct {
		name, hub, self string
		values          []string
	}{
		{"one header", "https://hub.test/", "https://a.test/feed", []string{`<https://hub.test/>; rel="hub", <https://a.test/feed>; rel="self"`}},
		{"two headers, no quotes", "/hub", "/f", []string{`</hub>;rel=hub`, `</f> ; REL = self`}},
		{"several relations", "h", "h", []string{`<h>; rel="HUB self"`}},
		{"commas inside", "h?a,b", "", []string{`<x>; title="a, <y>; rel=hub"; rel=next, <h?a,b>; rel=hub`}},
		{"escaped quotes", "h", "", []string{`<x>; title="\"; rel=hub, \""; rel=next, <h>; rel=hub`}},
		{"the first rel counts", "h", "", []string{`<x>; rel=next; rel=hub, <h>; rel=hub`}},
		{"the first hub counts", "a", "", []string{`<a>; rel=hub, <b>; rel=hub`}},
		{"of another document", "h", "", []string{`<x>; rel=hub; anchor="https://b.test/", <h>; rel=hub`}},
		{"damaged", "h", "", []string{`<x`, `rel=hub`, `<x>; title="no end; rel=hub`, `<h>; rel=hub`}},
		{"nothing", "", "", []string{``, `,,,`, `<>; rel=hub`}},
		{"too many", "", "", []string{strings.Repeat(`<x>; rel=next,`, mostHeaderLinks) + `<h>; rel=hub`}},
	} {
		if s := saidByHeaders(headers(c.values...)); s.Hub != c.hub || s.Self != c.self {
			t.Errorf("%s: hub %q, self %q; want %q, %q", c.name, s.Hub, s.Self, c.hub, c.self)
		}
	}
}

// FuzzLinkHeader reads what servers may send: it ends, and what it names stands in the header.
func FuzzLinkHeader(f *testing.F) {
	f.Add(`<https://hub.test/>; rel="hub", <https://a.test/feed>; rel="self"`)
	f.Add(`<x>; title="\"; rel=hub`)
	f.Fuzz(func(t *testing.T, v string) {
		if s := saidByHeaders(headers(v)); !strings.Contains(v, s.Hub) || !strings.Contains(v, s.Self) {
			t.Errorf("%q names %q and %q", v, s.Hub, s.Self)
		}
	})
}
