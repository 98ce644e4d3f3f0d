package wire

import (
	"testing"

	"millrace/consumers/rules"
	"millrace/ops/web"
	"millrace/schema"
)

// A rule of extraction that is added while the crawl runs is applied to pages, and the document
// names it; a rule that does not compile is refused.
func TestARuleOfExtractionIsAddedAtRunTime(t *testing.T) {
	w := start(t, DefaultConfig(), newOrigin(t))
	o := &operators{w.System.opened, w.System.groups, w.System.cluster, w.System.additions}
	if _, err := o.ChangeRules(t.Context(), web.RuleChange{Add: []web.NewRule{{Rule: "extract {contents: main}"}}}); err == nil {
		t.Error("a rule with an unknown field was taken")
	}
	out, err := o.ChangeRules(t.Context(), web.RuleChange{Add: []web.NewRule{{Rule: `extract {url: /story, refuse: true}`, Site: "a.test"}}})
	if err != nil {
		t.Fatal(err)
	}
	w.seed(home)
	story, err := w.Frontier(t.Context(), "http://www.a.test/story")
	if err != nil || story.Row == nil || story.Row.Reason != "rule" {
		t.Errorf("%+v, %v", story.Row, err)
	}
	live := &liveRules{set: w.control.Set()}
	if c, ok := live.Find("www.a.test", "http://www.a.test/story"); !ok || c.ID != out.Added[0] {
		t.Errorf("found %+v", c.Rule)
	}
	if v := w.control.Set().Judge(rules.Query{URL: home, Host: "test.a.www", Path: ":http/", Site: "a.test", Kind: schema.Kind_PAGE}, rules.Latest); v.Out {
		t.Errorf("%+v", v)
	}
}
