package fetch

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// FuzzHeaders: whatever a server writes into its header, records stay valid and waits stay bounded.
func FuzzHeaders(f *testing.F) {
	f.Add("120")
	f.Add("Sat, 21 Nov 2026 12:01:00 GMT")
	f.Add("no\x00index\xff\u0085" + strings.Repeat("\u00e9", 3000))
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, v string) {
		if d := retryAfter(header("Retry-After", v), now, time.Hour); d < 0 || d > time.Hour {
			t.Errorf("%q: wait of %v", v, d)
		}
		got := headerValue(v)
		if len(got) > 4<<10 || !utf8.ValidString(got) || strings.IndexFunc(got, unicode.IsControl) >= 0 {
			t.Errorf("%q became %q", v, got)
		}
	})
}
