package rules

import (
	"time"

	"millrace/schema"
)

// Query is a URL for which decisions are asked.
type Query struct {
	URL    string // canonical
	Host   schema.Host
	Path   string // of its row key
	Site   schema.Site
	Kind   schema.Kind
	Seeded bool // an operator named it
}

// Reasons for which a URL is kept out.
const (
	Excluded    = "excluded"     // an exclude rule matches it
	NotIncluded = "not_included" // its scope has include rules, and none matches it
	Suffix      = "suffix"       // a default: images, archives, styles, media
	Forgotten   = "forgotten"    // an operator removed it
	OverLimit   = "rule_limit"   // its host, or its site, has as many URLs as a limit rule allows
)

// Reasons lists the reasons.
func Reasons() []string { return []string{Excluded, NotIncluded, Suffix, Forgotten, OverLimit} }

// Verdict is the answer for a URL.
type Verdict struct {
	Out     bool
	Reason  string  // why it is kept out
	Rule    string  // the decision that keeps it out: an identity, or default-GROUP
	Fit     bool    // a fit rule matches it,
	FitRule string  // this one,
	Score   float64 // with this score
	Limits  []Limit // the limit rules for which it counts
}

// Limit is how many URLs a limit rule allows.
type Limit struct {
	Rule   string
	Most   int64
	OfSite bool // of all hosts of the site together; else of each host
}

// Judge returns what holds for a URL at a time of the log (ms), or now with Latest.
func (s *Set) Judge(q Query, at int64) Verdict {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if id := s.blocks.find(q, at); id != "" {
		return Verdict{Out: true, Reason: Forgotten, Rule: id}
	}
	scopes := [3]*scope{s.hosts[q.Host], s.sites[q.Site], s.all}
	if v, said := s.filter(scopes, q, at); v.Out || said {
		return s.praise(v, scopes, q, at)
	}
	if g := s.groupOf(q.URL); g != "" && isPage(q.Kind) && !q.Seeded && !allowedBy(scopes, g, at) {
		return Verdict{Out: true, Reason: Suffix, Rule: DefaultID(g)}
	}
	return s.praise(Verdict{}, scopes, q, at)
}

func allowedBy(scopes [3]*scope, group string, at int64) bool {
	for _, sc := range scopes {
		if sc.allowed(group, at) {
			return true
		}
	}
	return false
}

func isPage(k schema.Kind) bool { return k != schema.Kind_FEED && k != schema.Kind_SITEMAP }

// filter tries include and exclude rules, the nearest scope first. It returns true if one of them
// decided.
func (s *Set) filter(scopes [3]*scope, q Query, at int64) (Verdict, bool) {
	for _, sc := range scopes {
		if sc == nil {
			continue
		}
		var include *entry
		for _, e := range sc.filter {
			if !e.holds(at) {
				continue
			}
			takes := e.action == schema.Rule_INCLUDE
			if takes {
				include = e
			}
			if !s.matches(e, q.URL) {
				continue
			}
			if takes {
				return Verdict{}, true
			}
			return Verdict{Out: true, Reason: Excluded, Rule: e.id}, true
		}
		if include != nil && !q.Seeded && isPage(q.Kind) {
			return Verdict{Out: true, Reason: NotIncluded, Rule: include.id}, true
		}
	}
	return Verdict{}, false
}

// praise adds what fit and limit rules say of a URL that is not kept out.
func (s *Set) praise(v Verdict, scopes [3]*scope, q Query, at int64) Verdict {
	if v.Out {
		return v
	}
	for i, sc := range scopes { // of the host, of the site, of everything
		if sc == nil {
			continue
		}
		for _, e := range sc.fit {
			if !v.Fit && e.holds(at) && s.matches(e, q.URL) {
				v.Fit, v.FitRule, v.Score = true, e.id, e.score
			}
		}
		for _, e := range sc.limit {
			if !q.Seeded && e.holds(at) && s.matches(e, q.URL) {
				v.Limits = append(v.Limits, Limit{e.id, e.n, i == 1})
			}
		}
	}
	return v
}

// Rewrites reports whether rewrite rules exist for a host or site. They may have ended.
func (s *Set) Rewrites(host schema.Host, site schema.Site) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, sc := range [3]*scope{s.hosts[host], s.sites[site], s.all} {
		if sc != nil && len(sc.rewrite) > 0 {
			return true
		}
	}
	return false
}

// mostRewrites is how often the rewrite rules are applied to a URL until nothing changes any more.
const mostRewrites = 16

// Rewrite applies the rewrite rules to a URL, one after the other, until none changes it any more.
// It returns the result and the last rule that changed it; "" if none did. A URL for which there is
// no end stays as it is (Endless). The result need not be canonical.
func (s *Set) Rewrite(url string, host schema.Host, site schema.Site, at int64) (string, string) {
	to, by, ends := s.rewrite(url, host, site, at)
	if !ends || to == url {
		return url, ""
	}
	return to, by
}

// Endless returns a rule that changes its own result again and again when it is applied to a URL
// now, so that the URL is not rewritten; "" = there is none.
func (s *Set) Endless(url string, host schema.Host, site schema.Site) string {
	_, by, ends := s.rewrite(url, host, site, Latest)
	if ends {
		return ""
	}
	return by
}

// rewrite is Rewrite, with the last result and rule also where there is no end.
func (s *Set) rewrite(url string, host schema.Host, site schema.Site, at int64) (to, by string, ends bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	to = url
	for range mostRewrites {
		next, id := s.rewriteOnce(to, [3]*scope{s.hosts[host], s.sites[site], s.all}, at)
		if next == to {
			return to, by, true
		}
		to, by = next, id
	}
	return to, by, false
}

// rewriteOnce applies each rewrite rule once. A result that is too long is left out.
func (s *Set) rewriteOnce(url string, scopes [3]*scope, at int64) (to, by string) {
	for _, sc := range scopes {
		if sc == nil {
			continue
		}
		for _, e := range sc.rewrite {
			if !e.holds(at) {
				continue
			}
			re := s.exprOf(e)
			if re == nil || !re.MatchString(url) {
				continue
			}
			if next := re.ReplaceAllString(url, e.replace); next != url && len(next) <= schema.MaxRawURLBytes {
				url, by = next, e.id
			}
		}
	}
	return url, by
}

// Delay is the longest delay that rules set for a host now; 0 = none does.
func (s *Set) Delay(host schema.Host, site schema.Site) time.Duration {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var most int64
	for _, sc := range [3]*scope{s.hosts[host], s.sites[site], s.all} {
		if sc == nil {
			continue
		}
		for _, e := range sc.delay {
			if e.holds(Latest) {
				most = max(most, e.n)
			}
		}
	}
	return time.Duration(most) * time.Millisecond
}

// Every returns how often a page is fetched again by the first recrawl rule that matches it, the
// nearest scope first, and the identity of the rule; 0 = never, "" = no rule does.
func (s *Set) Every(q Query, at int64) (time.Duration, string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.recrawls == 0 {
		return 0, ""
	}
	for _, sc := range [3]*scope{s.hosts[q.Host], s.sites[q.Site], s.all} {
		if sc == nil {
			continue
		}
		for _, e := range sc.recrawl {
			if e.holds(at) && s.matches(e, q.URL) {
				return time.Duration(e.n) * time.Millisecond, e.id
			}
		}
	}
	return 0, ""
}

// Paused reports whether a host is paused now, and by which decision.
func (s *Set) Paused(host schema.Host, site schema.Site) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.pauses) == 0 {
		return "", false
	}
	for _, in := range []Scope{{}, {Site: string(site)}, {Host: host.Name()}} {
		if e := s.pauses[in]; e != nil && e.holds(Latest) {
			return e.id, true
		}
	}
	return "", false
}

// Extracts returns the extract rules for a host now, the nearest scope first, in order.
func (s *Set) Extracts(host schema.Host, site schema.Site) []Decision {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []Decision
	for _, sc := range [3]*scope{s.hosts[host], s.sites[site], s.all} {
		if sc == nil {
			continue
		}
		for _, e := range sc.extract {
			if e.holds(Latest) {
				out = append(out, e.decision())
			}
		}
	}
	return out
}
