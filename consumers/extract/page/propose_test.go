package page

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"millrace/consumers/extract/rules"
)

// sitePage is a page of a site whose template has a menu, a box of other stories inside the story,
// and a foot.
func sitePage(i int) Input {
	words := []string{"river", "harvest", "bridge", "winter", "school", "market"}[i%6]
	body := strings.Repeat("<p>The "+words+" by the old mill was the talk of the whole valley that week, and the miller, who had seen much, kept his own counsel about it until the evening came.</p>", 4+i)
	return Input{URL: fmt.Sprintf("https://www.mill.test/news/%d", i), ContentType: "text/html; charset=utf-8", FetchedAt: time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC), Body: []byte(fmt.Sprintf(
		`<html lang=en><head><title>The %s - Mill News</title></head><body><ul class="menu"><li><a href=/a>Home</a></li><li><a href=/b>News</a></li></ul>
<div class="wrap"><h1 class="headline">The %s of the valley</h1><span class="byline-name">Ada Writer%c</span> <time class="stamp" datetime="2024-05-%02dT10:00:00Z">some day</time>
<div class="story post-%d">%s<div class="related"><a href=/x>Ten other things to read about corn this week</a><a href=/y>Why the wheel turns: all answers in one place</a></div></div></div>
<div class="foot">All rights reserved by the mill. Call us any time.</div></body></html>`, words, words, 'a'+i, i+1, i, body))}
}

func TestARuleIsProposedFromAHandfulOfPages(t *testing.T) {
	x := newExtractor(t)
	var pages []Input
	for i := range 4 {
		pages = append(pages, sitePage(i))
	}
	p, err := x.Propose(pages)
	if err != nil {
		t.Fatal(err)
	}
	r := p.Rule
	if r.Domain != "mill.test" || r.URL != "^https?://[^/]+/news/" || r.Content != "div.wrap" || r.Without != "div.related" || r.Author != "span.byline-name" || r.Title == "" || r.Date == "" {
		t.Errorf("proposed: %+v", r)
	}
	for i, c := range p.Pages {
		if c.Shared < 0.95 || c.Rule.Title != c.Model.Title || c.Rule.Published != fmt.Sprintf("2024-05-%02d", i+1) || strings.Contains(c.Rule.Text, "All rights") {
			t.Errorf("page %d: %+v", i, c)
		}
	}
	// What is proposed holds as it is written, also on a page that was not learnt from.
	set, err := rules.Parse(strings.NewReader(r.YAML()))
	if err != nil {
		t.Fatalf("%v:\n%s", err, r.YAML())
	}
	ruled, err := NewWith(x.learnt, x.opts, x.canon, set)
	if err != nil {
		t.Fatal(err)
	}
	if got := ruled.Extract(sitePage(5)); got.TextBy != "rule" || !strings.Contains(got.Text, "The market by the old mill") || strings.Contains(got.Text, "All rights") || strings.Contains(got.Text, "Ten other things") {
		t.Errorf("another page: by %s: %s", got.TextBy, got.Text)
	}
}

func TestWhatNoRuleCanBeLearntFromIsSaid(t *testing.T) {
	x := newExtractor(t)
	other := sitePage(1)
	other.URL = "https://else.test/news/1"
	for want, pages := range map[string][]Input{
		"2 to 20 pages": {sitePage(1)},
		"several hosts": {sitePage(1), other},
		"too few":       {sitePage(1), {URL: "https://www.mill.test/x", ContentType: "image/png", Body: []byte("\x89PNG")}},
	} {
		if _, err := x.Propose(pages); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
