package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"millrace/ops/watch"
	"millrace/streams"
)

// reportAt is a report some seconds after the start.
func reportAt(second int, fetched int64) watch.Report {
	return watch.Report{
		At:       time.Date(2026, 1, 2, 3, 4, second, 0, time.Local),
		Frontier: &watch.Frontier{Fetched: fetched, Queued: 12345, InFlight: 8, HostsWaiting: 3},
		Index:    []watch.Shard{{Docs: 40}, {Docs: 2}},
		Drops:    []watch.Drop{{Group: "schedule", Reason: "scope", N: 30}, {Group: "schedule", Reason: "url_scheme", N: 2}, {Group: "dedupe", Reason: "again", N: 9}},
		Groups:   []watch.Edge{{GroupLag: streams.GroupLag{Group: "fetch", Records: 8}}, {GroupLag: streams.GroupLag{Group: "index"}}},
		Lag:      watch.LagSummary{Seconds: 1.25},
	}
}

func TestProgressIsALineInAFile(t *testing.T) {
	var out bytes.Buffer
	v := newView(&out)
	v.sample(reportAt(0, 0))
	v.draw(reportAt(10, 345))
	v.draw(reportAt(20, 1345)) // the speed is that of the last ten seconds
	want := "03:04:10  34.5 pages/s, fetched 345, indexed 42, queued 12,345, in flight 8, waiting for their host's turn 0, behind 1.2 s, 32 links not followed (outside the scope 30, url scheme 2)\n" +
		"03:04:20  100 pages/s, fetched 1,345, indexed 42, queued 12,345, in flight 8, waiting for their host's turn 0, behind 1.2 s, 32 links not followed (outside the scope 30, url scheme 2)\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestProgressIsDrawnInPlaceOnATerminalAndTheLogStandsAbove(t *testing.T) {
	var out bytes.Buffer
	v := &view{out: &out, terminal: true}
	v.draw(reportAt(1, 1))
	first := out.String()
	if n := strings.Count(first, "\n"); n != 5 || strings.Contains(first, "\x1b") {
		t.Fatalf("%d lines: %q", n, first)
	}
	v.draw(reportAt(2, 2))
	if rest := out.String()[len(first):]; !strings.HasPrefix(rest, "\x1b[5A\x1b[Jfetched            2   1.0 pages/s\n") {
		t.Errorf("not drawn in place: %q", rest)
	}
	out.Reset()
	if _, err := v.beside(&out).Write([]byte("a line of the log\n")); err != nil {
		t.Fatal(err)
	}
	v.draw(reportAt(3, 3))
	if !strings.HasPrefix(out.String(), "\x1b[5A\x1b[Ja line of the log\nfetched ") {
		t.Errorf("the log and the view are mixed up: %q", out.String())
	}
	v.rub()
	v.rub()
	if n := strings.Count(out.String(), "\x1b[J"); n != 2 {
		t.Errorf("rubbed out %d times, want once for the log and once at the end", n)
	}
}

func TestTextFromTheWebCannotSteerTheTerminal(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b[31mred\x07":             "a[31mred",
		"two\nlines\tand \u00a0  more": "two lines and more",
		"abc\u202edef":                 "abcdef",
		"\u0085x\u009b31m":             "x31m",
		"пример 例え":                    "пример 例え",
	} {
		if got := printable(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestNumbersForPeople(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234", -123: "-123"} {
		if got := count(n); got != want {
			t.Errorf("%d became %s", n, got)
		}
	}
	for s, want := range map[float64]string{0: "0 s", 0.04: "0.0 s", 9.94: "9.9 s", 10: "10 s", 119: "119 s", 300: "5 min", 7300: "2 h", 200000: "2 days"} {
		if got := seconds(s); got != want {
			t.Errorf("%f became %s", s, got)
		}
	}
}
