package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"millrace/consumers/links"
	"millrace/consumers/rules"
	"millrace/consumers/schedule"
	"millrace/consumers/schedule/freshness"
	"millrace/ops/web"
	"millrace/schema"
	"millrace/schema/facts"
	"millrace/streams/state"
)

// URLs lists the known URLs that begin with a URL, or those of a host and its subdomains.
func (s *operators) URLs(ctx context.Context, q web.URLQuery) (web.URLList, error) {
	out := web.URLList{URLs: []web.URLLine{}}
	prefix, err := s.prefixOf(q.Prefix)
	if err != nil {
		return out, err
	}
	list, err := schedule.Browse(ctx, s.Store, prefix, q.After, q.N)
	if err != nil {
		return out, err
	}
	keys := make([]string, len(list))
	for i, k := range list {
		keys[i] = string(k.Key)
	}
	in, err := links.Counts(ctx, s.Store, keys)
	if err != nil {
		return out, err
	}
	for i, k := range list {
		l := s.urlLine(k)
		l.LinkingSites, l.LinkingPages = in[i].Sites, in[i].Pages
		out.URLs = append(out.URLs, l)
	}
	if len(list) == q.N {
		out.Next = string(list[len(list)-1].Key)
	}
	return out, nil
}

// prefixOf returns the prefix of row keys that a text means. A host without scheme and path means
// the host and its subdomains.
func (s *operators) prefixOf(raw string) (string, error) {
	whole := !strings.Contains(raw, "://") && strings.IndexByte(raw, '/') < 0
	u, err := s.Canon.Parse(withScheme(raw))
	if err != nil {
		return "", wrong("%s is neither a URL nor a host: %s", raw, err)
	}
	if whole && u.Authority() != u.Hostname() {
		return "", wrong("%s names a port, but no scheme: write http://%[1]s/ or https://%[1]s/", raw)
	}
	if whole {
		return string(u.Host()), nil
	}
	key := string(u.RowKey())
	if !strings.HasSuffix(raw, "/") {
		key = strings.TrimSuffix(key, "/")
	}
	return key, nil
}

func withScheme(raw string) string {
	if strings.Contains(raw, "://") {
		return raw
	}
	return "https://" + raw
}

func (s *operators) urlLine(k schedule.Known) web.URLLine {
	r := k.Row
	l := web.URLLine{URL: k.Key.URL(), RowKey: string(k.Key), Status: strings.ToLower(r.Status.String()), Reason: r.Reason,
		Kind: strings.ToLower(r.Kind.String()), Class: r.Class, Score: r.Score, Fit: r.Fit, Useful: r.Useful, Depth: r.Depth,
		Fetched: fromMillis(r.FetchedAt), Due: fromMillis(r.NextDue), Found: r.Source}
	if r.Rule != "" {
		l.Rule = schedule.Decided(s.control.Set(), r.Rule)
	}
	return l
}

// Hosts lists n hosts, those with the most by the given order first, and what each waits for.
func (s *operators) Hosts(ctx context.Context, order, site string, n int) (web.HostList, error) {
	out := web.HostList{Hosts: []web.HostLine{}}
	in, err := s.scopeOf("", site)
	if err != nil {
		return out, err
	}
	if err := s.control.Refresh(ctx); err != nil {
		return out, err
	}
	list, all, err := schedule.Hosts(ctx, s.Store, order, schema.Site(in.Site), n)
	if err != nil {
		return out, err
	}
	out.All = all
	for _, h := range list {
		l := s.hostLine(h, time.Now())
		if l.Why == "" {
			if l.Why, err = laterTry(ctx, s.Store, h); err != nil {
				return out, err
			}
		}
		out.Hosts = append(out.Hosts, l)
	}
	return out, nil
}

// laterTries bounds the URLs of a host that are read to tell when the next one is tried again.
const laterTries = 500

// laterTry says when a host is asked next, of whose URLs all that wait have been tried.
func laterTry(ctx context.Context, s state.Store, h schedule.HostLine) (string, error) {
	list, err := schedule.Browse(ctx, s, string(h.Name)+":", "", laterTries)
	if err != nil {
		return "", err
	}
	next := int64(0)
	for _, k := range list {
		if due := k.Row.NextDue; k.Row.Status == schema.UrlRow_QUEUED && due > 0 && (next == 0 || due < next) {
			next = due
		}
	}
	if next == 0 {
		return "later tries of what failed", nil
	}
	return "later tries of what failed, the next at " + facts.At(next), nil
}

// hostLine says what a host waits for; an empty Why means that it waits for a later try.
func (s *operators) hostLine(h schedule.HostLine, now time.Time) web.HostLine {
	r, set := h.Row, s.control.Set()
	delay := max(s.Config.Delay, time.Duration(r.CrawlDelayMs)*time.Millisecond, set.Delay(h.Name, schema.Site(r.Site)))
	l := web.HostLine{Host: h.Name.Name(), Site: r.Site, URLs: h.URLs(), Waiting: h.Waiting(), Fetched: r.Fetched, Useful: r.Useful,
		Errors: h.Errors(), Delay: delay.Seconds(), Every: h.Every().Seconds()}
	for i, n := range h.Groups() {
		if most := freshness.Intervals()[i]; n > 0 {
			l.Intervals = append(l.Intervals, web.IntervalGroup{Name: intervalName(most), Most: most.Seconds(), Pages: n})
		}
	}
	_, l.Paused = set.Paused(h.Name, schema.Site(r.Site))
	switch {
	case l.Paused:
		l.Why = "paused by an operator"
	case r.BlockedUntil > now.UnixMilli():
		l.Why = "rests until " + facts.At(r.BlockedUntil) + ", as it or its failures asked"
	case r.Robots == schema.HostNotice_UNREACHABLE:
		l.Why = "its robots.txt cannot be read"
	case l.Waiting == 0 && h.Entries() == 0:
		l.Why = "nothing waits"
	case h.Entries() == 0:
	case delay > 0:
		l.Why = fmt.Sprintf("its turn: one request every %s", delay)
	default:
		l.Why = "its turn"
	}
	return l
}

// Bounds of TestRule. Its answer says whether it looked at all known URLs.
const (
	testURLs     = 500_000
	testWithin   = 20 * time.Second
	testExamples = 20
	testPage     = 1000
)

// TestRule returns what a rule would change for the known URLs. It does not add the rule.
func (s *operators) TestRule(ctx context.Context, r web.NewRule) (web.RuleTest, error) {
	c, err := s.ruleOf(r)
	if err != nil {
		return web.RuleTest{}, err
	}
	if err := s.control.Refresh(ctx); err != nil {
		return web.RuleTest{}, err
	}
	t := &trial{now: s.control.Set(), rule: c.GetRule(), canon: s.Canon, delay: s.Config.Delay, perHost: map[schema.Host]int64{}, effects: map[string]int64{}}
	if t.then, err = t.now.With(c); err != nil {
		return web.RuleTest{}, err
	}
	late, cancel := context.WithTimeout(ctx, testWithin)
	defer cancel()
	err = s.eachKnown(late, rules.ScopeOf(t.rule), t.look)
	t.out.Whole = err == nil
	if err != nil && !errors.Is(err, errEnough) && late.Err() == nil {
		return web.RuleTest{}, err
	}
	return t.result(), ctx.Err()
}

// eachKnown calls fn for the known URLs of a scope.
func (s *operators) eachKnown(ctx context.Context, in rules.Scope, fn func(schedule.Known) error) error {
	host := func(prefix string) error {
		for after := ""; ; {
			list, err := schedule.Browse(ctx, s.Store, prefix, after, testPage)
			if err != nil {
				return err
			}
			for _, k := range list {
				if err := fn(k); err != nil {
					return err
				}
				after = string(k.Key)
			}
			if len(list) < testPage {
				return nil
			}
		}
	}
	switch {
	case in.Host != "":
		return host(string(schema.HostOf(in.Host)) + ":")
	case in.Site != "":
		return host(string(schema.HostOf(in.Site)))
	}
	return schedule.EachHost(ctx, s.Store, func(h schedule.HostLine) error { return host(string(h.Name) + ":") })
}

// trial compares the results of the rules in force with those of the rules with one more.
type trial struct {
	now, then *rules.Set
	rule      *schema.Rule
	canon     *schema.Canonicalizer
	delay     time.Duration         // of the crawl: no rule shortens it
	perHost   map[schema.Host]int64 // URLs that a limit counts; "" = of the site of the rule
	effects   map[string]int64
	out       web.RuleTest
}

// look compares the results for one URL.
func (t *trial) look(k schedule.Known) error {
	if t.out.Looked++; t.out.Looked > testURLs {
		return errEnough
	}
	q := rules.Query{URL: k.Key.URL(), Host: k.Key.Host(), Path: k.Key.Path(), Site: k.Site, Kind: k.Row.Kind, Seeded: k.Row.Seeded}
	before, after := t.fate(t.now, q, false), t.fate(t.then, q, true)
	if before == after {
		return nil
	}
	t.out.Changes++
	t.effects[effectOf(before, after)]++
	if len(t.out.Examples) < testExamples {
		t.out.Examples = append(t.out.Examples, web.RuleExample{URL: q.URL, Before: before, After: after})
	}
	return nil
}

// effectOf names a change without the parts that depend on the URL.
func effectOf(before, after string) string {
	general := func(s string) string {
		if strings.HasPrefix(s, "becomes ") {
			return "rewritten"
		}
		return s
	}
	return general(before) + " → " + general(after)
}

// fate returns what happens to a URL, in words.
func (t *trial) fate(set *rules.Set, q rules.Query, then bool) string {
	v := set.Judge(q, rules.Latest)
	switch {
	case v.Out:
		return "left out"
	case t.rule.Action == schema.Rule_DELAY:
		return fmt.Sprintf("asked every %s", max(t.delay, set.Delay(q.Host, q.Site)))
	case t.rule.Action == schema.Rule_RECRAWL:
		return everyWords(set.Every(q, rules.Latest))
	case t.rule.Action == schema.Rule_EXTRACT && then:
		return "read by this rule, if it is the first that fits"
	}
	if raw, by := set.Rewrite(q.URL, q.Host, q.Site, rules.Latest); by != "" {
		if u, err := t.canon.Parse(raw); err == nil && u.String() != q.URL {
			return "becomes " + u.String()
		}
	}
	if set.Endless(q.URL, q.Host, q.Site) != "" {
		return "not rewritten: it would change without end"
	}
	if then && t.rule.Action == schema.Rule_LIMIT && len(v.Limits) > 0 {
		of, words := schema.Host(""), "beyond the limit of its site, were it new"
		if t.rule.Site == "" {
			of, words = q.Host, "beyond the limit of its host, were it new"
		}
		if t.perHost[of]++; t.perHost[of] > t.rule.Limit {
			return words
		}
	}
	if v.Fit {
		return fmt.Sprintf("looked for, score %g", v.Score)
	}
	return "taken"
}

// everyWords says how often a page is fetched again by rules.
func everyWords(every time.Duration, rule string) string {
	switch {
	case rule == "":
		return "fetched again when it is worth it"
	case every == 0:
		return "not fetched again"
	}
	return fmt.Sprintf("fetched again every %s", every)
}

func (t *trial) result() web.RuleTest {
	t.out.Effects, t.out.Looked = []web.RuleEffect{}, min(t.out.Looked, testURLs)
	for what, n := range t.effects {
		t.out.Effects = append(t.out.Effects, web.RuleEffect{What: what, N: n})
	}
	sortEffects(t.out.Effects)
	if t.out.Examples == nil {
		t.out.Examples = []web.RuleExample{}
	}
	return t.out
}
