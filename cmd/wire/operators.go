package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"millrace/consumers/dedupe"
	"millrace/consumers/rules"
	"millrace/consumers/schedule"
	"millrace/ops/control"
	"millrace/ops/web"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
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

// ChangeRules adds and removes rules. If one is wrong, it changes none.
func (s *operators) ChangeRules(ctx context.Context, c web.RuleChange) (web.RuleChanged, error) {
	out := web.RuleChanged{InForce: inForce}
	if err := s.control.Refresh(ctx); err != nil {
		return out, err
	}
	var list []*schema.Control
	everywhere := s.control.Set().Everywhere()
	for _, r := range c.Add {
		d, err := s.ruleOf(r)
		if err != nil {
			return out, err
		}
		if x := d.GetRule(); x.Host == "" && x.Site == "" {
			everywhere++
		}
		list = append(list, d)
	}
	if everywhere > rules.MostEverywhere {
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

// Forget removes URLs for good, or lifts a removal. Known URLs are removed at once and unknown ones
// are not let in. A lift waits until every process has the decision, then makes the known URLs due.
func (s *operators) Forget(ctx context.Context, f web.ForgetCall) (out web.Forgotten, err error) {
	targets, err := s.targets(f)
	if err != nil {
		return out, err
	}
	var list []*schema.Control
	for _, t := range targets {
		list = append(list, &schema.Control{Off: f.Lift, By: "operator", Note: f.Note, Body: &schema.Control_Block{Block: t.block}})
	}
	if f.Lift {
		if list, err = s.lifted(ctx, list); err != nil {
			return out, err
		}
	}
	ids, err := s.control.Append(ctx, list...)
	if err != nil {
		return out, err
	}
	for i, c := range list {
		out.Decided = append(out.Decided, web.Decided{ID: ids[i], Text: rules.Blocked(c.GetBlock()), InForce: inForce})
	}
	out.Note = s.Idler(ctx)
	if !f.Lift {
		if out.SameText, err = s.twins(ctx, targets, f); err != nil {
			return out, err
		}
		if err := s.send(ctx, targets, f); err != nil {
			return out, err
		}
	}
	if err := control.Settled(ctx); err != nil {
		return out, err
	}
	return out, s.send(ctx, targets, f) // again, for URLs that came before every process had the decision
}

// twins lists the URLs under which the texts of pages stay when they are removed, 20 for each at
// most. There are none where the text is removed too.
func (s *operators) twins(ctx context.Context, targets []target, f web.ForgetCall) (urls []string, err error) {
	for _, t := range targets {
		if t.rowKey == "" || f.Content {
			continue
		}
		more, err := dedupe.Twins(ctx, s.Store, t.rowKey)
		if err != nil {
			return nil, err
		}
		for _, key := range more {
			url := schema.RowKey(key).URL()
			removed := func(t target) bool {
				return key == t.rowKey || t.prefix != "" && strings.HasPrefix(key, t.prefix)
			}
			if !slices.Contains(urls, url) && !slices.ContainsFunc(targets, removed) {
				urls = append(urls, url)
			}
		}
	}
	return urls, nil
}

// lifted returns those of list that are removals in force; an error if there are none.
func (s *operators) lifted(ctx context.Context, list []*schema.Control) ([]*schema.Control, error) {
	if err := s.control.Refresh(ctx); err != nil {
		return nil, err
	}
	var there []*schema.Control
	for _, c := range list {
		if d, ok := s.control.Set().Find(rules.ID(c)); ok && !d.Off {
			there = append(there, c)
		}
	}
	if len(there) == 0 {
		return nil, wrong("nothing of that was removed as such: millrace rules list shows what was, as it was named")
	}
	return there, nil
}

// target is one removal: the block, and the keys of the known URLs.
type target struct {
	block  *schema.Block
	host   string
	rowKey string
	prefix string
}

// targets parses what is to be removed. Each URL gives two targets, for http and https.
func (s *operators) targets(f web.ForgetCall) ([]target, error) {
	if f.Site != "" {
		in, err := s.scopeOf("", f.Site)
		if err != nil {
			return nil, err
		}
		host := string(schema.HostOf(in.Site))
		return []target{{&schema.Block{Target: &schema.Block_Site{Site: in.Site}, Content: f.Content}, host, "", host}}, nil
	}
	var out []target
	for _, raw := range f.URLs {
		u, err := s.Canon.Parse(raw)
		if err != nil {
			return nil, wrong("%s: %s", raw, err)
		}
		host := string(u.Host())
		for _, key := range bothSchemes(u) {
			page, prefixes := key, []string(nil)
			if f.Prefix {
				page, prefixes = below(key)
			}
			if page != "" {
				block := &schema.Block{Target: &schema.Block_RowKey{RowKey: page}, Content: f.Content}
				out = append(out, target{block: block, host: host, rowKey: page})
			}
			if page != "" && f.Prefix && f.Lift {
				prefixes = append(prefixes, page) // as versions before this one named it
			}
			for _, prefix := range prefixes {
				block := &schema.Block{Target: &schema.Block_Prefix{Prefix: prefix}, Content: f.Content}
				out = append(out, target{block: block, host: host, prefix: prefix})
			}
		}
	}
	return out, nil
}

// below returns what is at and below a row key: the page itself, if it is not a folder, and
// prefixes. Below /a are /a/b and /a?b, not /ab, as in a search with site:. A key with a query is a
// prefix as it stands.
func below(key string) (page string, prefixes []string) {
	if strings.HasSuffix(key, "/") || strings.Contains(key, "?") {
		return "", []string{key}
	}
	return key, []string{key + "/", key + "?"}
}

func bothSchemes(u schema.URL) []string {
	key := u.RowKey()
	path := strings.TrimPrefix(strings.TrimPrefix(key.Path(), ":https"), ":http")
	keys := []string{string(key.Host()) + ":https" + path, string(key.Host()) + ":http" + path}
	if u.Scheme() == "http" {
		keys[0], keys[1] = keys[1], keys[0]
	}
	return keys
}

// send appends to urls.discovered the records that remove known URLs or make them due.
func (s *operators) send(ctx context.Context, targets []target, f web.ForgetCall) error {
	now := time.Now().UnixMilli()
	var ms []*schema.Discovered
	for _, t := range targets {
		d := &schema.Discovered{Host: t.host, DiscoveredAt: now}
		if f.Lift {
			r := &schema.Recheck{Reason: "lifted", Target: &schema.Recheck_RowKey{RowKey: t.rowKey}}
			if t.rowKey == "" {
				r.Target = &schema.Recheck_Prefix{Prefix: t.prefix}
			}
			d.Body = &schema.Discovered_Recheck{Recheck: r}
		} else {
			x := &schema.Forget{Content: f.Content, Reason: f.Note, By: "operator", At: now, Target: &schema.Forget_RowKey{RowKey: t.rowKey}}
			if t.rowKey == "" {
				x.Target = &schema.Forget_Prefix{Prefix: t.prefix}
			}
			d.Body = &schema.Discovered_Forget{Forget: x}
		}
		ms = append(ms, d)
	}
	out, err := streams.NewProducer(ctx, s.Kafka, "operators", topics.Discovered())
	if err != nil {
		return err
	}
	defer out.Close()
	return out.Send(ctx, ms...)
}

var errEnough = errors.New("enough was looked at")
