package rules

import (
	"strings"
	"testing"
)

// TestFind protects A1: the nearest domain with rules decides, the first matching expression in it, and no other domain's.
func TestFind(t *testing.T) {
	set, err := Compile([]Rule{
		{ID: "entry", Domain: "Example.org.", URL: `/entry/\d+$`},
		{ID: "rest", Domain: "example.org"},
		{ID: "shop", Domain: "shop.example.org", URL: `/item/`},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ host, url, want string }{
		{"example.org", "http://example.org/entry/7", "entry"},
		{"www.example.org", "http://www.example.org/entry/7", "entry"},
		{"www.example.org", "http://www.example.org/about", "rest"},
		{"shop.example.org", "http://shop.example.org/item/1", "shop"},
		{"shop.example.org", "http://shop.example.org/cart", "rest"},
		{"notexample.org", "http://notexample.org/entry/7", ""},
		{"org", "http://org/", ""},
		{"", "", ""},
	} {
		got, _ := set.Find(c.host, c.url)
		if got.ID != c.want {
			t.Errorf("%s: rule %q, want %q", c.url, got.ID, c.want)
		}
	}
	if _, ok := (*Set)(nil).Find("example.org", "http://example.org/"); ok {
		t.Error("no rules found a rule")
	}
}

// TestCompileNamesMistakes protects operators: every wrong rule is named with its field, the right ones stand.
func TestCompileNamesMistakes(t *testing.T) {
	set, err := Compile([]Rule{{ID: "a", Domain: "a.test", URL: "("}, {ID: "b", Domain: "b.test", Content: "div["}, {ID: "c"}, {ID: "d", Domain: "d.test"}})
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"(a): url", "(b): content", "(c): domain"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %v", part, err)
		}
	}
	if _, ok := set.Find("d.test", "http://d.test/"); !ok {
		t.Error("the right rule is gone")
	}
}
