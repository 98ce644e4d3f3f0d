package schema

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

var rowKeySeeds = []string{
	"com.example.www:https/about?x=1", "com.example.www:https:8443/", "192.0.2.1:http/", "[2001:db8::1]:http:81/a", "localhost:http/",
	"", ":", "com.example", "com.example:https", "com.example:ftp/", "com.example:https:443/", "com.example:https/a/../b", "[::1:http/", "com.example:https/#x",
}

func TestRowKeyAndURLAreTwoSpellings(t *testing.T) {
	for url, key := range map[string]string{
		"https://www.example.com/about?x=1":   "com.example.www:https/about?x=1",
		"https://example.com:8443/":           "com.example:https:8443/",
		"http://example.com:443/":             "com.example:http:443/",
		"http://192.0.2.1/a:b":                "192.0.2.1:http/a:b",
		"http://[2001:db8::1]/":               "[2001:db8::1]:http/",
		"http://[2001:db8::1]:8080/x":         "[2001:db8::1]:http:8080/x",
		"http://localhost/":                   "localhost:http/",
		"https://xn--90ax2c.xn--p1ai/?a=b:/c": "xn--p1ai.xn--90ax2c:https/?a=b:/c",
	} {
		got, err := ParseRowKey(key)
		if err != nil || got.URL() != url {
			t.Errorf("ParseRowKey(%q).URL() = %q, %v, want %q", key, got.URL(), err, url)
		}
		if u, err := byDefault(t).Parse(url); err != nil || string(u.RowKey()) != key {
			t.Errorf("RowKey of %q = %q, %v, want %q", url, u.RowKey(), err, key)
		}
	}
}

func TestRowKeySplitsIntoHostAndPath(t *testing.T) {
	for key, want := range map[RowKey][2]string{
		"com.example.www:https/about?x=1": {"com.example.www", ":https/about?x=1"},
		"com.example:https:8443/":         {"com.example", ":https:8443/"},
		"[::1]:http:81/a]:b":              {"[::1]", ":http:81/a]:b"},
		"com.example:http/a]:b":           {"com.example", ":http/a]:b"},
	} {
		if string(key.Host()) != want[0] || key.Path() != want[1] {
			t.Errorf("%q splits into %q and %q, want %q", key, key.Host(), key.Path(), want)
		}
	}
}

// A key that is not of a canonical URL would be a second name of a page.
func TestRowKeysOfOtherFormsAreRefused(t *testing.T) {
	for _, s := range []string{
		"", ":", "com.example", "com.example:", "com.example:https", "com.example:ftp/", "com.example:HTTP/",
		"com.example:https:443/", "com.example:https:/", "com.example:https:080/", "com.example:https:0/", "com.example:https:99999/",
		"com.Example:http/", ".com:http/", "com.:http/", "com..a:http/", "4.3.2.1.0:http/", "[::0]:http/", "::1:http/", "xn--a:http/",
		"com.example:http/a/../b", "com.example:http/%7e", "com.example:http/%c3", "com.example:http/a b", "com.example:http/?", "com.example:http/?a&&b",
		"com.example:http/#a", "user@com.example:http/", "com.example:http/\xff",
		"com.example:http/" + strings.Repeat("a", MaxURLBytes),
	} {
		key, err := ParseRowKey(s)
		var refusal *URLError
		if !errors.As(err, &refusal) || !slices.Contains(URLReasons(), refusal.Reason) {
			t.Errorf("ParseRowKey(%q) = %q, %v", s, key, err)
		}
	}
}

func TestHostsOfASiteAreNeighbours(t *testing.T) {
	names := []string{"example.com", "www.example.com", "a.b.example.com", "example.org", "localhost", "192.0.2.1", "[2001:db8::1]"}
	hosts := []Host{"com.example", "com.example.www", "com.example.b.a", "org.example", "localhost", "192.0.2.1", "[2001:db8::1]"}
	for i, name := range names {
		if h := HostOf(name); h != hosts[i] || h.Name() != name {
			t.Errorf("HostOf(%q) = %q, back: %q; want %q", name, h, h.Name(), hosts[i])
		}
	}
	if h := HostOf("2001:db8::1"); h != "[2001:db8::1]" || !isAddress(string(h)) {
		t.Errorf("a bare IPv6 address gives %q", h)
	}
}
