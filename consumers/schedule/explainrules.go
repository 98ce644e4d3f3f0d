package schedule

import (
	"fmt"
	"time"

	"millrace/consumers/rules"
	"millrace/schema"
)

// ruled adds what the rules of operators say of the URL now.
func (w *Story) ruled(o Options) {
	if o.Rules == nil {
		return
	}
	q := rules.Query{URL: w.URL, Host: w.RowKey.Host(), Path: w.RowKey.Path(), Site: w.Site, Kind: schema.Kind_PAGE}
	if w.Row != nil {
		q.Kind, q.Seeded = w.Row.Kind, w.Row.Seeded
	}
	v := o.Rules.Judge(q, rules.Latest)
	switch {
	case v.Out:
		w.Drop, w.Rule = v.Reason, Decided(o.Rules, v.Rule)
	case w.Row != nil && w.Row.Rule != "":
		w.Rule = Decided(o.Rules, w.Row.Rule)
	case v.FitRule != "":
		w.Rule = Decided(o.Rules, v.FitRule)
	}
	if v.Out && w.Row == nil {
		w.Verdict = "Not known; " + schema.ReasonOf(v.Reason).Why + ", so a link to it is dropped"
	}
	if id, on := o.Rules.Paused(q.Host, q.Site); on {
		w.Paused = Decided(o.Rules, id)
		if w.Row != nil {
			w.Verdict += "; paused by an operator"
		}
	}
	if every, by := o.Rules.Every(q, rules.Latest); by != "" && !v.Out {
		w.Every = Decided(o.Rules, by)
		if w.Row != nil && every > 0 {
			w.Verdict += fmt.Sprintf("; a rule has it fetched again every %s", every)
		}
	}
	if to, by := o.Rules.Rewrite(w.URL, q.Host, q.Site, rules.Latest); by != "" {
		w.Rule = Decided(o.Rules, by)
		w.Verdict += "; a rule makes it " + to
	}
	if by := o.Rules.Endless(w.URL, q.Host, q.Site); by != "" {
		w.Rule = Decided(o.Rules, by)
		w.Verdict += "; it is not rewritten, because the rule would change its own result without end"
	}
}

// delayOf is the delay that rules set for a host; 0 = none does.
func delayOf(o Options, host schema.Host, site schema.Site) time.Duration {
	if o.Rules == nil {
		return 0
	}
	return o.Rules.Delay(host, site)
}

// Decided describes a rule in words: its identity, its text and where it holds, and whether it has
// ended.
func Decided(set *rules.Set, id string) string {
	if group, ok := rules.DefaultGroup(id); ok {
		return fmt.Sprintf("%s (one of the defaults: %s are left out by their suffix; millrace rules add 'allow %s' lets them in)", id, group, group)
	}
	d, ok := set.Find(id)
	if !ok {
		return id
	}
	text := id + " (" + rules.Words(d.Control) + ")"
	if d.Off {
		text += ", not in force any more"
	}
	return text
}
