package links

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"millrace/schema"
)

// The bounds of the link texts that are shown of a page.
const (
	maxShown      = 32
	maxShownBytes = 2 << 10
	fewTexts      = 3 // with fewer good texts, poor ones are shown too
)

// leastSite is how many pages a site must have before a text on most of them counts as a menu.
const leastSite = 8

// everywhere reports whether more than half of a site's pages, at least leastSite, have this link.
func everywhere(e *schema.SiteEntry, pages int64) bool {
	return e.SitePages >= leastSite && 2*pages > e.SitePages
}

// Choose returns the texts for the index field anchors, those that most sites use first. Times is
// the number of sites that use a text for followed links outside menus, at least 1.
func Choose(row *schema.TargetRow) []*schema.ShownAnchor {
	type text struct {
		*schema.ShownAnchor
		good, pages int64
	}
	found := map[uint32]*text{}
	for _, e := range entries(row) {
		for _, x := range e.Texts {
			if Empty(x.Text) {
				continue
			}
			k := hashText(x.Text)
			if found[k] == nil {
				found[k] = &text{ShownAnchor: &schema.ShownAnchor{Text: x.Text}}
			}
			found[k].pages += x.Pages
			if x.Followed > 0 && !everywhere(e, x.Pages) {
				found[k].good++
			}
		}
	}
	all := make([]*text, 0, len(found))
	for _, f := range found {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *text) int {
		return cmp.Or(cmp.Compare(b.good, a.good), cmp.Compare(b.pages, a.pages), cmp.Compare(a.Text, b.Text))
	})
	var shown []*schema.ShownAnchor
	bytes := 0
	for _, f := range all {
		bytes += len(f.Text)
		if f.good == 0 && len(shown) >= fewTexts || len(shown) == maxShown || bytes > maxShownBytes {
			break
		}
		f.Times = int32(max(1, f.good))
		shown = append(shown, f.ShownAnchor)
	}
	return shown
}

// tidy makes a text one line of valid UTF-8 without space around it, of at most most bytes, cut
// between characters.
func tidy(s string, most int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return strings.TrimSpace(s[:most])
}

// Empty reports whether a text says nothing about the link's target: an address, no letter or
// digit, or a usual phrase ("click here").
func Empty(s string) bool {
	if strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "www.") {
		return true
	}
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return true
	}
	s = strings.TrimFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.Contains(usual(), s)
}

// usual lists link texts that say nothing about the target, in lower case.
func usual() []string {
	return []string{
		"here", "click here", "click", "this", "this page", "link", "more", "read more", "learn more", "see more", "more info",
		"more information", "details", "view", "show", "open", "go", "next", "next page", "prev", "previous", "previous page",
		"back", "up", "top", "home", "permalink", "continue", "continue reading", "full article", "website", "edit", "print",
		"hier", "mehr", "weiterlesen", "weiter", "zurück", "ici", "lire la suite", "suivant", "précédent", "aquí", "leer más",
		"siguiente", "anterior", "qui", "avanti", "indietro", "здесь", "тут", "далее", "подробнее", "читать далее", "ещё", "еще",
		"назад", "вперёд", "вперед", "след", "пред", "содержание", "点击这里", "这里", "更多", "阅读更多", "下一页", "上一页", "返回",
		"首页", "详情", "查看", "こちら", "続きを読む", "次へ", "前へ", "戻る",
	}
}
