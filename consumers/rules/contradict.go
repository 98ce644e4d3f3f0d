package rules

import (
	"fmt"
	"slices"

	"millrace/schema"
)

// Contradiction is a pair of rules with one pattern that want different things of the same URLs.
type Contradiction struct {
	New, Old string // identities: the rule that is added, and the one that holds already
	Wins     string // the identity of the one that decides; "" = both apply
	Why      string // for people: both rules, and which of them decides
}

// mostContradictions bounds what Contradictions returns.
const mostContradictions = 100

// Contradictions returns what new rules contradict, of those in force and of those before them in
// the list. Two rules do if they have one pattern, hold for common URLs, and one includes what the
// other excludes, or both set another score, interval, limit or text for it. It compares a rule
// with those of its own scope and of wider ones: a nearer one is meant as an exception to them. So
// the cost grows with the rules of these scopes, once for each scope.
//
// list: rules in the order in which they are added. At most 100 pairs are returned.
func Contradictions(s *Set, list []*schema.Control) []Contradiction {
	s.mu.RLock()
	defer s.mu.RUnlock()
	known := byPattern{}
	var out []Contradiction
	for _, c := range list {
		r := c.GetRule()
		if r == nil || len(out) >= mostContradictions {
			continue
		}
		mine := ScopeOf(r)
		for _, in := range wider(mine) {
			known.load(s, in)
		}
		x := stated{ID(c), r}
		same := false
		for _, in := range wider(mine) {
			for _, old := range known[in][patternKey(r)] {
				same = same || old.id == x.id
				if !same && opposed(r, old.rule) && len(out) < mostContradictions {
					out = append(out, contradiction(x, old))
				}
			}
		}
		if !same {
			known[mine][patternKey(r)] = append(known[mine][patternKey(r)], x)
		}
	}
	return out
}

// stated is a rule with its identity.
type stated struct {
	id   string
	rule *schema.Rule
}

// byPattern holds the rules in force of the scopes that were loaded, by patternKey, in order.
type byPattern map[Scope]map[string][]stated

// patternKey is a list and a pattern: only rules that share both can contradict each other.
func patternKey(r *schema.Rule) string {
	a := r.Action
	if a == schema.Rule_EXCLUDE {
		a = schema.Rule_INCLUDE
	}
	return a.String() + " " + r.Pattern
}

func (k byPattern) load(s *Set, in Scope) {
	if k[in] != nil {
		return
	}
	k[in] = map[string][]stated{}
	sc := s.all
	switch {
	case in.Host != "":
		sc = s.hosts[schema.HostOf(in.Host)]
	case in.Site != "":
		sc = s.sites[schema.Site(in.Site)]
	}
	if sc == nil {
		return
	}
	for _, e := range slices.Concat(sc.filter, sc.rewrite, sc.fit, sc.limit, sc.recrawl) {
		if r := e.control().GetRule(); r != nil && !e.off {
			k[in][patternKey(r)] = append(k[in][patternKey(r)], stated{e.id, r})
		}
	}
}

// wider returns a scope and those around it, the nearest first. Which site a host belongs to is
// taken from its name.
func wider(in Scope) []Scope {
	switch {
	case in.Host != "":
		return []Scope{in, {Site: string(schema.SiteOf(in.Host))}, {}}
	case in.Site != "":
		return []Scope{in, {}}
	}
	return []Scope{in}
}

// opposed reports whether two rules with one patternKey want different things.
func opposed(a, b *schema.Rule) bool {
	switch a.Action {
	case schema.Rule_INCLUDE, schema.Rule_EXCLUDE:
		return a.Action != b.Action
	case schema.Rule_FIT:
		return a.Score != b.Score
	case schema.Rule_LIMIT:
		return a.Limit != b.Limit
	case schema.Rule_RECRAWL:
		return a.EveryMs != b.EveryMs
	case schema.Rule_REWRITE:
		return a.Replace != b.Replace
	}
	return false
}

// contradiction says which of two opposed rules decides. old is in the scope of x or in a wider
// one.
func contradiction(x, old stated) Contradiction {
	out := Contradiction{New: x.id, Old: old.id}
	here, there := ScopeOf(x.rule), ScopeOf(old.rule)
	pair := fmt.Sprintf("%s (%s, %s) and %s (%s, %s) contradict each other: ",
		Text(x.rule), x.id, here, Text(old.rule), old.id, there)
	switch {
	case x.rule.Action == schema.Rule_LIMIT:
		out.Wins = x.id
		if old.rule.Limit < x.rule.Limit {
			out.Wins = old.id
		}
		out.Why = pair + "both count, so the smaller limit, " + out.Wins + ", decides"
	case x.rule.Action == schema.Rule_REWRITE && here != there:
		out.Why = pair + "that of the nearer scope, " + x.id + ", is applied first, and the other to its result"
	case x.rule.Action == schema.Rule_REWRITE:
		out.Why = pair + "the older, " + old.id + ", is applied first, and the other to its result"
	case here != there:
		out.Wins, out.Why = x.id, pair+x.id+" decides, since its scope is nearer"
	default:
		out.Wins, out.Why = old.id, pair+old.id+" decides, since it is older; rules remove "+old.id+" ends it"
	}
	return out
}
