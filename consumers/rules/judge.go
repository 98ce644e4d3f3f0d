package rules

import (
	"time"

	"millrace/schema"
)

// Query is a URL that a decision is asked about.
type Query struct {
	URL    string // canonical
	Host   schema.Host
	Path   string // of its row key
	Site   schema.Site
	Kind   schema.Kind
	Seeded bool // an operator named it
}

// Why a URL is kept out: reasons of drops.
const (
	Excluded    = "excluded"     // an exclude rule matches it
	NotIncluded = "not_included" // its scope has include rules, and none matches it
	Suffix      = "suffix"       // a default: images, archives, styles, media
	Forgotten   = "forgotten"    // an operator had it removed
	OverLimit   = "rule_limit"   // its host has as many as a limit rule lets in
)

// Reasons lists them.
func Reasons() []string { return []string{Excluded, NotIncluded, Suffix, Forgotten, OverLimit} }

// Verdict is what holds for a URL.
type Verdict struct {
	Out     bool
	Reason  string  // why it is out
	Rule    string  // the decision that made it: an identity, or default-GROUP
	Fit     bool    // it is what is looked for,
	FitRule string  // as this rule says
	Score   float64 // and how much
	Limits  []Limit // that it counts for
}

// Limit is how many URLs of a host a rule lets in.
type Limit struct {
	Rule string
	Most int64
}

// Judge says what holds for a URL at a time of the log (ms), or with Latest now.
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

// filter asks include and exclude rules, the nearest scope first. It reports whether an include
// said that the URL is taken.
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

// praise adds what fit and limit rules say of a URL that is taken.
func (s *Set) praise(v Verdict, scopes [3]*scope, q Query, at int64) Verdict {
	if v.Out {
		return v
	}
	for _, sc := range scopes {
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
				v.Limits = append(v.Limits, Limit{e.id, e.n})
			}
		}
	}
	return v
}

// Rewrites reports whether a URL of a host or site may be rewritten at all.
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

// Rewrite returns a URL as the rewrite rules want it, one after the other, and the last rule that
// changed it; "" if none did. The result need not be canonical.
func (s *Set) Rewrite(url string, host schema.Host, site schema.Site, at int64) (string, string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	by := ""
	for _, sc := range [3]*scope{s.hosts[host], s.sites[site], s.all} {
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

// Delay is the longest delay that rules ask for on a host now; 0 = none does.
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

// Paused reports whether an operator has stopped the fetches of a host now, and by which decision.
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

// Extracts returns the rules of extraction of a host now, the nearest scope first, in order.
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
