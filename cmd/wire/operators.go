package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"millrace/consumers/rules"
	"millrace/consumers/schedule"
	"millrace/ops/web"
	"millrace/schema"
)

// operators handles the requests of operators: rules, pauses, removals. Each decision is a record
// of the topic control.
type operators struct {
	*opened
	*groups
	*cluster
	*additions
}

// inForce is the longest time, in seconds, until every process applies a decision.
const inForce = 5

// wrong returns an error for the user who asked.
func wrong(format string, args ...any) error {
	return &web.UserError{Message: fmt.Sprintf(format, args...)}
}

// scopeOf parses the host or site for which a rule or pause is to hold; the zero Scope is
// everywhere.
func (s *operators) scopeOf(host, site string) (rules.Scope, error) {
	var in rules.Scope
	if host != "" && site != "" {
		return in, wrong("a host or a site, not both")
	}
	name := host + site
	if name == "" {
		return in, nil
	}
	if !strings.Contains(name, "://") {
		name = "https://" + name
	}
	u, err := s.Canon.Parse(name)
	if err != nil || strings.Trim(u.PathQuery(), "/") != "" {
		return in, wrong("%q is no name of a host", host+site)
	}
	if p := strings.TrimPrefix(u.Authority(), u.Hostname()); p != "" {
		return in, wrong("%q names a port, and what holds for a host holds on all its ports: leave %s out, or put it into the pattern of a rule", host+site, p)
	}
	if host != "" {
		return rules.Scope{Host: u.Hostname()}, nil
	}
	if of := string(u.Site()); of != u.Hostname() {
		return in, wrong("%s is a host of the site %s: name the site, or the host with --host", u.Hostname(), of)
	}
	return rules.Scope{Site: u.Hostname()}, nil
}

// ruleOf parses a rule and returns the decision for it.
func (s *operators) ruleOf(r web.NewRule) (*schema.Control, error) {
	in, err := s.scopeOf(r.Host, r.Site)
	if err != nil {
		return nil, err
	}
	rule, err := rules.Parse(r.Rule, in)
	if err == nil {
		err = checkExtract(rule)
	}
	if err != nil {
		return nil, wrong("%s: %s", r.Rule, err)
	}
	return &schema.Control{By: "operator", Note: r.Note, Body: &schema.Control_Rule{Rule: rule}}, nil
}

// ChangeRules adds and removes rules. If one is wrong, it changes none. A rule that holds already
// stays as it is, so that an import that was cut off may be repeated.
func (s *operators) ChangeRules(ctx context.Context, c web.RuleChange) (web.RuleChanged, error) {
	out := web.RuleChanged{InForce: inForce}
	if err := s.control.Refresh(ctx); err != nil {
		return out, err
	}
	var list []*schema.Control
	everywhere := make(map[string]bool) // that do not hold yet
	for _, r := range c.Add {
		d, err := s.ruleOf(r)
		if err != nil {
			return out, err
		}
		if (rules.ScopeOf(d.GetRule()) == rules.Scope{}) {
			everywhere[rules.ID(d)] = true
		}
		list = append(list, d)
	}
	if holdEverywhere(s.control.Set(), everywhere) > rules.MostEverywhere {
		return out, wrong("at most %d rules can hold everywhere, since each is asked for every new URL: give a --host or --site", rules.MostEverywhere)
	}
	for _, id := range c.Remove {
		d, err := s.ending(id)
		if err != nil {
			return out, err
		}
		list = append(list, d)
	}
	out.Contradictions = s.contradictions(list[:len(c.Add)], c.Remove)
	ids, err := s.control.Append(ctx, list...)
	if err != nil {
		return out, err
	}
	out.Added, out.Removed = ids[:len(c.Add)], ids[len(c.Add):]
	return out, nil
}

// holdEverywhere is how many rules of set hold everywhere once those with these identities are
// added too.
func holdEverywhere(set *rules.Set, added map[string]bool) int {
	n := set.Everywhere()
	for id := range added {
		if d, known := set.Find(id); !known || d.Off {
			n++
		}
	}
	return n
}

// contradictions returns what new rules contradict, but for rules that end with the same call.
func (s *operators) contradictions(list []*schema.Control, ending []string) []web.RuleConflict {
	var out []web.RuleConflict
	for _, x := range rules.Contradictions(s.control.Set(), list) {
		if !slices.Contains(ending, x.Old) {
			out = append(out, web.RuleConflict{Rule: x.New, With: x.Old, Decides: x.Wins, Why: x.Why})
		}
	}
	return out
}

// ending returns the record that ends a rule.
func (s *operators) ending(id string) (*schema.Control, error) {
	if group, ok := rules.DefaultGroup(id); ok {
		return nil, wrong("%s is one of the defaults: millrace rules add 'allow %s' lets such URLs in", id, group)
	}
	d, ok := s.control.Set().Find(id)
	switch {
	case !ok || d.Off:
		return nil, wrong("no rule %s holds (see millrace rules list)", id)
	case d.Control.GetPause() != nil:
		return nil, wrong("%s is a pause: millrace resume ends it", id)
	case d.Control.GetBlock() != nil:
		return nil, wrong("%s is a removal: millrace forget --lift ends it", id)
	}
	c := d.Control.CloneVT()
	c.Off = true
	return c, nil
}

// Rules lists decisions, in the order in which they are applied, then the defaults.
func (s *operators) Rules(ctx context.Context, q web.RuleQuery) (web.RuleList, error) {
	out := web.RuleList{Rules: []web.RuleLine{}}
	if err := s.control.Refresh(ctx); err != nil {
		return out, err
	}
	in, err := s.scopeOf(q.Host, q.Site)
	if err != nil {
		return out, err
	}
	counts, err := s.ruleCounts(ctx)
	if err != nil {
		return out, err
	}
	list := s.control.Set().List(func(d rules.Decision) bool {
		return (q.Ended || !d.Off) && (in == rules.Scope{} || in == scopeIn(d.Control))
	})
	for _, d := range list {
		out.Rules = append(out.Rules, ruleLine(d, counts))
	}
	if (in == rules.Scope{}) {
		for _, g := range rules.Groups() {
			id := rules.DefaultID(g)
			out.Rules = append(out.Rules, web.RuleLine{ID: id, Kind: "default", Dropped: counts[id],
				Text: "exclude " + g + " by suffix: " + strings.Join(rules.Suffixes(g), " ")})
		}
	}
	out.All = len(out.Rules)
	out.Rules = out.Rules[:min(len(out.Rules), q.N)]
	return out, nil
}

func scopeIn(c *schema.Control) rules.Scope {
	if p := c.GetPause(); p != nil {
		return rules.Scope{Host: p.Host, Site: p.Site}
	}
	return rules.ScopeOf(c.GetRule())
}

func ruleLine(d rules.Decision, counts map[string]int64) web.RuleLine {
	c := d.Control
	in := scopeIn(c)
	l := web.RuleLine{ID: c.Id, Kind: "rule", Host: in.Host, Site: in.Site, By: c.By, Note: c.Note, Dropped: counts[c.Id]}
	switch {
	case c.GetRule() != nil:
		l.Text = rules.Text(c.GetRule())
	case c.GetPause() != nil:
		l.Kind, l.Text = "pause", "pause"
	default:
		l.Kind, l.Text = "forgotten", rules.Blocked(c.GetBlock())
	}
	if n := len(c.Spans); n > 0 {
		l.Since, l.Until = fromMillis(c.Spans[n-1].Since), fromMillis(c.Spans[n-1].Until)
	}
	if d.Err != nil {
		l.Error = d.Err.Error()
	}
	return l
}

// Propose lists the rules that the patterns of crawled URLs suggest.
func (s *operators) Propose(ctx context.Context, host string) ([]web.Proposal, error) {
	if s.groups.propose == nil {
		return nil, wrong("this millrace learns no patterns yet, so it proposes nothing")
	}
	in, err := s.scopeOf(host, "")
	if err != nil {
		return nil, err
	}
	return s.groups.propose(ctx, in.Host)
}

// Pause stops or resumes the fetches of a host, a site, or the whole crawl. A pause survives
// restarts.
func (s *operators) Pause(ctx context.Context, p web.PauseCall) (web.Decided, error) {
	in, err := s.scopeOf(p.Host, p.Site)
	if err != nil {
		return web.Decided{}, err
	}
	c := &schema.Control{Off: p.Resume, By: "operator", Note: p.Note, Body: &schema.Control_Pause{Pause: &schema.Pause{Host: in.Host, Site: in.Site}}}
	if err := s.control.Refresh(ctx); err != nil {
		return web.Decided{}, err
	}
	if d, ok := s.control.Set().Find(rules.ID(c)); p.Resume && (!ok || d.Off) {
		return web.Decided{}, wrong("there is no pause %s%s", in, s.otherPauses())
	}
	ids, err := s.control.Append(ctx, c)
	if err != nil {
		return web.Decided{}, err
	}
	out := web.Decided{ID: ids[0], Text: in.String(), InForce: inForce}
	if p.Resume {
		out.Note = s.Idler(ctx)
		return out, nil
	}
	if out.Note, err = s.unheardOf(ctx, in); err != nil { // the pause holds all the same
		s.Log.Warn("not known whether the crawl has what was paused", "scope", in.String(), "error", err)
	}
	return out, nil
}

// unheardOf says that the crawl knows nothing of a host or site; "" if it does.
func (s *operators) unheardOf(ctx context.Context, in rules.Scope) (string, error) {
	kind, name, site, host := "site", in.Site, schema.Site(in.Site), ""
	if in.Host != "" {
		kind, name, site, host = "host", in.Host, schema.SiteOf(in.Host), string(schema.HostOf(in.Host))
	}
	if name == "" {
		return "", nil
	}
	known, err := schedule.HasHost(ctx, s.Store, site, host)
	if err != nil || known {
		return "", err
	}
	return fmt.Sprintf("The crawl knows nothing of the %s %s: the pause is for when it does.", kind, name), nil
}

// pausesNow lists the scopes that are paused.
func (s *opened) pausesNow() []string {
	var out []string
	for _, d := range s.control.Set().List(func(d rules.Decision) bool { return !d.Off && d.Control.GetPause() != nil }) {
		out = append(out, scopeIn(d.Control).String())
	}
	return out
}

func (s *operators) otherPauses() string {
	if list := s.pausesNow(); len(list) > 0 {
		return "; paused: " + strings.Join(list, ", ")
	}
	return "; nothing is paused"
}

var errEnough = errors.New("enough was looked at")
