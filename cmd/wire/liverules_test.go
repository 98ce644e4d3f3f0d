package wire

import (
	"fmt"
	"testing"

	"millrace/consumers/rules"
	"millrace/ops/web"
	"millrace/schema"
)

// What is decided while a URL waits for its request reaches fetch: an exclude, a missing include
// that a seed does not need, a removal, a pause.
func TestFetchKnowsWhatWasDecidedSince(t *testing.T) {
	w := start(t, DefaultConfig(), newOrigin(t))
	o := &operators{w.System.opened, w.System.groups, w.System.cluster, w.System.additions}
	judge := w.System.groups.fetchOptions().Judge
	ask := func(raw string, seeded bool) (string, bool) {
		u, err := w.Canon.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		j := judge(&schema.Scheduled{RowKey: string(u.RowKey()), Url: u.String(), Site: string(u.Site()), Kind: schema.Kind_PAGE, Seeded: seeded}, u)
		return j.Reason, j.Paused
	}
	if why, paused := ask("http://www.b.test/x", false); why != "" || paused {
		t.Errorf("before: %s, %v", why, paused)
	}
	if _, err := o.ChangeRules(t.Context(), web.RuleChange{Add: []web.NewRule{
		{Rule: "exclude /x", Site: "b.test"}, {Rule: "include /y", Site: "b.test"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Pause(t.Context(), web.PauseCall{Host: "www.c.test"}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Forget(t.Context(), web.ForgetCall{URLs: []string{"http://www.d.test/gone"}}); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		url    string
		seeded bool
		why    string
		paused bool
	}{
		{"http://www.b.test/x", true, "excluded", false}, {"http://www.b.test/y", false, "", false},
		{"http://www.b.test/z", false, "not_included", false}, {"http://www.b.test/z", true, "", false},
		{"http://www.c.test/", false, "", true}, {"https://www.d.test/gone", false, "forgotten", false},
	} {
		if why, paused := ask(x.url, x.seeded); why != x.why || paused != x.paused {
			t.Errorf("%s, seeded %v: %q, paused %v", x.url, x.seeded, why, paused)
		}
	}
}

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

// An import that was cut off is repeated: rules that hold already are not counted again.
func TestRulesThatHoldAreNotAddedTwice(t *testing.T) {
	w := start(t, DefaultConfig(), newOrigin(t))
	o := &operators{w.System.opened, w.System.groups, w.System.cluster, w.System.additions}
	var all []web.NewRule
	for i := range rules.MostEverywhere {
		all = append(all, web.NewRule{Rule: fmt.Sprintf("exclude /%d$", i)})
	}
	before := o.control.Set().Size()
	for _, some := range [][]web.NewRule{all[:600], all, {all[7], all[7]}} {
		out, err := o.ChangeRules(t.Context(), web.RuleChange{Add: some})
		if err != nil || len(out.Added) != len(some) {
			t.Fatalf("%d added, %v", len(out.Added), err)
		}
	}
	if n := o.control.Set().Size() - before; n != len(all) {
		t.Errorf("%d rules of %d", n, len(all))
	}
	if _, err := o.ChangeRules(t.Context(), web.RuleChange{Add: []web.NewRule{{Rule: "exclude /more"}}}); err == nil {
		t.Error("one more than may hold everywhere was taken")
	}
}
