package rules

import (
	"strings"
	"testing"

	"millrace/schema"
)

func ruled(t *testing.T, text string, in Scope) *schema.Control {
	t.Helper()
	r, err := Parse(text, in)
	if err != nil {
		t.Fatal(err)
	}
	c := &schema.Control{Body: &schema.Control_Rule{Rule: r}}
	c.Id = ID(c)
	return c
}

// Who adds a rule that contradicts another one is told so, and which of them decides; Judge agrees
// with what is said.
func TestAContradictionIsNamed(t *testing.T) {
	host, site := Scope{Host: "www.example.com"}, Scope{Site: "example.com"}
	for _, x := range []struct {
		old, text string
		oldIn, in Scope
		decides   string // old, new, both; "" = no contradiction
	}{
		{"include /a/", "exclude /a/", site, site, "old"},
		{"exclude /a/", "include /a/", Scope{}, Scope{}, "old"},
		{"exclude /a/", "include /a/", site, host, "new"},
		{"exclude /a/", "include /a/", Scope{}, host, "new"},
		{"exclude /a/", "include /a/", host, site, ""}, // the host's is an exception, as it was meant
		{"exclude /a/", "include /a/", Scope{Site: "example.org"}, site, ""},
		{"exclude /a/", "exclude /a/", site, site, ""},
		{"exclude /a/", "include /b/", site, site, ""},
		{"fit 2 /a/", "fit 3 /a/", site, site, "old"},
		{"recrawl 1h /a/", "recrawl never /a/", site, site, "old"},
		{"limit 10 /a/", "limit 5 /a/", site, site, "new"},
		{"limit 5 /a/", "limit 10 /a/", site, host, "old"},
		{"rewrite a -> b", "rewrite a -> c", site, site, "both"},
		{"exclude /a/", "fit 2 /a/", site, site, ""},
	} {
		s := New()
		old, c := ruled(t, x.old, x.oldIn), ruled(t, x.text, x.in)
		old.Order = 1
		if err := s.Put(old, 0); err != nil {
			t.Fatal(err)
		}
		list, want := Contradictions(s, []*schema.Control{c}), map[string]string{"old": old.Id, "new": c.Id}[x.decides]
		if x.decides == "" {
			if len(list) > 0 {
				t.Errorf("%s after %s: %v", x.text, x.old, list)
			}
			continue
		}
		if len(list) != 1 || list[0].Wins != want || !strings.Contains(list[0].Why, Text(old.GetRule())) || !strings.Contains(list[0].Why, Text(c.GetRule())) {
			t.Errorf("%s after %s: %+v, %s should decide (%s)", x.text, x.old, list, x.decides, want)
			continue
		}
		if c.GetRule().Action > schema.Rule_EXCLUDE {
			continue
		}
		c.Order = 2
		if err := s.Put(c, 0); err != nil {
			t.Fatal(err)
		}
		u := "https://www.example.com/a/1"
		v := s.Judge(Query{URL: u, Host: schema.HostOf("www.example.com"), Site: "example.com", Kind: schema.Kind_PAGE}, Latest)
		winner := map[string]*schema.Control{old.Id: old, c.Id: c}[list[0].Wins]
		if out := winner.GetRule().Action == schema.Rule_EXCLUDE; v.Out != out {
			t.Errorf("%s after %s: %s is said to decide, but out = %v", x.text, x.old, Text(winner.GetRule()), v.Out)
		}
	}
}

// Rules of one call are compared with each other too, and rules that have ended with none.
func TestContradictionsOfOneCall(t *testing.T) {
	s, in := New(), Scope{Site: "example.com"}
	ended := ruled(t, "include /a/", in)
	ended.Off = true
	if err := s.Put(ended, 1); err != nil {
		t.Fatal(err)
	}
	a, b := ruled(t, "exclude /a/", in), ruled(t, "include /a/", in)
	list := Contradictions(s, []*schema.Control{a, b})
	if len(list) != 1 || list[0].New != b.Id || list[0].Wins != a.Id {
		t.Errorf("%+v", list)
	}
}
