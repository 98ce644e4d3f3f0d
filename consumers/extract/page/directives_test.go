package page

import (
	"testing"
	"time"
)

// TestDirectives protects publishers' wishes, in all spellings that are in use.
func TestDirectives(t *testing.T) {
	after := time.Date(2010, 6, 25, 22, 0, 0, 0, time.UTC)
	cases := map[string]struct {
		header []string
		meta   [][2]string
		want   Directives
	}{
		"none":                        {meta: [][2]string{{"robots", "none"}}, want: Directives{NoIndex: true, NoFollow: true}},
		"ours":                        {meta: [][2]string{{"millrace", "noindex"}}, want: Directives{NoIndex: true}},
		"another robot's":             {meta: [][2]string{{"googlebot", "noindex"}}},
		"capitals and blanks":         {meta: [][2]string{{"robots", " NOINDEX , NoFollow"}}, want: Directives{NoIndex: true, NoFollow: true}},
		"restrictive wins":            {meta: [][2]string{{"robots", "index, follow"}, {"millrace", "noarchive"}}, want: Directives{NoArchive: true}},
		"snippet of length 0":         {meta: [][2]string{{"robots", "max-snippet:0"}}, want: Directives{NoSnippet: true}},
		"header for all":              {header: []string{"noindex"}, want: Directives{NoIndex: true}},
		"header for ours":             {header: []string{"Millrace: noarchive, nosnippet"}, want: Directives{NoArchive: true, NoSnippet: true}},
		"header for another":          {header: []string{"otherbot: noindex, nofollow"}},
		"date with colons":            {header: []string{"unavailable_after: 25 Jun 2010 15:00:00 PDT"}, want: Directives{UnavailableAfter: after}},
		"date after others":           {header: []string{"noarchive, unavailable_after: 2010-06-25T22:00:00Z"}, want: Directives{NoArchive: true, UnavailableAfter: after}},
		"earliest date wins":          {header: []string{"unavailable_after: 2030-01-01", "unavailable_after: 2010-06-25T22:00:00Z"}, want: Directives{UnavailableAfter: after}},
		"header of two lines, joined": {header: []string{"otherbot: noarchive, Millrace: noindex"}, want: Directives{NoIndex: true}},
		"for all, then for another":   {header: []string{"noindex, otherbot: nofollow, noarchive"}, want: Directives{NoIndex: true}},
		"for another, with a date":    {header: []string{"otherbot: unavailable_after: 25 Jun 2010 15:00:00 PDT, noindex"}},
		"directive behind a date":     {header: []string{"unavailable_after: Friday, 25-Jun-10 22:00:00 GMT, noindex"}, want: Directives{NoIndex: true, UnavailableAfter: after}},
		"ours behind a date":          {header: []string{"unavailable_after: Friday, 25-Jun-10 22:00:00 GMT, otherbot: noindex, millrace: nofollow"}, want: Directives{NoFollow: true, UnavailableAfter: after}},
		"date in November":            {header: []string{"unavailable_after: Thursday, Nov 25 2010 22:00:00 GMT"}, want: Directives{UnavailableAfter: after.AddDate(0, 5, 0)}},
		"semicolons":                  {meta: [][2]string{{"robots", "noindex; nofollow"}}, want: Directives{NoIndex: true, NoFollow: true}},
		"blanks only":                 {meta: [][2]string{{"robots", "noarchive\tnoindex nofollow"}}, want: Directives{NoIndex: true, NoFollow: true, NoArchive: true}},
		"blank before a number":       {meta: [][2]string{{"robots", "follow, max-snippet: 0"}}, want: Directives{NoSnippet: true}},
		"unknown words ignored":       {header: []string{"noimageindex, notranslate"}},
	}
	for name, c := range cases {
		var d Directives
		d.fromHeaders(c.header, "millrace")
		for _, m := range c.meta {
			d.fromMeta(m[0], m[1], "millrace")
		}
		if d != c.want {
			t.Errorf("%s: %+v, want %+v", name, d, c.want)
		}
	}
}
