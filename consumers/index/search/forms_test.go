package search_test

import (
	"slices"
	"strings"
	"testing"

	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
)

// inflections is a small web whose pages have other forms of the words that people type.
var inflections = []paper{
	{url: "mainframe", lang: "en", text: "I.B.M. announced a mainframe in the U.K. at 9 a.m."},
	{url: "typewriter", lang: "en", text: "IBM sells typewriters; UK customers asked at 9 am"},
	{url: "hobbit", lang: "en", text: "J.R.R. Tolkien invented hobbits"},
	{url: "fishing", lang: "en", text: "J. R. R. Hartley invented fly fishing"},
	{url: "vote", lang: "en", text: "Elections in the U.S. and in the U.S.S.R."},
	{url: "help", lang: "en", text: "Tell us about the elections of your club"},
	{url: "code", lang: "en", text: "The package org.a.b.Codec, and w.i.d.e.l.y.s.p.a.c.e.d letters"},
	{url: "sum", lang: "en", text: "A price of $1,234.56, and 7 654 321 euros"},
	{url: "plain", lang: "en", text: "A price of 8765.43, and 9876543 euros"},
	{url: "verbs", lang: "en", text: "She taught, swam, and wrote about leaves"},
	{url: "oxen", lang: "en", text: "Two oxen and some people"},
	{url: "deutsch", lang: "de", text: "Er ging, schrieb und hat es gehört"},
	{url: "espanol", lang: "es", text: "Dos lápices y la luz"},
	{url: "portugues", lang: "pt", text: "As canções dos alemães e um coração"},
	{url: "comma", lang: "ro", text: "Orașul București are școli și stații"},
	{url: "cedilla", lang: "ro", text: "Oraşul Bucureşti are şcoli şi staţii"},
	{url: "francais", lang: "fr", text: "Les yeux"},
	{url: "lyudi", lang: "ru", text: "Люди пишут много писем без подарков и копеек, а дети спят"},
	{url: "otets", lang: "ru", text: "У отца нет девушек"},
}

// A word finds pages that have another form of it, which no stemmer brings together with it; and an
// abbreviation is found with points and without them.
func TestOtherFormsAndAbbreviations(t *testing.T) {
	pages := slices.Clone(inflections)
	for i := range pages {
		p := &pages[i]
		p.url, p.title, p.day = p.url+".test/", "page", 19000
	}
	s := searcher(t, filled(t, shard.DefaultOptions(), pages...), nil)
	for q, want := range map[string]string{
		"IBM":                       "mainframe typewriter",
		"i.b.m.":                    "mainframe typewriter",
		"I.B.M typewriters":         "typewriter",
		`"I.B.M. sells"`:            "typewriter",
		"ibm mainframe":             "mainframe",
		"UK":                        "mainframe typewriter",
		"9 am":                      "mainframe typewriter",
		"JRR Tolkien":               "hobbit",
		"J R R Tolkien":             "hobbit",
		"J. R. R. Tolkien":          "hobbit",
		"J.R.R. Hartley":            "fishing",
		"J R R Hartley":             "fishing",
		"USSR":                      "vote",
		"codec":                     "code",
		"org.a.b.Codec":             "code",
		"w.i.d.e.l.y.s.p.a.c.e.d":   "code",
		"1234.56":                   "sum",
		"$1,234.56":                 "sum",
		"7654321":                   "sum",
		"7,654,321":                 "sum",
		"9,876,543":                 "plain",
		"9.876.543":                 "plain",
		"8,765.43":                  "plain",
		"teach":                     "verbs",
		"teaching":                  "verbs",
		"swimming":                  "verbs",
		"swum":                      "verbs",
		"writing leaf":              "verbs",
		"ox":                        "oxen",
		"person":                    "oxen",
		"gehen":                     "deutsch",
		"geschrieben":               "deutsch",
		"hören":                     "deutsch",
		"lápiz":                     "espanol",
		"lapiz":                     "espanol",
		"luces":                     "espanol",
		"canção":                    "portugues",
		"cancao":                    "portugues",
		"alemão":                    "portugues",
		"corações":                  "portugues",
		"București":                 "cedilla comma",
		"BUCUREŞTI":                 "cedilla comma",
		"stație":                    "cedilla comma",
		"œil":                       "francais",
		"oeil":                      "francais",
		"человек":                   "lyudi",
		"ребёнок":                   "lyudi",
		"письмо":                    "lyudi",
		"подарок":                   "lyudi",
		"копейка":                   "lyudi",
		"отец":                      "otets",
		"девушка":                   "otets",
		`"teach"`:                   "",
		"teach -intitle:page swims": "",
	} {
		var hosts []string
		for _, h := range find(t, s, search.Request{Query: q}).Hits {
			hosts = append(hosts, strings.TrimSuffix(h.Site, ".test"))
		}
		slices.Sort(hosts)
		if got := strings.Join(hosts, " "); got != want {
			t.Errorf("%s finds %q, want %q", q, got, want)
		}
	}
}

// What was found is marked in the text that is shown, with its points.
func TestAnAbbreviationIsMarked(t *testing.T) {
	s := searcher(t, filled(t, shard.DefaultOptions(), paper{url: "a.test/", title: "page", lang: "en", text: "Mainframes of I.B.M. are large"}), nil)
	hits := find(t, s, search.Request{Query: "IBM"}).Hits
	if len(hits) != 1 || !slices.Contains(hits[0].Snippet, search.Piece{Text: "I.B.M", Match: true}) {
		t.Errorf("%+v", hits)
	}
}
