package query

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParseReadsTheLanguage(t *testing.T) {
	cases := []struct{ in, want string }{
		{`kafka streams`, `kafka streams`},
		{`"exactly  these words" -"not this" -that`, `"exactly these words" -"not this" -that`},
		{`a b OR c`, `(a b) OR c`},
		{`a (b OR c) AND d`, `a (b OR c) d`},
		{`((a)) (b c)`, `a b c`},
		{`intitle:"two words" INTITLE:one`, `intitle:"two words" intitle:one`},
		{`site:https://Example.com/path x`, `site:example.com/path x`},
		{`site:example.com/docs/* site:example.com/doc* site:example.com/*`, `site:example.com/docs site:example.com/doc* site:example.com`},
		{`site:*.example.com -site:www.example.com`, `site:example.com -site:www.example.com`},
		{`x after:2024 before:2024-05`, `x after:2024-01-01 before:2024-05-01`},
		{`lang:zh-CN 北京`, `lang:zh 北京`},
		{`"open quote`, `"open quote"`},
		{`a) b ( c`, `a b c`},
		{`c++ http://x.y/z - -- "" ()`, `c++ http://x.y/z`},
		{`git --word --(a b)`, `git word -(a b)`},
		{`--verbose -q`, `verbose -q`},
		{`“two words” -«not this» „und so“ ＂w＂`, `"two words" -"not this" "und so" "w"`},
		{`6” screen`, `6 screen`},
		{`צה"ל "ספר התנ״ך"`, `צה"ל "ספר התנ״ך"`},
		{`mailto:jane@example.com urn:isbn:1`, `jane@example.com urn:isbn:1`},
		{`“one "two three”`, `"one two three"`},
		{`intitle:“two words”x`, `intitle:"two words" x`},
		{`a OR OR b OR`, `a OR b`},
		{`-(a OR b) c`, `-(a OR b) c`},
		{`宽　空格`, `宽 空格`},
	}
	for _, c := range cases {
		n, err := Parse(c.in, DefaultLimits())
		if err != nil {
			t.Errorf("Parse(%q): %v", c.in, err)
			continue
		}
		if got := String(n); got != c.want {
			t.Errorf("Parse(%q) = %s, want %s", c.in, got, c.want)
		}
	}
}

func TestParseRefusesWithAReason(t *testing.T) {
	cases := []struct{ in, reason string }{
		{"", "no words"},
		{`"" - ... ()`, "no words"},
		{"-a -b", "only says what not"},
		{"-a OR b", "only says what not"},
		{"--(a b) -c", "only says what not"},
		{strings.Repeat("x", 1025), "longer than 1024 bytes"},
		{strings.Repeat("x ", 33), "33 words"},
		{`"` + strings.Repeat("x ", 33) + `"`, "33 words"},
		{strings.Repeat("(", 9) + "x", "deeper than 8"},
		{"x after:yesterday", "is not a day"},
		{"x lang:english", "language code"},
		{"x site:...", "needs a host"},
		{"\xff", "not valid UTF-8"},
	}
	for _, c := range cases {
		n, err := Parse(c.in, DefaultLimits())
		var refusal *Error
		if !errors.As(err, &refusal) || !strings.Contains(refusal.Reason, c.reason) {
			t.Errorf("Parse(%.20q) = %v, %v; want a refusal saying %q", c.in, n, err, c.reason)
		}
	}
}

func TestTheNameOfALanguageIsAnsweredWithItsCode(t *testing.T) {
	for name, code := range map[string]string{"German": "de", "русский": "ru", "中文": "zh", "klingon": "en"} {
		_, err := Parse("x lang:"+name, DefaultLimits())
		if err == nil || !strings.HasSuffix(err.Error(), "write lang:"+code) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What cannot be answered says where it went wrong; what can be read in one way only is read so.
func TestRefusalsSayWhereTheyAreAbout(t *testing.T) {
	cases := []struct {
		in string
		at int // 0 = there is no one place
	}{
		{strings.Repeat("x ", 33), 65},
		{"a \"" + strings.Repeat("b ", 40) + "\" c", 3},
		{strings.Repeat("ж", 600), 513},
		{"good \xff", 6},
		{"aa* OR bb* OR cc* -dd* (ee* ff*)", 29},
		{"kafka foo:bar", 7},
		{"kafka site:", 7},
		{"北京 lang:chinese", 4},
		{"🎉🎉", 0},
		{"AND OR NOT", 0},
		{"( ) \"\"", 0},
	}
	for _, c := range cases {
		_, err := Parse(c.in, DefaultLimits())
		var refusal *Error
		if !errors.As(err, &refusal) || refusal.At != c.at || c.in != "" && c.at == 0 && refusal.Hint == "" {
			t.Errorf("Parse(%.20q): %v, want a refusal at character %d that says what to do", c.in, err, c.at)
		}
	}
	for in, want := range map[string]string{
		`кафка 北京 "open`: `кафка 北京 "open"`, `🎉 party`: `party`, `the of and`: `the of and`, `a"b`: `a "b"`, `))) a (((`: `a`,
	} {
		if n, err := Parse(in, DefaultLimits()); err != nil || String(n) != want {
			t.Errorf("Parse(%q) = %v, %v, want %s", in, n, err, want)
		}
	}
}

func FuzzParseWritesWhatItReads(f *testing.F) {
	for _, seed := range []string{`a "b c" -d`, `(a OR -b) site:x.y`, `intitle:"`, `a OR ((b) c)`, `-- -( "`, `-(--a) NOT --b`, `“a» -„b`, `“a "b c”`, `---0(-0 NOT - 0`, `before:2024-02-30`, `AND OR`} {
		f.Add(seed)
	}
	wide := Limits{MaxBytes: 1 << 16, MaxTerms: 1 << 16, MaxDepth: 1 << 10}
	f.Fuzz(func(t *testing.T, in string) {
		first, err := Parse(in, DefaultLimits())
		if err != nil {
			return
		}
		again, err := Parse(String(first), wide)
		if err != nil || !reflect.DeepEqual(first, again) {
			t.Fatalf("%q was read as %q, which reads as %v, %v", in, String(first), again, err)
		}
	})
}
