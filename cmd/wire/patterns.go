package wire

import (
	"context"

	"millrace/consumers/schedule"
	"millrace/ops/web"
	"millrace/schema"
)

// hostNamed parses the name of a host in its usual, not reversed, form; "" for "".
func (s *groups) hostNamed(name string) (schema.Host, error) {
	if name == "" {
		return "", nil
	}
	u, err := s.Canon.Parse("https://" + name)
	if err != nil {
		return "", wrong("%q is no name of a host", name)
	}
	return u.RowKey().Host(), nil
}

// Patterns lists the results of a host's URLs, by their shape.
func (s *operators) Patterns(ctx context.Context, host string) ([]web.PatternLine, error) {
	in, err := s.scopeOf(host, "")
	if err != nil {
		return nil, err
	}
	name, err := s.hostNamed(in.Host)
	if err != nil {
		return nil, err
	}
	list, found, err := schedule.Patterns(ctx, s.Store, name)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, wrong("nothing was learnt of %s: nothing of it was fetched yet (millrace hosts lists those that are known)", in.Host)
	}
	out := make([]web.PatternLine, 0, len(list))
	for _, x := range list {
		out = append(out, web.PatternLine{Shape: x.Name, Found: x.Found, Fetched: x.Fetched, Tried: x.Tried, Useful: x.Useful,
			Fit: x.Fit, Duplicate: x.Duplicate, Soft404: x.Soft404, NoIndex: x.NoIndex, Empty: x.Empty, Missing: x.Missing,
			Redirect: x.Redirect, Lists: x.Lists, Led: x.Led, Checked: x.Checked, Changed: x.Changed, Bytes: x.Bytes,
			Left: x.Left, Closed: x.Closed, Endless: x.Endless, Dropped: x.Dropped})
	}
	return out, nil
}

// proposals returns the rules that the patterns of a host suggest; of all hosts for "".
func (s *groups) proposals(ctx context.Context, host string) ([]web.Proposal, error) {
	name, err := s.hostNamed(host)
	if err != nil {
		return nil, err
	}
	list, err := schedule.Propose(ctx, s.Store, name)
	if err != nil {
		return nil, err
	}
	var out []web.Proposal
	for _, p := range list {
		out = append(out, web.Proposal{NewRule: web.NewRule{Rule: p.Rule, Host: p.Host.Name()}, Evidence: p.Evidence, Confidence: p.Confidence})
	}
	return out, nil
}
