package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/plain"
	"millrace/consumers/extract/rules"
)

// maxValue bounds a title, author or date that a selector finds, in bytes.
const maxValue = 1 << 10

// valuesBySelector returns for every selector of a page what a rule with it would find: the value
// of the first element that has one.
func valuesBySelector(root *html.Node) map[string]string {
	out := map[string]string{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || len(out) > maxNodes {
			continue
		}
		var value string
		read := false
		for _, s := range selectorsOf(n) {
			if _, seen := out[s]; seen {
				continue
			}
			if !read {
				value, read = elementValue(n), true
			}
			if value != "" {
				out[s] = value
			}
		}
	}
	return out
}

// elementValue returns the part of one element that selectedValue takes.
func elementValue(n *html.Node) string {
	for _, key := range []string{"datetime", "content"} {
		if v := plain.Clean(attr(n, key)); v != "" {
			return v
		}
	}
	return textOf(n)
}

// maxClasses bounds the classes of an element that are looked at.
const maxClasses = 8

// selectorsOf returns the CSS selectors of one step by which an element could be named: its id, its
// classes, what it says of its meaning, and its name if that tells something. Names with digits are
// left out, because programs number elements.
func selectorsOf(n *html.Node) []string {
	var out []string
	switch n.DataAtom {
	case atom.Main, atom.Article, atom.H1, atom.Time:
		out = append(out, n.Data)
	case atom.Html, atom.Body:
		return nil
	}
	for i := range n.Attr {
		a := &n.Attr[i]
		switch a.Key {
		case "id":
			if isPlainName(a.Val) {
				out = append(out, "#"+a.Val)
			}
		case "class":
			for k, c := range strings.Fields(a.Val) {
				if k < maxClasses && isPlainName(c) {
					out = append(out, n.Data+"."+c)
				}
			}
		case "itemprop", "role", "rel", "property", "name":
			if isPlainName(strings.ReplaceAll(a.Val, ":", "-")) && isPlainName(n.Data) {
				out = append(out, n.Data+"["+a.Key+"=\""+a.Val+"\"]")
			}
		}
	}
	return out
}

// isPlainName reports whether s can stand in a selector as it is, and was hardly made by a program.
func isPlainName(s string) bool {
	if s == "" || len(s) > 60 || s[0] == '-' {
		return false
	}
	for i := range len(s) {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && s[i] != '-' && s[i] != '_' {
			return false
		}
	}
	return true
}

// compare reads the pages with the rule.
func (e *Extractor) compare(p *Proposal, inputs []Input) error {
	set, err := rules.Compile([]rules.Rule{p.Rule})
	if err != nil {
		return err
	}
	ruled := &Extractor{opts: e.opts, canon: e.canon, rules: set, chars: e.chars, langs: e.langs, learnt: e.learnt}
	for i, in := range inputs {
		r := ruled.Extract(in)
		p.Pages[i].Rule = findings(&r)
		p.Pages[i].Shared = sharedWords(p.Pages[i].Model.Text, r.Text)
	}
	return nil
}

func findings(r *Result) Findings {
	return Findings{Title: r.Title, Author: r.Author, Published: day(r.Published.Time), Words: wordsIn(r.Text), Text: r.Text}
}

// sharedWords is the F1 of the words of two texts, each as often as it occurs; 1 if both are empty.
func sharedWords(a, b string) float64 {
	count, all, both := map[string]int{}, 0, 0
	article.EachWord(a, func(w string) { count[w]++; all++ })
	article.EachWord(b, func(w string) {
		all++
		if count[w] > 0 {
			count[w]--
			both++
		}
	})
	if all == 0 {
		return 1
	}
	return 2 * float64(both) / float64(all)
}
