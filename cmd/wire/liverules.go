package wire

import (
	"context"
	"sync"
	"time"

	extractrules "millrace/consumers/extract/rules"
	"millrace/consumers/fetch"
	"millrace/consumers/rules"
	"millrace/consumers/schedule"
	"millrace/ops/web"
	"millrace/schema"
)

// liveRules finds rules of extraction: first among those on the topic control, then among those of
// the file.
type liveRules struct {
	set  *rules.Set
	file extractrules.Lookup // nil: none

	mu       sync.Mutex
	compiled map[string]extractrules.Compiled // by identity
}

// maxLiveRules bounds the compiled rules; when it is reached all are dropped and compiled again.
const maxLiveRules = 10_000

// Find implements extractrules.Lookup.
func (l *liveRules) Find(host, url string) (extractrules.Compiled, bool) {
	if l.set.Extracting() {
		for _, d := range l.set.Extracts(schema.HostOf(host), schema.SiteOf(host)) {
			if c, ok := l.compile(d); ok && c.Matches(url) {
				return c, true
			}
		}
	}
	if l.file == nil {
		return extractrules.Compiled{}, false
	}
	return l.file.Find(host, url)
}

// compile compiles a rule once. A rule that does not compile is ignored (this version did not add
// it, it would have refused it).
func (l *liveRules) compile(d rules.Decision) (extractrules.Compiled, bool) {
	id := d.Control.Id
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.compiled[id]; ok {
		return c, true
	}
	c, err := extractrules.One(d.Control.GetRule().GetExtract(), id)
	if err != nil {
		return c, false
	}
	if len(l.compiled) >= maxLiveRules || l.compiled == nil {
		l.compiled = map[string]extractrules.Compiled{}
	}
	l.compiled[id] = c
	return c, true
}

// slower returns the least delay that operators set for a host, and the version of the decisions.
func (s *opened) slower(host schema.Host, site schema.Site) (time.Duration, int64) {
	set := s.control.Set()
	return set.Delay(host, site), set.Turns()
}

// judgeWaiting returns what operators decided by now of a URL that waits to be fetched. Limits
// count when a URL is found, not here.
func (s *opened) judgeWaiting(m *schema.Scheduled, u schema.URL) fetch.Judgement {
	set, key := s.control.Set(), schema.RowKey(m.RowKey)
	v := set.Judge(rules.Query{URL: u.String(), Host: key.Host(), Path: key.Path(), Site: schema.Site(m.Site), Kind: m.Kind,
		Seeded: m.Seeded}, rules.Latest)
	if v.Out {
		return fetch.Judgement{Reason: v.Reason, Rule: v.Rule}
	}
	_, paused := set.Paused(key.Host(), schema.Site(m.Site))
	return fetch.Judgement{Paused: paused}
}

// Judge returns what the decisions mean for a URL, whether the crawl knows it or not.
func (s *operators) Judge(ctx context.Context, raw string) (web.RuleVerdict, error) {
	u, err := s.Canon.Parse(withScheme(raw))
	if err != nil {
		return web.RuleVerdict{}, wrong("%s: %s", raw, err)
	}
	if err := s.control.Refresh(ctx); err != nil {
		return web.RuleVerdict{}, err
	}
	return JudgeURL(s.control.Set(), u), nil
}

// JudgeURL returns what a set of decisions means for a URL.
func JudgeURL(set *rules.Set, u schema.URL) web.RuleVerdict {
	host, site := u.Host(), u.Site()
	q := rules.Query{URL: u.String(), Host: host, Path: u.RowKey().Path(), Site: site, Kind: schema.Kind_PAGE}
	v := set.Judge(q, rules.Latest)
	out := web.RuleVerdict{URL: u.String(), Taken: !v.Out, Reason: v.Reason, Fit: v.Fit, Score: v.Score, Delay: set.Delay(host, site).Seconds()}
	if id := v.Rule + v.FitRule; id != "" {
		out.Rule = schedule.Decided(set, id)
	}
	if every, by := set.Every(q, rules.Latest); by != "" {
		out.Every, out.EveryBy = every.Seconds(), schedule.Decided(set, by)
	}
	if to, by := set.Rewrite(u.String(), host, site, rules.Latest); by != "" {
		out.Rewritten, out.RewrittenBy = to, schedule.Decided(set, by)
	}
	if by := set.Endless(u.String(), host, site); by != "" {
		out.Endless = schedule.Decided(set, by)
	}
	if id, on := set.Paused(host, site); on {
		out.Paused = schedule.Decided(set, id)
	}
	return out
}
