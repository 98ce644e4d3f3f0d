package wire

import (
	"context"
	"slices"
	"strings"
	"time"

	"millrace/consumers/dedupe"
	"millrace/consumers/rules"
	"millrace/ops/control"
	"millrace/ops/web"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

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
