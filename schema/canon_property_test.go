package schema

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// urlPieces are what URLs, and attacks on their parsers, are made of.
var urlPieces = []string{
	"http:", "https:", "HTTP:", "mailto:", "x:", "//", "/", "/", `\`, "?", "#", "&", "=", ";", ":", "@", ".", "..", "%2e", "%2E.",
	"example.com", "WWW.Example.COM", "a", "b", "bücher.de", "xn--bcher-kva.de", "xn--", "a--b", "a_b", "-", "例え.テスト", "%41", "%zz", "%",
	"1.2.3.4", "0x7f.1", "192.168.257", "4294967296", "[::1]", "[1:2:3:4:5:6:7:8]", "[::ffff:1.2.3.4]", "[", "]",
	":80", ":443", ":8080", ":0", ":99999", ":00080", "user:pass@", " ", "\t", "\n", "\x00", "\x7f", "é", "\xff", "�", "'", "\"", "|", "^", "{", "~",
	"utm_source=1", "UTM_x", "%75tm_y=1", "gclid=1", "sid=0123456789abcdef0123456789ABCDEF", "sid=1", ";jsessionid=1", ";JSESSIONID=2;c=3", "..;jsessionid=1", "index.html", "+", "%20", "%2F", "%2f",
}

func drawRaw() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		start := rapid.SampledFrom([]string{"", "http://", "https://", "http://example.com", "https://a.b/", "http://a.b?"}).Draw(t, "start")
		return start + strings.Join(rapid.SliceOfN(rapid.SampledFrom(urlPieces), 0, 12).Draw(t, "pieces"), "")
	})
}

// bases are pages that references are resolved against.
var bases = []string{"", "https://www.example.com:8443/a/b;c/d?x=1", "http://example.com/", "http://[::1]/a//b", "http://1.2.3.4/?q"}

func variants(t testing.TB) []*Canonicalizer {
	sorted, err := NewCanonicalizer(CanonOptions{SortParams: true})
	if err != nil {
		t.Fatal(err)
	}
	return []*Canonicalizer{byDefault(t), sorted, {}}
}

// laws states what must hold of every reference: the answer is final, both
// spellings lead to each other, the bounds hold, and a refusal has a known
// reason.
func laws(t rapid.TB, c *Canonicalizer, base URL, ref string) {
	u, err := c.Resolve(base, ref)
	if err != nil {
		var refusal *URLError
		if !errors.As(err, &refusal) || !slices.Contains(URLReasons(), refusal.Reason) || !u.IsZero() {
			t.Fatalf("%q in %q: refused with %v and %q", ref, base, err, u)
		}
		return
	}
	if again, err := c.Parse(u.String()); again != u {
		t.Fatalf("%q in %q: not final: %q, then %q, %v", ref, base, u, again, err)
	}
	if len(u.String()) > MaxURLBytes {
		t.Fatalf("%q: canonical form of %d bytes", ref, len(u.String()))
	}
	key, err := ParseRowKey(string(u.RowKey()))
	if err != nil || key.URL() != u.String() {
		t.Fatalf("%q: %q has row key %q, which is %q, %v", ref, u, u.RowKey(), key.URL(), err)
	}
	if key.Host() != u.Host() || key.Host().Name() != u.Hostname() || JoinRowKey(key.Host(), key.Path()) != key {
		t.Fatalf("%q: row key %q of host %q", ref, key, u.Host())
	}
	if u.Scheme()+"://"+u.Authority()+u.PathQuery() != u.String() {
		t.Fatalf("%q: the parts of %q do not make it up", ref, u)
	}
}

func TestLawsOfCanonicalForm(t *testing.T) {
	canonicalizers := variants(t)
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(canonicalizers).Draw(t, "options")
		base, _ := c.Parse(rapid.SampledFrom(bases).Draw(t, "base"))
		ref := drawRaw().Draw(t, "ref")
		laws(t, c, base, ref)
	})
}

func FuzzCanonicalize(f *testing.F) {
	for _, base := range bases {
		f.Add(base, "../x?utm_source=1&a=%7e#f")
		f.Add(base, "http://user@EXAMPLE.com:80/%2e%2e/é;jsessionid=1")
	}
	canonicalizers := variants(f)
	f.Fuzz(func(t *testing.T, rawBase, ref string) {
		for _, c := range canonicalizers {
			base, _ := c.Parse(rawBase)
			laws(t, c, base, ref)
		}
	})
}

// FuzzParseRowKey: what is accepted is the key of a URL, and of no other.
func FuzzParseRowKey(f *testing.F) {
	for _, s := range rowKeySeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, err := ParseRowKey(s)
		if err != nil {
			return
		}
		u, err := (&Canonicalizer{}).Parse(key.URL())
		if err != nil || u.RowKey() != key || string(key) != s {
			t.Fatalf("%q accepted as %q, URL %q, whose key is %q, %v", s, key, key.URL(), u.RowKey(), err)
		}
	})
}
