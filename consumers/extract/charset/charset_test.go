package charset

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

// TestBelief protects the order in which statements about the encoding are believed.
func TestBelief(t *testing.T) {
	cyrillic := "\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0! \xdd\xf2\xee \xf1\xf2\xf0\xe0\xed\xe8\xf6\xe0." // windows-1251
	cases := map[string]struct {
		body, header, name string
		source             Source
	}{
		"mark beats header":          {"\xef\xbb\xbfa", "text/html; charset=koi8-r", "utf-8", FromBOM},
		"header beats meta":          {`<meta charset="koi8-r">` + cyrillic, "text/html; charset=windows-1251", "windows-1251", FromHeader},
		"meta":                       {`<meta http-equiv=Content-Type content="text/html; charset=windows-1251">` + cyrillic, "text/html", "windows-1251", FromMeta},
		"meta in a comment":          {`<!-- <meta charset="koi8-r"> --><meta charset=windows-1251>` + cyrillic, "", "windows-1251", FromMeta},
		"xml declaration":            {`<?xml version="1.0" encoding="windows-1251"?>` + cyrillic, "", "windows-1251", FromXML},
		"a header that lies":         {"Привет, мир", "text/html; charset=windows-1251", "utf-8", FromUTF8},
		"utf-8 that is not":          {cyrillic + cyrillic, "text/html; charset=utf-8", "windows-1251", FromDetection},
		"nothing but ascii":          {"hello", "", "windows-1252", FromDefault},
		"utf-16 without mark":        {"<\x00h\x00t\x00m\x00l\x00>\x00<\x00p\x00>\x00h\x00i\x00", "", "utf-16le", FromDetection},
		"utf-7 is never believed":    {"+ADw-script+AD4-", "text/html; charset=utf-7", "windows-1252", FromDefault},
		"an unknown name is ignored": {cyrillic, "text/html; charset=klingon", "windows-1251", FromDetection},
	}
	d := New()
	for name, c := range cases {
		if got := d.Decode([]byte(c.body), c.header); got.Name != c.name || got.Source != c.source {
			t.Errorf("%s: %s by %s, want %s by %s", name, got.Name, got.Source, c.name, c.source)
		}
	}
}

// TestAWrongDeclarationIsNotBelieved protects pages whose declared encoding decodes without an
// error and is wrong all the same, as every single-byte set does, and UTF-16 that is served under
// another name.
func TestAWrongDeclarationIsNotBelieved(t *testing.T) {
	russian := "Сегодня утром над городом прошёл сильный дождь, и жители долго не могли выйти из домов."
	chinese := "今天早上城市里下了大雨，居民们很长时间都不能出门。一位老人说，这样的雨三十年没有下过。"
	japanese := "今朝、町に強い雨が降り、住民は長い間外に出ることができませんでした。"
	cases := []struct{ text, is, declared string }{
		{chinese, "gb18030", "iso-8859-1"}, {chinese, "gb18030", "windows-1251"}, {chinese, "gb18030", "big5"},
		{russian, "windows-1251", "iso-8859-1"}, {russian, "koi8-r", "windows-1251"}, {russian, "windows-1251", "koi8-r"}, {russian, "ibm866", "windows-1251"},
		{japanese, "shift_jis", "iso-8859-1"}, {japanese, "euc-jp", "windows-1252"},
		{"Σήμερα το πρωί έβρεξε πολύ στην πόλη και οι κάτοικοι δεν μπορούσαν να βγουν.", "windows-1253", "iso-8859-1"},
		{russian, "utf-16le", "utf-8"}, {chinese, "utf-16le", "utf-8"}, {chinese, "utf-16be", ""}, {russian, "utf-16be", "iso-8859-1"},
		// Right declarations stay: these languages have many letters outside ASCII.
		{russian, "koi8-r", "koi8-r"}, {chinese, "gb18030", "gb2312"}, {"Příliš žluťoučký kůň úpěl ďábelské ódy; " + "děti přišly za svítání k řece, aby viděly lodě plující kolem.", "iso-8859-2", "iso-8859-2"},
		{"Ma reggel erős eső esett a városban, és az emberek sokáig nem tudtak kimenni a házból; közülük többen gyűjtöttek.", "windows-1250", "windows-1250"},
	}
	d := New()
	for _, c := range cases {
		b, err := decoderOf(c.is).NewEncoder().Bytes([]byte("<html><head><title>x</title></head><body><p>" + c.text + "</p><p>" + c.text + "</p></body></html>"))
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Decode(b, "text/html; charset="+c.declared); !strings.Contains(string(got.UTF8), c.text) {
			t.Errorf("%s declared as %s: read as %s by %s: %.200s", c.is, c.declared, got.Name, got.Source, got.UTF8)
		}
	}
}

// TestDetection protects the encodings that pages use without saying so: one sentence must be
// enough.
func TestDetection(t *testing.T) {
	russian := "Сегодня утром над городом прошёл сильный дождь, и жители долго не могли выйти из домов."
	cases := map[string]string{
		"windows-1251": russian, "koi8-r": russian, "ibm866": russian, "x-mac-cyrillic": russian, "iso-8859-5": russian,
		"windows-1253": "Σήμερα το πρωί έβρεξε πολύ στην πόλη και οι κάτοικοι δεν μπορούσαν να βγουν.",
		"windows-1250": "Ma reggel erős eső esett a városban, és az emberek sokáig nem tudtak kimenni a házból; közülük többen gyűjtöttek.",
		"windows-1254": "Bu sabah şehirde çok yağmur yağdı ve insanlar uzun süre evlerinden çıkamadılar, diye bildirildi.",
		"gb18030":      "今天早上城市里下了大雨，居民们很长时间都不能出门。",
		"big5":         "今天早上城市裡下了大雨，居民們很長時間都不能出門。",
		"shift_jis":    "今朝、町に強い雨が降り、住民は長い間外に出ることができませんでした。",
		"euc-jp":       "今朝、町に強い雨が降り、住民は長い間外に出ることができませんでした。",
		"euc-kr":       "오늘 아침 도시에 비가 많이 내려서 주민들이 오랫동안 밖에 나가지 못했다.",
		"windows-1255": "הבוקר ירד גשם חזק בעיר והתושבים לא יכלו לצאת מבתיהם זמן רב.",
		"windows-1252": "Ce matin, une forte pluie est tombée sur la ville; les habitants n'ont pas pu sortir très tôt, a-t-il été dit à Orléans.",
	}
	d := New()
	for name, text := range cases {
		e, err := htmlindex.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := e.NewEncoder().Bytes([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := string(decodeAs(b, d.Detect(b))); got != text {
			t.Errorf("%s taken for %s: %s", name, d.Detect(b), got)
		}
	}
}

// FuzzDecode protects the text behind: whatever the bytes, it is valid UTF-8.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("<?xml encoding='utf-16'?>"), "")
	f.Add([]byte("<meta charset=x><!--"), "text/html; charset=\"")
	f.Add([]byte("\x1b$B\xff\xfe\x00"), "iso-2022-jp")
	d := New()
	f.Fuzz(func(t *testing.T, body []byte, header string) {
		got := d.Decode(body, header)
		for i, r := range string(got.UTF8) {
			if r == 0xfffd && got.UTF8[i] != 0xef {
				t.Fatalf("invalid UTF-8 from %q as %s", body, got.Name)
			}
		}
		if got.Name == "" || got.Source == "" {
			t.Fatal("no name or no source")
		}
	})
}
