package schema

import (
	"errors"
	"strings"
	"testing"
)

func TestSpellingsOfOneURL(t *testing.T) {
	for _, group := range []struct {
		why  string
		want string
		raw  []string
	}{
		{"case of scheme and host, default port, white space, fragment", "http://example.com/A", []string{
			"HTTP://EXAMPLE.com:80/A", "http://example.com:/A", "http://example.com:00080/A", " http://example.com/A#top\n", "ht\ntp://example.com/A", "http:\\\\example.com\\A", "http:///example.com/A",
		}},
		{"user and trailing dot of the host", "https://example.com/", []string{"https://me:secret@example.com./", "https://@example.com", "https://example.com?", "https://example.com?&&#"}},
		{"dot segments, however written", "http://example.com/a/c/", []string{"http://example.com/a/./b/../c/", "http://example.com/../a/c/d/..", "http://example.com/a/%2e/c/%2E%2e/c/.", "http://example.com/a/c/x/.%2e"}},
		{"escapes: unreserved decoded, hex upper case, stray percent and forbidden characters encoded", "http://example.com/a~%2F%25z%7C%C3%A9%20?q=%27%5Bx%5D%5C", []string{
			"http://example.com/%61%7e%2f%z|é ?q='[x]\\", "http://example.com/a~%2f%25z%7c%c3%A9%20?q=%27%5bx%5d%5c",
		}},
		{"international names", "https://xn--bcher-kva.example/", []string{"https://bücher.example/", "https://BÜCHER.example", "https://b%C3%BCcher.example/", "https://XN--BCHER-KVA.example/"}},
		{"addresses in all spellings", "http://192.0.2.1:8080/", []string{"http://192.0.2.1:8080", "http://0xC0.0.513:8080/", "http://3221225985:8080/", "http://192.0.2.1.:8080/"}},
		{"IPv6", "http://[2001:db8::1]/", []string{"http://[2001:DB8:0:0:0:0:0:1]/", "http://[2001:db8::0.0.0.1]:80/"}},
		{"tracking", "http://example.com/?a=1&b=2", []string{
			"http://example.com/?a=1&utm_source=x&b=2", "http://example.com/?UTM_Medium=y&a=1&&b=2&gclid", "http://example.com/?%75tm_x&a=1&b=2&fbclid=z",
		}},
		{"sessions", "http://example.com/shop/cart?id=7", []string{
			"http://example.com/shop;jsessionid=AB12.node1/cart?id=7", "http://example.com/shop/cart;JSESSIONID=1?id=7&PHPSESSID=abc", "http://example.com/shop/cart?id=7;jsessionid=1",
			"http://example.com/shop/cart?sid=0123456789abcdef0123456789ABCDEF&id=7",
		}},
	} {
		for _, raw := range group.raw {
			if u, err := byDefault(t).Parse(raw); err != nil || u.String() != group.want {
				t.Errorf("%s: %q gives %q, %v, want %q", group.why, raw, u, err, group.want)
			}
		}
	}
}

// Each of these is another page for some server, so each has a row of its own.
func TestDifferentURLsStayDifferent(t *testing.T) {
	for _, raw := range []string{
		"http://example.com/a//b", "http://example.com/index.html", "http://example.com/%2F", "http://example.com/A", "http://example.com:443/",
		"http://example.com/?a=", "http://example.com/?a", "http://example.com/?b&a", "http://example.com/?a=1&a=1", "http://example.com/?a+b", "http://example.com/?a%20b", "http://example.com/?a%26b",
		"http://example.com/?sid=7", "http://example.com/?newsid=0123456789abcdef0123456789abcdef", "http://example.com/?utm", "http://example.com/..;jsessionid=1/x", "http://example.com/a;b=1",
	} {
		if u, err := byDefault(t).Parse(raw); err != nil || u.String() != raw {
			t.Errorf("%q gives %q, %v", raw, u, err)
		}
	}
}

func TestSortParamsKeepsTheOrderOfEqualNames(t *testing.T) {
	c, err := NewCanonicalizer(CanonOptions{SortParams: true})
	if err != nil {
		t.Fatal(err)
	}
	u, err := c.Parse("http://example.com/?b=2&a=9&b=1&a=1")
	if want := "http://example.com/?a=9&a=1&b=2&b=1"; err != nil || u.String() != want {
		t.Errorf("sorted: %q, %v, want %q", u, err, want)
	}
}

func TestResolve(t *testing.T) {
	base, err := byDefault(t).Parse("https://example.com:8443/a/b?x=1")
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{
		"":                    "https://example.com:8443/a/b?x=1",
		"#top":                "https://example.com:8443/a/b?x=1",
		"?":                   "https://example.com:8443/a/b",
		"?y=2":                "https://example.com:8443/a/b?y=2",
		"c":                   "https://example.com:8443/a/c",
		"../../..":            "https://example.com:8443/",
		"/c?d":                "https://example.com:8443/c?d",
		`\c`:                  "https://example.com:8443/c",
		"//other.org":         "https://other.org/",
		`/\other.org/x`:       "https://other.org/x",
		"https:c":             "https://example.com:8443/a/c",
		"http:c":              "http://c/",
		"http://other.org/a/": "http://other.org/a/",
		"c:d/e?":              "",
		"./c:d":               "https://example.com:8443/a/c:d",
		"javascript:void(0)":  "",
		"java\nscript:alert":  "",
	} {
		u, err := byDefault(t).Resolve(base, ref)
		if (err != nil) != (want == "") || u.String() != want {
			t.Errorf("%q gives %q, %v, want %q", ref, u, err, want)
		}
	}
}

func TestRefusalsAreCountedByReason(t *testing.T) {
	long := strings.Repeat("a", MaxURLBytes)
	cases := map[string][]string{
		ErrEmpty:    {"", " \n"},
		ErrRelative: {"/a", "example.com/a", "?a", "//example.com"},
		ErrScheme:   {"ftp://example.com/", "mailto:a@b", "example.com:80/", "data:text/plain,x", "file:///etc/passwd"},
		ErrHost: {
			"http://", "https:///", "http://a b/", "http://exa mple.com", "http://a..b/", "http://.a/", "http://a../", "http://[::1", "http://1.2.3.4.5/", "http://256.1.1.1/",
			"http://a|b/", "http://a*b.com/", "http://xn--a/", "http://a%FFb/", "http://user@/", "http://user@:80/", "http://" + long[:maxLabel+1] + ".com/", "http://" + strings.Repeat("a.", 127) + "com/",
		},
		ErrPort:    {"http://a:0/", "http://a:65536/", "http://a:8x/", "http://a:-1/"},
		ErrTooLong: {"http://a/" + long, "http://a/" + strings.Repeat("é", MaxURLBytes/6), "http://a/?utm_x=" + strings.Repeat("a", MaxRawURLBytes)},
	}
	for _, reason := range URLReasons() {
		if len(cases[reason]) == 0 && reason != ErrSyntax { // of row keys only
			t.Errorf("no case of %s", reason)
		}
		for _, raw := range cases[reason] {
			u, err := byDefault(t).Parse(raw)
			var refusal *URLError
			if !errors.As(err, &refusal) || refusal.Reason != reason || !u.IsZero() {
				t.Errorf("%.80q gives %.80q, %.120v, want %s", raw, u, err, reason)
			}
		}
	}
}

// What is dropped does not count against the bound.
func TestLengthIsThatOfTheCanonicalForm(t *testing.T) {
	longest := "http://a/" + strings.Repeat("b", MaxURLBytes-len("http://a/"))
	u, err := byDefault(t).Parse(longest + "?utm_source=" + strings.Repeat("c", MaxURLBytes))
	if err != nil || u.String() != longest {
		t.Fatalf("%d bytes and a tracker: %v", MaxURLBytes, err)
	}
	if key, err := ParseRowKey(string(u.RowKey())); err != nil || key.URL() != longest {
		t.Errorf("its row key: %v", err)
	}
}

// Row keys depend on the options, so the version provisioning stores must too.
func TestVersionNamesRulesAndOptions(t *testing.T) {
	version := func(change func(*CanonOptions)) string {
		opts := DefaultCanonOptions()
		change(&opts)
		c, err := NewCanonicalizer(opts)
		if err != nil {
			t.Fatal(err)
		}
		return c.Version()
	}
	standard := version(func(*CanonOptions) {})
	if !strings.HasPrefix(standard, CanonicalizerVersion+"-") {
		t.Errorf("version %q is not of rules %q", standard, CanonicalizerVersion)
	}
	if v := version(func(o *CanonOptions) { o.DropPathParams = []string{"PHPSESSID", "jsessionid", "jsessionid"} }); v != standard {
		t.Error("order and case of names change the version")
	}
	for what, change := range map[string]func(*CanonOptions){
		"sorting":              func(o *CanonOptions) { o.SortParams = true },
		"a parameter more":     func(o *CanonOptions) { o.DropParams = append(o.DropParams, "x") },
		"a parameter less":     func(o *CanonOptions) { o.DropSessionParams = o.DropSessionParams[1:] },
		"a name in other list": func(o *CanonOptions) { o.DropSessionParams, o.DropPathParams = o.DropPathParams, o.DropSessionParams },
	} {
		if version(change) == standard {
			t.Errorf("%s does not change the version", what)
		}
	}
}

func TestOptionsThatCannotWorkAreRefused(t *testing.T) {
	for _, opts := range []CanonOptions{
		{DropParams: []string{"*"}},
		{DropParams: []string{""}},
		{DropParams: []string{"a*b"}},
		{DropSessionParams: []string{"a*"}},
		{DropPathParams: []string{"a=b"}},
		{DropParams: []string{strings.Repeat("a", maxParamName+1)}},
	} {
		if _, err := NewCanonicalizer(opts); err == nil {
			t.Errorf("%+v accepted", opts)
		}
	}
}
