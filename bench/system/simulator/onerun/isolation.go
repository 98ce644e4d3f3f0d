package onerun

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"millrace/ops/simweb"
	"millrace/ops/simweb/judge"
	simworld "millrace/ops/simweb/world"
	"millrace/producers/seeds"
)

// Bounds of what is urgent (I13): from its record to its request, besides the delay of its host;
// and from its answer to search.
const (
	urgentStart  = time.Second
	urgentSearch = 5 * time.Second
	urgentGiveUp = 2 * time.Minute
	backlog      = 20 // new URLs that wait at the host of what is urgent
)

// urgency checks how soon a page that is urgent is asked for and found.
type urgency struct{ *world }

// checkIsolation: beside a host that never answers, and with a backlog before it at its own host, a
// page that is urgent is asked for within its host's delay and a second, and found 5 seconds after
// it came (I13). It changes the web, so it comes last.
func (x *urgency) checkIsolation(ctx context.Context) error {
	slow, page, err := x.chooseHosts()
	if err != nil || page == "" {
		return err // one host alone: nobody to be held up by
	}
	for _, url := range slow {
		if err := x.origin.Override(url, simweb.Override{Hang: true}); err != nil {
			return err
		}
	}
	if err := x.look.Recheck(ctx, slow, false); err != nil {
		return err
	}
	if err := x.waitAt(ctx, page); err != nil {
		return err
	}
	time.Sleep(3 * time.Second) // all hosts are at work now
	word := fmt.Sprintf("urgency%dq", x.plan.Seed)
	text := strings.Repeat(word+" came down the river to the mill today, and nobody had expected it. ", 12)
	if err := x.origin.Override(page, simweb.Override{Title: word, Text: text}); err != nil {
		return err
	}
	began := time.Now()
	if err := x.look.Recheck(ctx, []string{page}, false); err != nil {
		return err
	}
	x.awaitUrgent(ctx, page, word, began)
	return nil
}

// chooseHosts returns the documents of one host, and one document of another.
func (x *urgency) chooseHosts() (slow []string, page string, err error) {
	truth, err := x.truth()
	if err != nil {
		return nil, "", err
	}
	host := ""
	for _, url := range slices.Sorted(maps.Keys(truth.Docs)) {
		u, err := x.look.Canon.Parse(url)
		if err != nil {
			return nil, "", err
		}
		switch h := string(u.Host()); {
		case x.isGone(url) || len(truth.Docs[url].Members) > 1:
		case host == "" || h == host:
			host, slow = h, append(slow, url)
		default:
			page = url
		}
	}
	return slow, page, nil
}

// waitAt lets URLs wait at the host of a page, that nobody knew before.
func (x *urgency) waitAt(ctx context.Context, page string) error {
	u, err := x.look.Canon.Parse(page)
	if err != nil {
		return err
	}
	var list []seeds.Seed
	for i := range backlog {
		s, err := seeds.Parse(x.look.Canon, fmt.Sprintf("%s://%s/waits/%d", u.Scheme(), u.Authority(), i))
		if err != nil {
			return err
		}
		list = append(list, s)
	}
	return x.look.Seed(ctx, list)
}

// awaitUrgent waits until the page is found, and compares the times.
func (x *urgency) awaitUrgent(ctx context.Context, page, word string, began time.Time) {
	for !x.found(ctx, word) {
		if time.Since(began) > urgentGiveUp {
			x.offend("I13: %s was urgent and is not found after %s: %s", page, urgentGiveUp, x.why(ctx, page))
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	start, end, longest := x.exchangeOf(page, began)
	if waited, most := start.Sub(began), max(x.plan.Delay, longest)+urgentStart; waited > most {
		x.offend("I13: %s was asked for %s after it was urgent, more than %s; its host was asked for:%s", page, waited, most, x.exchanges(page, began))
	}
	if took := time.Since(end); took > urgentSearch {
		x.offend("I13: %s was found %s after it came, more than %s", page, took, urgentSearch)
	}
	x.note("urgent: asked for after %s, found %s after it came", start.Sub(began), time.Since(end))
}

// found reports whether a process finds a word.
func (x *urgency) found(ctx context.Context, word string) bool {
	for _, p := range x.procs {
		if l := p.life(); l != nil {
			if r, err := l.system.Search(ctx, word, 0, 1); err == nil && len(r.Hits) > 0 {
				return true
			}
		}
	}
	return false
}

// exchangeOf returns the first request for a page since then, and how long the longest at its host
// took.
func (x *urgency) exchangeOf(page string, since time.Time) (start, end time.Time, longest time.Duration) {
	var at simworld.Host
	events := x.origin.Judge().Record().Events()
	for _, e := range events {
		url := x.origin.World().URL(simworld.Ref{Host: e.Host, Form: e.Form, Page: e.Page}, "")
		if e.Flags&judge.NoHost == 0 && url == page && e.Start >= since.UnixNano() && start.IsZero() {
			start, end, at = time.Unix(0, e.Start), time.Unix(0, e.End()), e.Host
		}
	}
	for _, e := range events {
		if e.Host == at && e.Start >= since.Add(-x.plan.Delay-time.Minute).UnixNano() {
			longest = max(longest, time.Duration(e.End()-e.Start))
		}
	}
	return start, end, longest
}

// exchanges says what the host of a page was asked for from a minute before a time on, and when.
func (x *urgency) exchanges(page string, at time.Time) string {
	u, err := x.look.Canon.Parse(page)
	if err != nil {
		return " " + err.Error()
	}
	var b strings.Builder
	for _, e := range x.origin.Judge().Record().Events() {
		url := x.origin.World().URL(simworld.Ref{Host: e.Host, Form: e.Form, Page: e.Page}, "")
		if v, err := x.look.Canon.Parse(url); err != nil || string(v.Host()) != string(u.Host()) || e.Start < at.Add(-time.Minute).UnixNano() {
			continue
		}
		fmt.Fprintf(&b, "\n  %s for %s: %s %d (%+v)", time.Unix(0, e.Start).Sub(at), time.Duration(e.End()-e.Start), url, e.Status, e)
	}
	return b.String()
}
