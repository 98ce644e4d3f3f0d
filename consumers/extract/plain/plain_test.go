package plain

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestClean protects what is stored from what pages hold.
func TestClean(t *testing.T) {
	cases := map[string]string{
		"":                        "",
		"plain":                   "plain",
		"  two \t\r\n words  ":    "two words",
		"be\x07ll\x00 \x1b[31m":   "bell [31m",
		"so\u00adft\u200b \ufeff": "soft",
		"\u202egnp.exe\u202c":     "gnp.exe",
		"no\u00a0break\u3000gap":  "no break gap",
		"bad \xff\xfe bytes":      "bad bytes",
		"می\u200cخواهم":           "می\u200cخواهم",
		"\u0085next\u009fc1":      "nextc1",
	}
	for in, want := range cases {
		if got := Clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := Lines(" a \n\n\x01\n b  c \n"); got != "a\nb c" {
		t.Errorf("lines: %q", got)
	}
	if got := Cut("aé", 2); got != "a" {
		t.Errorf("cut in a rune: %q", got)
	}
}

// FuzzClean protects the promise of the package comment.
func FuzzClean(f *testing.F) {
	f.Add("a\x00\u2028b", 3)
	f.Fuzz(func(t *testing.T, s string, max int) {
		got := Clean(s)
		if !utf8.ValidString(got) || strings.Contains(got, "  ") || strings.TrimSpace(got) != got || Clean(got) != got {
			t.Fatalf("%q became %q", s, got)
		}
		for _, r := range got {
			if unicode.IsControl(r) {
				t.Fatalf("%q kept %U", s, r)
			}
		}
		if max >= 0 && len(Cut(got, max)) > max {
			t.Fatal("cut is too long")
		}
	})
}
