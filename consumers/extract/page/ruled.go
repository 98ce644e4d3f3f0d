package page

import (
	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/plain"
	"millrace/consumers/extract/rules"
)

// ruled replaces values by those of the elements that the domain's rule names. If a selector
// matches nothing, the value found without the rule stays, because sites change more often than
// rules.
func (x *extraction) ruled(root *html.Node, p *article.Page, rule rules.Compiled) {
	r, doc := x.r, goquery.NewDocumentFromNode(root)
	r.RuleID = rule.ID
	if text := selectedText(doc, p, rule, x.opts.MaxText); text != "" {
		r.Text, r.TextBy, r.Same.Text = text, "rule", text
	}
	if s := selectedValue(rules.Select(doc, rule.Title)); s != "" {
		r.Title, r.TitleBy, r.Same.Title = s, "rule", s
	}
	if s := selectedValue(rules.Select(doc, rule.Author)); s != "" {
		r.Author, r.By = s, "rule"
	}
	if s := selectedValue(rules.Select(doc, rule.Date)); s != "" {
		c := clock{order: orderOf(r.Stated, x.in.URL), now: x.in.FetchedAt}
		if d, ok := c.date(s, "rule"); ok {
			d.Sure = 1
			r.Published = d
		}
	}
	if rule.Article != nil {
		r.Useful, r.Score = *rule.Article, float64(boolean(*rule.Article))
	}
}

// selectedText joins the blocks inside the content elements.
func selectedText(doc *goquery.Document, p *article.Page, rule rules.Compiled, max int) string {
	content := rules.Select(doc, rule.Content)
	if content.Length() == 0 {
		return ""
	}
	without := setOf(rules.Select(doc, rule.Without).Nodes)
	wanted, keep := setOf(content.Nodes), make([]bool, len(p.Blocks))
	found := false
	for i := range p.Blocks {
		keep[i] = inside(p.Boxes[p.Blocks[i].Box].Node, wanted, without)
		found = found || keep[i]
	}
	if found {
		return p.Text(keep, max)
	}
	if content.Length() > 1 {
		return ""
	}
	return plain.Cut(textOf(content.Nodes[0]), max) // an inline element has no blocks of its own
}

func setOf(nodes []*html.Node) map[*html.Node]bool {
	set := make(map[*html.Node]bool, len(nodes))
	for _, n := range nodes {
		set[n] = true
	}
	return set
}

// inside reports whether the nearest element above n that is in one of the two sets is in content.
func inside(n *html.Node, content, without map[*html.Node]bool) bool {
	for ; n != nil; n = n.Parent {
		switch {
		case without[n]:
			return false
		case content[n]:
			return true
		}
	}
	return false
}

// selectedValue returns the value of the first element that has one: its machine-readable
// attribute, else its text.
func selectedValue(found *goquery.Selection) string {
	for _, n := range found.EachIter() {
		for _, key := range []string{"datetime", "content"} {
			if v := plain.Clean(n.AttrOr(key, "")); v != "" {
				return v
			}
		}
		if s := textOf(n.Nodes[0]); s != "" {
			return s
		}
	}
	return ""
}
