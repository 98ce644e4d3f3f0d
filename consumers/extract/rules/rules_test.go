package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFind protects which rule counts: the nearest domain with rules decides, the first matching
// expression in it, and no other domain's.
func TestFind(t *testing.T) {
	set, err := Compile([]Rule{
		{ID: "entry", Domain: "Example.org.", URL: `/entry/\d+$`},
		{ID: "rest", Domain: "example.org"},
		{ID: "shop", Domain: "shop.example.org", URL: `/item/`},
		{ID: "books", Domain: "*.Bücher.example", URL: `/größe/`},
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
		{"www.xn--bcher-kva.example", "http://www.xn--bcher-kva.example/gr%C3%B6%C3%9Fe/7", "books"},
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

// TestCompileNamesMistakes protects operators: every wrong rule is named with its field, the right
// ones stand.
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

// TestReadSaysWhatIsWrong protects operators from rules that quietly rule nothing.
func TestReadSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"- {domain: a.test, contents: main}": "contents",
		"domain: a.test":                     "cannot unmarshal",
		"- {domain: a.test, content: 'p['}":  "(a.test): content",
		"- {domain: a.test, url: '('}":       "(a.test): url",
	} {
		path := filepath.Join(t.TempDir(), "rules.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if set, err := Read(""); set != nil || err != nil {
		t.Error(set, err)
	}
	if _, err := Read("nowhere.yaml"); err == nil {
		t.Error("a file that is not there was read")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("- id: a\n  domain: a.test\n  url: /x\n  content: main\n")
	f.Add("[{domain: 1, article: yes}]")
	f.Fuzz(func(_ *testing.T, text string) {
		if list, err := parse(strings.NewReader(text)); err == nil {
			_, _ = Compile(list)
		}
	})
}
