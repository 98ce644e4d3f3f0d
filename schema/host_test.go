package schema

import (
	"strings"
	"testing"

	"golang.org/x/net/publicsuffix"
)

func TestSiteIsWhatSomebodyRegistered(t *testing.T) {
	for name, want := range map[string]Site{
		"www.example.com":         "example.com",
		"a.b.example.co.uk":       "example.co.uk",
		"python.en.test":          "en.test", // top level domain not listed
		"user.github.io":          "user.github.io",
		"co.uk":                   "co.uk", // a suffix itself
		"localhost":               "localhost",
		"192.0.2.1":               "192.0.2.1",
		"[2001:db8::1]":           "[2001:db8::1]",
		"www.xn--90ax2c.xn--p1ai": "xn--90ax2c.xn--p1ai",
	} {
		if got := SiteOf(name); got != want {
			t.Errorf("SiteOf(%q) = %q, want %q", name, got, want)
		}
	}
}

// Provisioning stores PSLVersion; with another list in the module it would lie.
func TestPSLVersionIsTheListCompiledIn(t *testing.T) {
	revision, date, _ := strings.Cut(PSLVersion, " ")
	if list := publicsuffix.List.String(); !strings.Contains(list, revision) || !strings.Contains(list, date) {
		t.Errorf("PSLVersion is %q, the list compiled in is %q", PSLVersion, list)
	}
}
