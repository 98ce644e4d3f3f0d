package search_test

import (
	"strings"
	"testing"

	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
)

// strange is a small web for people who know nothing of its pages, with what pages often have.
var strange = []paper{
	{url: "release", lang: "en", text: "Go 1.26.8 was released. RFC 9110 is cited; tag v2.31.0 came later. Error E0382 and room B12."},
	{url: "languages", lang: "en", text: "C++17 brought string views, and C# 12 primary constructors. NullPointerException is from Java."},
	{url: "turbine", lang: "en", text: "It delivers 3.5 kW with a head of 12m, weighs 120kg, and has a port of 5GHz; the gap is 10 µm."},
	{url: "command", lang: "en", text: "Run tar -xzvf archive.tar.gz, then node.js starts. Wi-Fi is on."},
	{url: "mail", lang: "en", text: "Write to anna.lindqvist@museum.example"},
	{url: "british", lang: "en", text: "The colour of the organisation's catalogue; the centre analysed its behaviour 3 kilometres away"},
	{url: "american", lang: "en", text: "flavors of fiber theaters and defense"},
	{url: "plural", lang: "en", text: "Children saw geese and wolves in matrices"},
	{url: "german", lang: "de", text: "Die Mühlenräder in der Fußgängerzone, Äpfel und Öl, eine neue Mauer"},
	{url: "danish", lang: "da", text: "Smørrebrød på Ærø"},
	{url: "russian", lang: "ru", text: "Водяная мельница"},
	{url: "hebrew", lang: "he", text: "ספר התנ״ך וגם צה\"ל, ג'ירפה"},
	{url: "persian", lang: "fa", text: "کتاب‌های فارسی در سال ۱۴۰۲"},
	{url: "hindi", lang: "hi", text: "हिन्दी में ज़रूरत, गाँव"},
	{url: "japanese", lang: "ja", text: "ﾃﾞｰﾀﾍﾞｰｽとコンピューター、ガム"},
	{url: "korean", lang: "ko", text: "한국어 공부"},
}

// What a person may type finds the page that a person would expect, by itself or by what is
// answered instead.
func TestStrangersFindWhatTheyMean(t *testing.T) {
	pages := make([]paper, len(strange))
	for i, p := range strange {
		p.url, p.title, p.day = p.url+".test/", "page", 19000
		pages[i] = p
	}
	s := searcher(t, filled(t, shard.DefaultOptions(), pages...), func(o *search.Options) { o.RelaxBelow = 10 })
	for page, queries := range map[string][]string{
		"release":   {"1.26.8", "v1.26.8", "go1.26.8", "2.31.0", "v2.31.0", "RFC9110", "rfc 9110", "E 0382", "b-12"},
		"languages": {"c++", "C++17", "c++ 17", "C#12", "c# 12", "null pointer exception", "nullpointerexception"},
		"turbine":   {"3.5kW", "3.5 kw", "12 m head", "120 kg", "120kg", "5 GHz", "10μm", "10 µm"},
		"command":   {"nodejs", "NodeJS", "wifi", "wi fi"},
		"mail":      {"mailto:anna.lindqvist@museum.example", "anna lindqvist"},
		"british":   {"color", "organization", "catalog", "center", "analyzed", "behavior", "kilometers", "colours organizations"},
		"american":  {"flavour", "fibre", "theatre", "defence"},
		"plural":    {"child", "goose", "wolf", "matrix"},
		"german":    {"muehlenraeder", "Fussgaengerzone", "fußgängerzone", "aepfel", "oel", "neue mauer"},
		"danish":    {"smoerrebroed", "Aeroe", "smørrebrød"},
		"russian":   {"djlzyfz vtkmybwf", "мельницы"},
		"hebrew":    {"התנ\"ך", "התנך", "וצהל", "ג'ירפה", "גירפה"},
		"persian":   {"کتاب های", "کتاب‌های", "کتابهای", "كتاب", "1402", "۱۴۰۲", "فارسي"},
		"hindi":     {"हिंदी", "हिन्दी", "जरूरत", "ज़रूरत", "गांव"},
		"japanese":  {"データベース", "ﾃﾞｰﾀﾍﾞｰｽ", "ｺﾝﾋﾟｭｰﾀｰ", "カ\u3099ム"},
		"korean":    {"한국어", "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165"},
	} {
		for _, q := range queries {
			r := find(t, s, search.Request{Query: q, Suggest: true, Instead: true})
			if got := urls(r); !strings.HasPrefix(got, page+".test/") {
				t.Errorf("%s finds %q, meant %q, want %s", q, got, r.Meant, page)
			}
		}
	}
}

// Another query is answered only if the one that was typed finds nothing; quotes, a cursor and an
// exclusion say that nothing else is wanted.
func TestAnotherQueryIsAnsweredOnlyForNothing(t *testing.T) {
	s := searcher(t, filled(t, shard.DefaultOptions(), paper{url: "a.test/", text: "node js runs tar -xzvf"}, paper{url: "b.test/", text: "joined nodejx"}), nil)
	for q, want := range map[search.Request]string{
		{Query: "nodejs", Instead: true}:                               "node-js",
		{Query: "nodejs"}:                                              "",
		{Query: `"nodejs"`, Instead: true}:                             "",
		{Query: "nodejs", Instead: true, Cursor: search.Start}:         "",
		{Query: "nodejx", Instead: true}:                               "",
		{Query: "tar -xzvf", Instead: true}:                            "",
		{Query: "qqqqqqqq", Instead: true}:                             "",
		{Query: "nodejs", Instead: true, Offset: 1, PerSite: -1}:       "node-js",
		{Query: "nodejs", Instead: true, Newest: true, Explain: false}: "node-js",
	} {
		q.Suggest = true
		r := find(t, s, q)
		if r.Instead != want || r.Total > 0 != (want != "" || q.Query == "nodejx") {
			t.Errorf("%+v: instead %q, %d pages, want %q", q, r.Instead, r.Total, want)
		}
	}
	if got := find(t, s, search.Request{Query: "tar -xzvf", Suggest: true}).Meant; got != `tar "-xzvf"` {
		t.Errorf("offered %q for a command", got)
	}
}

// Another spelling does not count for more than the one that was typed.
func TestTheTypedSpellingComesFirst(t *testing.T) {
	s := searcher(t, filled(t, shard.DefaultOptions(),
		paper{url: "a.test/", title: "One", text: "the colour of water is clear", lang: "en"}, paper{url: "b.test/", title: "Two", text: "the color of water is clear", lang: "en"},
		paper{url: "c.test/", title: "Three", text: "the color of stones is grey", lang: "en"},
	), nil)
	for q, want := range map[string]string{"color water": "b.test/ a.test/", "colour water": "a.test/ b.test/", `"color"`: "b.test/ c.test/"} {
		if got := urls(find(t, s, search.Request{Query: q})); got != want {
			t.Errorf("%s finds %s, want %s", q, got, want)
		}
	}
}
