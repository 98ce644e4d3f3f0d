package schedule

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"millrace/consumers/rules"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
)

// decide puts a rule in force for all records.
func decide(t *testing.T, set *rules.Set, text string, off bool) {
	t.Helper()
	r, err := rules.Parse(text, rules.Scope{Site: "example.com"})
	if err != nil {
		t.Fatal(err)
	}
	c := &schema.Control{Off: off, Body: &schema.Control_Rule{Rule: r}}
	c.Id = rules.ID(c)
	if err := set.Put(c, 1); err != nil {
		t.Fatal(err)
	}
}

// pause pauses a host, or ends that.
func pause(t *testing.T, set *rules.Set, off bool) {
	t.Helper()
	c := &schema.Control{Id: "p", Off: off, Body: &schema.Control_Pause{Pause: &schema.Pause{Host: "example.com"}}}
	if err := set.Put(c, 1); err != nil {
		t.Fatal(err)
	}
}

func ruledWorld(t *testing.T, lines ...string) (*world, *rules.Set) {
	set := rules.New()
	for _, l := range lines {
		decide(t, set, l, false)
	}
	return newWorld(t, func(o *Options) { o.Rules = set }), set
}

func (w *world) sent() string {
	var out []string
	for _, s := range w.out {
		out = append(out, strings.TrimPrefix(s.RowKey, "com.example:http/"))
	}
	return strings.Join(out, " ")
}

// X9: what rules forbid is dropped with its reason and the rule that made it; what they rewrite
// is one URL; what they limit stops there; and a replay of the log makes the same rows.
func TestRulesDecideAboutNewURLs(t *testing.T) {
	lines := []string{"exclude /cal/", "rewrite ;sid=.*$ -> ", "limit 2 /tag/", "fit 3 /story"}
	w, set := ruledWorld(t, lines...)
	w.append(linksTo("com.example", ":http/cal/1", ":http/a;sid=1", ":http/a;sid=2", ":http/tag/1", ":http/tag/2", ":http/tag/3", ":http/x.png", ":http/story"))
	w.run()
	for reason, n := range map[string]int64{rules.Excluded: 1, rules.OverLimit: 1, rules.Suffix: 1, knownLink: 1} {
		got := int64(0)
		for _, x := range w.task.ledger.counts.row.Drops {
			if x.Name == reason {
				got = x.N
			}
		}
		if got != n {
			t.Errorf("dropped %d for %s, want %d", got, reason, n)
		}
	}
	if n := len(w.task.ledger.counts.row.Rules); n != 3 {
		t.Errorf("%d rules are counted: %v", n, w.task.ledger.counts.row.Rules)
	}
	if r := w.row("com.example:http/story"); r == nil || !r.Fit || r.Class != 3 || r.Rule == "" {
		t.Errorf("the page that is looked for: %+v", r)
	}
	before := w.row("com.example:http/a")
	if before == nil || w.row("com.example:http/tag/3") != nil || w.row("com.example:http/a;sid=1") != nil {
		t.Fatal("the rows are not those that the rules ask for")
	}
	again := newWorld(t, func(o *Options) { o.Rules = set })
	again.append(w.in[1].Value) // the links: before them stands the record that began
	again.in[len(again.in)-1].Value = linksTo("com.example", ":http/cal/1", ":http/a;sid=1", ":http/a;sid=2", ":http/tag/1", ":http/tag/2", ":http/tag/3", ":http/x.png", ":http/story")
	again.run()
	for _, path := range []string{"a", "tag/1", "tag/2", "story"} {
		if again.row("com.example:http/"+path) == nil {
			t.Errorf("%s is not there after a replay", path)
		}
	}
}

// A later rule ends URLs that are queued already: they are not fetched, their documents go, and the
// row has the reason.
func TestARuleEndsWhatWaits(t *testing.T) {
	w, set := ruledWorld(t)
	w.append(linksTo("com.example", ":http/old/1"))
	w.run()
	w.finish(0, nil)
	pause(t, set, false)
	w.append(linksTo("com.example", ":http/old/2", ":http/new", ":http/s;sid=9"))
	w.run()
	decide(t, set, "exclude /old/", false)
	decide(t, set, "rewrite ;sid=.*$ -> ", false)
	pause(t, set, true)
	w.append(recheckPrefix("com.example", "com.example:http/old/"))
	for range 20 {
		w.pass(2*time.Second, time.Second)
		for _, i := range w.unfinished() {
			w.finish(i, nil)
		}
	}
	if got := w.sent(); got != "old/1 new s" && got != "old/1 s new" {
		t.Errorf("sent to fetch: %s", got)
	}
	for key, want := range map[string]schema.UrlRow_Status{"old/1": schema.UrlRow_DROPPED, "old/2": schema.UrlRow_DROPPED, "new": schema.UrlRow_FETCHED} {
		if r := w.row("com.example:http/" + key); r == nil || r.Status != want || want == schema.UrlRow_DROPPED && (r.Reason != rules.Excluded || r.Rule == "") {
			t.Errorf("%s: %+v", key, r)
		}
	}
	if len(w.docs) == 0 || w.docs[0].GetGone().GetReason() != schema.Gone_RULE {
		t.Errorf("the document of a page that is excluded stays: %v", w.docs)
	}
	if s := w.group.Status(); s.InFlight != 0 || s.Queued != 0 {
		t.Errorf("left behind: %+v", s)
	}
}

// A URL that an operator removed stays removed, through links, seeds and rechecks, until the block
// ends.
func TestWhatIsBlockedDoesNotComeBack(t *testing.T) {
	w, set := ruledWorld(t)
	w.append(linksTo("com.example", ":http/a/1"))
	w.run()
	w.finish(0, nil)
	w.run()
	block := func(off bool) {
		c := &schema.Control{Off: off, Body: &schema.Control_Block{Block: &schema.Block{Target: &schema.Block_Prefix{Prefix: "com.example:http/a/"}}}}
		c.Id = rules.ID(c)
		if err := set.Put(c, 1); err != nil {
			t.Fatal(err)
		}
	}
	block(false)
	forget := &schema.Discovered{Host: "com.example", Body: &schema.Discovered_Forget{Forget: &schema.Forget{
		Target: &schema.Forget_Prefix{Prefix: "com.example:http/a/"}, By: "operator"}}}
	w.append(forget)
	w.append(linksTo("com.example", ":http/a/2"))
	w.append(&schema.Discovered{Host: "com.example", Body: &schema.Discovered_Add{Add: &schema.Add{Producer: "seeds",
		Items: []*schema.AddItem{{Url: "http://example.com/a/3"}, {Url: "http://example.com/a/1"}}}}})
	w.append(recheckPrefix("com.example", "com.example:http/a/"))
	w.pass(20*time.Second, time.Second)
	if len(w.out) != 1 || w.row("com.example:http/a/2") != nil || w.row("com.example:http/a/3") != nil {
		t.Errorf("it came back: %s", w.sent())
	}
	if r := w.row("com.example:http/a/1"); r.Status != schema.UrlRow_FORGOTTEN {
		t.Errorf("%+v", r)
	}
	block(true)
	w.append(recheckPrefix("com.example", "com.example:http/a/"))
	w.append(linksTo("com.example", ":http/a/2"))
	for range 5 {
		w.pass(2*time.Second, time.Second)
		for _, i := range w.unfinished() {
			w.finish(i, nil)
		}
	}
	if len(w.out) != 3 {
		t.Errorf("after it was lifted: %s", w.sent())
	}
}

// A pause stops emission and nothing else; a delay of a rule is never below the set one.
func TestPausesAndDelaysHold(t *testing.T) {
	w, set := ruledWorld(t, "delay 10s")
	pause(t, set, false)
	w.append(linksTo("com.example", ":http/1", ":http/2", ":http/3"))
	w.pass(20*time.Second, time.Second)
	if len(w.out) != 0 || w.row("com.example:http/3") == nil {
		t.Fatalf("while it is paused: %s", w.sent())
	}
	pause(t, set, true)
	w.pass(time.Second, time.Second)
	if len(w.out) != 1 {
		t.Fatalf("after the pause: %s", w.sent())
	}
	w.finish(0, nil)
	w.pass(4*time.Second, time.Second)
	if len(w.out) != 1 {
		t.Errorf("within the delay: %s", w.sent())
	}
	w.pass(3*time.Second, time.Second)
	if len(w.out) != 2 {
		t.Errorf("five seconds before the delay ends: %s", w.sent())
	}
}

// A host gets as many pages as it may, whatever is in flight; what the operator named comes on top.
func TestAHostGetsAsManyPagesAsItMay(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.PagesPerHost, o.Delay = 3, 0 })
	var paths []string
	for i := range 12 {
		paths = append(paths, fmt.Sprintf(":http/p%d", i))
	}
	w.append(linksTo("com.example", paths...))
	w.append(&schema.Discovered{Host: "com.example", Body: &schema.Discovered_Add{Add: &schema.Add{Producer: "seeds",
		Items: []*schema.AddItem{{Url: "http://example.com/seed"}}}}})
	for range 30 {
		w.pass(2*time.Second, time.Second)
		for _, i := range w.unfinished() {
			w.finish(i, nil)
		}
	}
	s := w.group.Status()
	if got := s.URLs[schema.UrlRow_FETCHED]; got < 3 || got > 4 || s.Causes[hostPages] == 0 || s.InFlight != 0 || s.Queued != 0 {
		t.Errorf("fetched %s: %+v", w.sent(), s)
	}
	if r := w.row("com.example:http/seed"); r.Status != schema.UrlRow_FETCHED {
		t.Errorf("the seed: %+v", r)
	}
}

// A rule says how often pages are fetched again, instead of what they are worth; the nearest
// scope wins; a rule that ended leaves pages to their worth; "never" ends re-crawls.
func TestRulesSayHowOftenPagesAreFetchedAgain(t *testing.T) {
	set := rules.New()
	o := policy.DefaultOptions()
	o.Rules = set
	interval := func(path string, now int64) time.Duration {
		row := &schema.UrlRow{Status: schema.UrlRow_QUEUED, Kind: schema.Kind_PAGE}
		host := &schema.HostRow{Site: "example.com"}
		o.Outcome(row, host, &schema.Outcome{Rev: 1, Result: schema.Outcome_OK, HttpStatus: 200, FetchedAt: now}, schema.RowKey("com.example:http"+path), now)
		if row.NextDue == 0 {
			return 0
		}
		if row.NextDue < now+row.IntervalMs*85/100 || row.NextDue > now+row.IntervalMs*115/100 {
			t.Errorf("%s: due after %d ms, its interval is %d", path, row.NextDue-now, row.IntervalMs)
		}
		return time.Duration(row.IntervalMs) * time.Millisecond
	}
	const now = int64(1_700_000_000_000)
	plain := interval("/news/a", now)
	decide(t, set, "recrawl 1h glob:/news/*", false)
	decide(t, set, "recrawl never glob:/old/*", false)
	if a, b, c := interval("/news/a", now), interval("/old/a", now), interval("/a", now); a != time.Hour || b != 0 || c != plain {
		t.Errorf("intervals %s, %s, %s; want 1h, never and %s", a, b, c, plain)
	}
	o.Interval = 0
	if a, c := interval("/news/a", now), interval("/a", now); a != time.Hour || c != 0 {
		t.Errorf("without re-crawls: %s where a rule asks for them, else %s", a, c)
	}
	o.Interval = 24 * time.Hour
	decide(t, set, "recrawl 1h glob:/news/*", true)
	if a := interval("/news/a", now); a != plain {
		t.Errorf("after the rule's end: %s, want %s", a, plain)
	}
}

// Pages that a rule asks for often stand in the load of their host, so the others get the rest of
// the budget; an answer without a change keeps the interval of the rule.
func TestPagesOfARuleTakeTheirPartOfTheBudget(t *testing.T) {
	w, _ := ruledWorld(t, "recrawl 10m /news")
	w.append(linksTo("com.example", ":http/news", ":http/a"))
	w.run()
	for range 2 {
		for _, i := range w.unfinished() {
			w.finish(i, nil)
		}
		w.pass(5*time.Second, time.Second)
	}
	news, other := w.row("com.example:http/news"), w.row("com.example:http/a")
	if news.IntervalMs != (10*time.Minute).Milliseconds() || other.IntervalMs < time.Hour.Milliseconds() {
		t.Fatalf("intervals %d and %d ms", news.IntervalMs, other.IntervalMs)
	}
	h := &schema.HostRow{}
	if ok, err := table.Read(t.Context(), w.store, schema.HostTable, table.Host("com.example"), h); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if want := 144 + policy.Load(other); h.Freshness.Pages != 2 || math.Abs(h.Freshness.Load-want) > .01 {
		t.Errorf("a load of %.2f looks a day by %d pages, want %.2f", h.Freshness.Load, h.Freshness.Pages, want)
	}
}

// The pages of a host bring as many bytes as they may, and what is on its way is awaited before it
// could be more: only the page that reaches the bound goes over it. A page counts once; a seed
// counts, and is never left out.
func TestAHostBringsAsManyBytesAsItMay(t *testing.T) {
	const page, most = 1000, 4500
	w := newWorld(t, func(o *Options) { o.BytesPerHost, o.Delay, o.Interval = most, 0, time.Hour })
	var paths []string
	for i := range 40 {
		paths = append(paths, fmt.Sprintf(":http/p%d", i))
	}
	w.append(linksTo("com.example", paths...))
	w.append(&schema.Discovered{Host: "com.example", Body: &schema.Discovered_Add{Add: &schema.Add{Producer: "seeds",
		Items: []*schema.AddItem{{Url: "http://example.com/seed"}}}}})
	for range 30 {
		w.pass(2*time.Second, time.Second)
		for _, i := range w.unfinished() {
			w.finish(i, func(o *schema.Outcome) { o.Bytes = page })
		}
	}
	s := w.group.Status()
	if got := s.URLs[schema.UrlRow_FETCHED]; got != 5 || s.Causes[hostBytes] != 36 || s.InFlight != 0 || s.Queued != 0 {
		t.Errorf("%d fetched, %d left out: %s", got, s.Causes[hostBytes], w.sent())
	}
	if r := w.row("com.example:http/seed"); r.Status != schema.UrlRow_FETCHED {
		t.Errorf("the seed: %+v", r)
	}
	w.pass(48*time.Hour, time.Hour)
	if len(w.unfinished()) == 0 {
		t.Error("what was fetched is not fetched again")
	}
}
