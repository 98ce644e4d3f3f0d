package listing

import (
	"encoding/xml"
	"testing"
	"unicode/utf8"
)

// TestTextIsReadAsItWasWritten protects the order of belief, and the encodings whose bytes are not
// those of ASCII: there links would be lost.
func TestTextIsReadAsItWasWritten(t *testing.T) {
	for name, c := range map[string]struct{ body, contentType, want string }{
		"UTF-8":                                   {"<a>ж</a>", "text/xml; charset=koi8-r", "<a>ж</a>"},
		"with a mark":                             {"\xef\xbb\xbf<a/>", "", "<a/>"},
		"UTF-16 with a mark":                      {"\xfe\xff\x00<\x04\x36", "", "<ж"},
		"UTF-16 without":                          {"<\x00?\x00x\x00m\x00l\x00 \x00?\x00>\x00a\x00", "", "a"},
		"by the header":                           {"<a>\xd6</a>", "text/xml; charset=KOI8-R", "<a>ж</a>"},
		"by the declaration":                      {"\n<?xml version='1.1' encoding='windows-1251'?><a>\xe6</a>", "", "<a>ж</a>"},
		"that browsers never knew":                {"<?xml version=\"1.0\" encoding=\"IBM855\"?><a>\xe9</a>", "", "<a>ж</a>"},
		"of old Macintoshes":                      {"<?xml version=\"1.0\" encoding=\"MacCyrillic\"?><a>\xe6</a>", "", "<a>ж</a>"},
		"that is all ASCII":                       {"<?xml version=\"1.0\" encoding=\"ISO-2022-JP\"?><a>\x1b$B$\"\x1b(B</a>", "", "<a>あ</a>"},
		"the declaration, if the header is wrong": {"<?xml version=\"1.0\" encoding=\"koi8-r\"?>\xd6", "text/xml; charset=utf-8", "ж"},
		"broken UTF-8":                            {"<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>\xff</a>", "", "<a>\ufffd</a>"},
		"unknown":                                 {"<a>\xe9</a>", "text/xml; charset=nonsense", "<a>é</a>"},
		"what XML forbids":                        {"<a>\x00\x0b\ufffe</a>", "", "<a></a>"},
	} {
		if got := string(Text([]byte(c.body), c.contentType)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("<?xml version='1.0' encoding='iso-2022-jp'?><a>\x1b$B$\"</a>"), "text/xml; charset=utf-16")
	f.Add([]byte("\xff\xfe<\x00"), "")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		text := Text(body, contentType)
		if !utf8.Valid(text) {
			t.Fatalf("%q", text)
		}
		walk := NewXML(text, 8)
		for {
			tok, err := walk.Next()
			if err != nil {
				break
			}
			if _, ok := tok.(xml.StartElement); ok && walk.Depth() > 8 {
				t.Fatal("too deep")
			}
		}
	})
}
