package schedule

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"millrace/consumers/rules"
	"millrace/schema"
)

// trapURLs is how many pages the host names at once; all have the same text but for
// every new-th.
const trapURLs = 90

// trapCrawl crawls a host whose pages /t/N are of one shape until nothing is left, and
// crashes after so many effects, once (< 0: never).
func trapCrawl(t *testing.T, crashAfter, fresh int) (w *world, used int) {
	t.Helper()
	w = newWorld(t, func(o *Options) { o.Delay, o.Traps = 0, true })
	w.effects = crashAfter
	if crashAfter < 0 {
		w.effects = 1 << 30
	}
	budget := w.effects
	var paths []string
	for i := range trapURLs {
		paths = append(paths, fmt.Sprintf(":http/t/%d", i))
	}
	w.append(linksTo("com.example", paths[:50]...))
	w.append(linksTo("com.example", paths[50:]...))
	for quiet, turns := 0, 0; quiet < 3; turns++ {
		if err := w.round(4); errors.Is(err, errCrash) {
			w.crash()
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		quiet++
		if w.committed < len(w.in) || w.task.ledger.hosts.Backlog() > 0 || w.task.recovery.phase != ready {
			quiet = 0
		}
		for _, i := range w.unfinished() {
			s := w.out[i]
			text := "same"
			if n := len(w.done); fresh > 0 && n%fresh == 0 {
				text = fmt.Sprintf("%04d of its own", i)
			}
			w.finish(i, nil)
			w.append(&schema.Discovered{Host: "com.example", Body: &schema.Discovered_Digest{Digest: &schema.Digest{
				RowKey: s.RowKey, Rev: s.Rev, TextHash: []byte(text)}}})
			quiet = 0
		}
		w.clock = w.clock.Add(1e9)
		if turns > 5000 {
			t.Fatalf("no end of it: %+v", w.group.Status())
		}
	}
	return w, budget - w.effects
}

// trapEnds checks that every URL has come to an end: fetched, or put aside.
func trapEnds(t *testing.T, w *world, when string) (fetched, aside int) {
	t.Helper()
	for i := range trapURLs {
		row := w.row(fmt.Sprintf("com.example:http/t/%d", i))
		switch {
		case row == nil: // not made: counted
		case row.Status == schema.UrlRow_FETCHED:
			fetched++
		case row.Status == schema.UrlRow_DROPPED && row.Reason == "trap" && row.NextDue > w.clock.UnixMilli():
			aside++
		default:
			t.Fatalf("%s: URL %d is left as %+v", when, i, row)
		}
	}
	return fetched, aside
}

// A shape that brings one text only is put aside after its budget, with all that waits.
func TestAShapeThatBringsNothingIsPutAside(t *testing.T) {
	w, _ := trapCrawl(t, -1, 0)
	fetched, aside := trapEnds(t, w, "no crash")
	if fetched > 50 || fetched < 30 || fetched+aside != trapURLs {
		t.Errorf("%d fetched, %d put aside of %d", fetched, aside, trapURLs)
	}
	if n := w.task.ledger.counts.row.Statuses[schema.UrlRow_DROPPED]; n != int64(aside) {
		t.Errorf("%d counted as dropped, %d are", n, aside)
	}
}

// One page in eight with a text of its own keeps a shape open.
func TestAShapeThatBringsSomethingIsNot(t *testing.T) {
	w, _ := trapCrawl(t, -1, 8)
	if fetched, aside := trapEnds(t, w, "no crash"); fetched != trapURLs {
		t.Errorf("%d fetched, %d put aside of %d", fetched, aside, trapURLs)
	}
}

// I1, I8: after whichever write or send the process dies, every URL comes to an end
// and is counted once.
func TestCrashWhileAShapeIsPutAside(t *testing.T) {
	_, used := trapCrawl(t, -1, 0)
	if used < 200 {
		t.Fatalf("the whole crawl has %d effects", used)
	}
	for n := 0; n < used; n += 7 {
		w, _ := trapCrawl(t, n, 0)
		when := fmt.Sprintf("crash after effect %d", n)
		fetched, aside := trapEnds(t, w, when)
		if fetched > 100 {
			t.Fatalf("%s: %d fetched", when, fetched)
		}
		sum := w.task.ledger.counts.row.Statuses
		if sum[schema.UrlRow_DROPPED] != int64(aside) || sum[schema.UrlRow_FETCHED] != int64(fetched) || sum[schema.UrlRow_QUEUED] != 0 {
			t.Fatalf("%s: counted %v, %d fetched and %d put aside", when, sum, fetched, aside)
		}
	}
}

// Explain of an unknown URL names the closed shape as the reason.
func TestExplainNamesAClosedShape(t *testing.T) {
	w, _ := trapCrawl(t, -1, 0)
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{"http://example.com/t/999": "trap", "http://example.com/other": ""} {
		story, err := Explain(t.Context(), w.store, canon, w.opts, url)
		if err != nil || story.Drop != want {
			t.Errorf("%s: %q, %q, %v", url, story.Drop, story.Verdict, err)
		}
	}
	shapes, found, err := Patterns(t.Context(), w.store, "com.example")
	if err != nil || !found || len(shapes) == 0 || shapes[0].Name != "/t/#" || !shapes[0].Closed {
		t.Errorf("%+v, %v", shapes, err)
	}
	list, err := Propose(t.Context(), w.store, "com.example")
	if err != nil || len(list) != 1 {
		t.Errorf("proposals: %+v, %v", list, err)
	}
}

// A page that a rule of an operator wants is fetched even if its shape is closed.
func TestAFitRuleOpensAClosedShape(t *testing.T) {
	w, _ := trapCrawl(t, -1, 0)
	w.append(linksTo("com.example", ":http/t/500"))
	w.pass(5*time.Second, time.Second)
	if w.row("com.example:http/t/500") != nil {
		t.Fatal("the shape is open: nothing is tested")
	}
	w.opts.Rules = rules.New()
	w.crash() // the task begins anew, with rules
	decide(t, w.opts.Rules, "fit /t/", false)
	w.append(linksTo("com.example", ":http/t/501"))
	w.pass(20*time.Second, time.Second)
	if s := w.out[len(w.out)-1].RowKey; s != "com.example:http/t/501" {
		t.Errorf("sent last: %s, %+v", s, w.row("com.example:http/t/501"))
	}
}

// Redirects that never end, each to a URL not seen before, are a trap: they cost the budget of
// their shape. A chain that ends is followed to its end, however long, so what is reached does not
// depend on the URL of the chain that was named first.
func TestRedirectsWithoutEndAreATrap(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Delay, o.Traps = 0, true })
	hop := func(n int) string { return fmt.Sprintf(":http/r/%d", n) }
	w.append(linksTo("com.example", hop(0)))
	asked := 0
	for quiet := 0; quiet < 3; quiet++ {
		if err := w.round(4); err != nil {
			t.Fatal(err)
		}
		for _, i := range w.unfinished() {
			w.finish(i, func(o *schema.Outcome) {
				o.Result, o.HttpStatus, o.RedirectTo = schema.Outcome_REDIRECT, 302, "http://example.com"+hop(asked + 1)[len(":http"):]
			})
			asked++
			quiet = 0
			next := linksTo("com.example", hop(asked))
			next.GetLinks().SourceRowKey, next.GetLinks().Links[0].Rel = w.out[i].RowKey, relRedirect
			w.append(next)
		}
		w.clock = w.clock.Add(1e9)
		if asked > 1000 {
			break
		}
	}
	if asked < 10 || asked > 60 {
		t.Errorf("%d redirects of a chain without end were followed", asked)
	}
}

// chainCrawl crawls a host with a page for any number, each with a text of its own, that name the
// next two, or with so many pages only, until nothing is left. It crashes after so many effects,
// once (< 0: never).
func chainCrawl(t *testing.T, crashAfter, pages int) (w *world, used int) {
	t.Helper()
	w = newWorld(t, func(o *Options) { o.Delay, o.Traps = 0, true })
	w.effects = crashAfter
	if crashAfter < 0 {
		w.effects = 1 << 30
	}
	budget := w.effects
	w.append(linksTo("com.example", ":http/n/1"))
	for quiet, turns := 0, 0; quiet < 3; turns++ {
		if err := w.round(4); errors.Is(err, errCrash) {
			w.crash()
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		quiet++
		if w.committed < len(w.in) || w.task.ledger.hosts.Backlog() > 0 || w.task.recovery.phase != ready {
			quiet = 0
		}
		for _, i := range w.unfinished() {
			s, n := w.out[i], 0
			_, _ = fmt.Sscanf(s.RowKey, "com.example:http/n/%d", &n)
			if quiet = 0; n > pages {
				w.finish(i, func(o *schema.Outcome) { o.Result, o.HttpStatus = schema.Outcome_GONE, 404 })
				continue
			}
			w.finish(i, nil)
			w.append(&schema.Discovered{Host: "com.example", Body: &schema.Discovered_Digest{Digest: &schema.Digest{
				RowKey: s.RowKey, Rev: s.Rev, TextHash: binary.LittleEndian.AppendUint64(nil, uint64(n))}}})
			links := linksTo("com.example", fmt.Sprintf(":http/n/%d", n+1), fmt.Sprintf(":http/n/%d", n+2))
			links.GetLinks().SourceRowKey, links.GetLinks().SourceSite = s.RowKey, "com.example"
			w.append(links)
			quiet = 0
		}
		w.clock = w.clock.Add(1e9)
		if turns > 5000 {
			t.Fatalf("no end of it: %+v", w.group.Status())
		}
	}
	return w, budget - w.effects
}

// Pages without end that a server invents cost less than 60 requests, and after whichever write or
// send the process dies, also when a URL that nobody named is on its way, nothing is left waiting.
func TestPagesThatAServerInventsEndAfterACrashToo(t *testing.T) {
	_, used := chainCrawl(t, -1, 1<<40)
	if used < 100 {
		t.Fatalf("the whole crawl has %d effects", used)
	}
	for n := -1; n < used; n++ {
		most := int64(60)
		if n >= 0 { // a crash may lose a page that nobody named: the next is asked for after twice as many pages
			most = 120
		}
		w, _ := chainCrawl(t, n, 1<<40)
		sum := w.task.ledger.counts.row.Statuses
		if fetched := sum[schema.UrlRow_FETCHED]; fetched < 20 || fetched > most || sum[schema.UrlRow_QUEUED] != 0 {
			t.Fatalf("crash after effect %d: counted %v", n, sum)
		}
		if shapes, _, err := Patterns(t.Context(), w.store, "com.example"); err != nil || len(shapes) != 1 || !shapes[0].Endless {
			t.Fatalf("crash after effect %d: %+v, %v", n, shapes, err)
		}
	}
}

// A host whose pages have an end is fetched to the end, and asked once for a page that nobody
// named: not again an hour, a day and a week later, as a page is that was there.
func TestAPageThatNobodyNamedIsAskedForOnce(t *testing.T) {
	const pages = 60
	w, _ := chainCrawl(t, -1, pages)
	w.pass(10*24*time.Hour, time.Hour)
	found, madeUp := 0, 0
	for i, s := range w.out {
		n := 0
		_, _ = fmt.Sscanf(s.RowKey, "com.example:http/n/%d", &n)
		switch {
		case n > 1000:
			madeUp++
		case n <= pages && slices.IndexFunc(w.out, func(o *schema.Scheduled) bool { return o.RowKey == s.RowKey }) == i:
			found++
		}
	}
	if found != pages || madeUp != 1 {
		t.Errorf("%d of %d pages, %d requests for pages that nobody named", found, pages, madeUp)
	}
}
