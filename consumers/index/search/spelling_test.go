package search_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
)

// written is a small web of pages whose words can be written in several ways.
func written() []paper {
	text := map[string]string{
		"cpp.test/ip":          "The router answers at its address.",
		"en.test/node":         "Node.js is a runtime.",
		"en.test/joined":       "NodeJS and an email over wifi; maxConnections; 1234567 stones; dont ask.",
		"en.test/apart":        "An e-mail over Wi-Fi: max_connections of 1,234,567 stones; don't ask, well-known co-operation.",
		"en.test/version":      "Version 2.6.1 and room 261.",
		"en.test/option":       "git log --oneline shows each commit",
		"en.test/log":          "git log shows each commit",
		"en.test/ligature":     "The eﬃcient oﬃce of Cæsar in the Hauptstraße",
		"ru.test/castle":       "Старинный за́мок",
		"el.test/athens":       "Η Αθήνα και ο σοφός",
		"he.test/peace":        "שָׁלוֹם",
		"ar.test/school":       "مُحَمَّد والمدرسة كتـــاب",
		"fr.test/works":        "une œuvre",
		"de.test/miller":       "Die Müllerburschenwanderschaft",
		"quote.test/order":     "race of the mill",
		"quote.test/right":     "mill race",
		"zh.test/library":      "圖書館的開放時間",
		"zh.test/library2":     "图书馆的开放时间",
		"ja.test/width":        "ＡＢＣの全角とｶﾀｶﾅの半角",
		"en.test/water":        "H₂O is water in 3 m³ of a river¹",
		"wheel.test/database":  "a database and a waterwheel",
		"wheel.test/database2": "a database",
		"wheel.test/database3": "a database",
		"wheel.test/database4": "a database and a water wheel",
	}
	var all []paper
	for _, url := range slices.Sorted(maps.Keys(text)) {
		lang := url[:2]
		if lang != "ru" && lang != "el" && lang != "he" && lang != "ar" && lang != "fr" && lang != "zh" && lang != "de" && lang != "ja" {
			lang = "en"
		}
		all = append(all, paper{url: url, title: "page", text: text[url], lang: lang, day: 19000})
	}
	return all
}

// What people type is found however the page writes it, and what means something else is not.
func TestOtherSpellingsFindThePage(t *testing.T) {
	s := searcher(t, filled(t, shard.DefaultOptions(), written()...), nil)
	for _, c := range []struct {
		query string
		found []string
	}{
		{"https://cpp.test/ip", []string{"cpp.test/ip"}},
		{"http://CPP.test/ip?session=1#top", []string{"cpp.test/ip"}},
		{"cpp.test/ip", []string{"cpp.test/ip"}},
		{"https://cpp.test/other", nil},
		{"node.js", []string{"en.test/joined", "en.test/node"}},
		{"e-mail", []string{"en.test/apart", "en.test/joined"}},
		{"wi-fi", []string{"en.test/apart", "en.test/joined"}},
		{"max_connections", []string{"en.test/apart", "en.test/joined"}},
		{"1,234,567", []string{"en.test/apart", "en.test/joined"}},
		{"don’t", []string{"en.test/apart", "en.test/joined"}},
		{`"e-mail"`, []string{"en.test/apart"}},
		{"2.6.1", []string{"en.test/version"}},
		{"git --oneline", []string{"en.test/option"}},
		{"git -oneline", []string{"en.test/log"}},
		{"efficient office", []string{"en.test/ligature"}},
		{"caesar hauptstrasse", []string{"en.test/ligature"}},
		{"замок", []string{"ru.test/castle"}},
		{"ΑΘΗΝΑ ΣΟΦΟΣ", []string{"el.test/athens"}},
		{"שלום", []string{"he.test/peace"}},
		{"محمد المدرسة كتاب", []string{"ar.test/school"}},
		{"oeuvres", []string{"fr.test/works"}},
		{"图书馆", []string{"zh.test/library", "zh.test/library2"}},
		{"圖書館", []string{"zh.test/library", "zh.test/library2"}},
		{`"開放時間"`, []string{"zh.test/library", "zh.test/library2"}},
		{"ABC 全角", []string{"ja.test/width"}},
		{"h2o rivers", []string{"en.test/water"}},
		{"3 m3", []string{"en.test/water"}},
		{"wellknown", []string{"en.test/apart"}},
		{"data base", []string{"wheel.test/database", "wheel.test/database2", "wheel.test/database3", "wheel.test/database4"}},
		{"NodeJS em\u200bail", []string{"en.test/joined"}},
		{"“mill race”", []string{"quote.test/right"}},
		{"«mill race»", []string{"quote.test/right"}},
	} {
		var got []string
		for _, h := range find(t, s, search.Request{Query: c.query}).Hits {
			got = append(got, h.Key)
		}
		if !sameKeys(got, c.found) {
			t.Errorf("%s: %v, want %v", c.query, got, c.found)
		}
	}
}

func sameKeys(got, want []string) bool {
	seen := map[string]bool{}
	for _, k := range got {
		seen[k] = true
	}
	for _, k := range want {
		if !seen[k] {
			return false
		}
	}
	return len(got) == len(want)
}

// A word that only other pages write as two, or two that they write as one, are offered in that
// form.
func TestWordsAreOfferedApartAndJoined(t *testing.T) {
	s := searcher(t, filled(t, shard.DefaultOptions(), written()...), func(o *search.Options) { o.RelaxBelow = 10 })
	for query, meant := range map[string]string{
		"wellknown": "", "data base": "", "water wheel": "", "millrace": "mill race",
		"zzyzx": "", "hauptstr": "hauptstr*", "intitle:hauptstr": "", `"hauptstr oneline"`: "", "hauptstr oneline": "hauptstr* oneline", "Müllerbursch": "müllerbursch*",
	} {
		if got := find(t, s, search.Request{Query: query, Suggest: true}).Meant; got != meant {
			t.Errorf("%s: %s, want %s", query, fmt.Sprintf("%q", got), meant)
		}
	}
}
