package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"millrace/consumers/index"
	"millrace/consumers/schedule"
	"millrace/ops/web"
	"millrace/schema"
	"millrace/streams/state"
	"millrace/topics"
)

// Why tells the whole story of a URL: what the frontier knows of it and its host,
// what became of its document, and what stands in the index. Point reads, no trace
// store.
func (s *System) Why(ctx context.Context, raw string) (web.Story, error) {
	w, err := schedule.Explain(ctx, s.Store, s.Canon, s.scheduleOptions(), raw)
	if err != nil {
		return web.Story{}, err
	}
	story := web.Story{URL: w.URL, Summary: w.Verdict}
	if w.URL == "" {
		return story, &web.UserError{Message: fmt.Sprintf("%s is %s (%s)", raw, w.Verdict, w.Drop)}
	}
	story.Sections = append(story.Sections, identity(w))
	if w.Row != nil {
		story.Sections = append(story.Sections, web.Section{Title: "Frontier", Facts: w.Fields})
	}
	if w.Host != nil {
		story.Sections = append(story.Sections, web.Section{Title: "Host", Facts: w.Around})
	}
	doc, err := s.document(ctx, w)
	if err != nil {
		return web.Story{}, err
	}
	if len(doc) > 0 {
		story.Sections = append(story.Sections, web.Section{Title: "Document", Facts: doc})
	}
	return story, s.addIndex(&story, w)
}

func (s *System) addIndex(story *web.Story, w schedule.Story) error {
	p := topics.Partition(string(w.Site), s.Meta.SitePartitions)
	hit, ok, err := s.groups.shards.Lookup(p, string(w.RowKey))
	if err != nil && !errors.Is(err, index.ErrNotAssigned) {
		return err
	}
	facts := [][2]string{{"in the index", "no"}, {"shard", fmt.Sprint(p)}}
	if ok {
		facts[0][1] = "yes"
		facts = append(facts, [2]string{"title", hit.Title}, [2]string{"fetched", at(hit.FetchedAt)})
	}
	story.Sections = append(story.Sections, web.Section{Title: "Index", Facts: facts})
	return nil
}

// document tells what dedupe knows of a page.
func (s *System) document(ctx context.Context, w schedule.Story) ([][2]string, error) {
	var row schema.DocRow
	found, err := s.row(ctx, schema.DocTable, state.Key{state.Str(string(w.RowKey))}, &row)
	if err != nil || !found {
		return nil, err
	}
	facts := [][2]string{{"status", strings.ToLower(row.Status.String())}, {"version", number(row.Rev)}}
	switch row.Status {
	case schema.DocRow_ALIAS:
		facts = append(facts, [2]string{"stands for it", schema.RowKey(row.AliasOf).URL()})
	case schema.DocRow_LIVE:
		var c schema.ClusterRow
		key := state.Key{state.Str(string(w.Site)), state.Bytes(row.TextHash)}
		if _, err := s.row(ctx, schema.Cluster, key, &c); err != nil {
			return nil, err
		}
		facts = append(facts, [2]string{"pages with this text", number(c.Count)},
			[2]string{"published as", schema.RowKey(c.Published).URL()})
		if c.Blocked {
			facts = append(facts, [2]string{"not published", "too many pages have this text"})
		}
	default:
		facts = append(facts, [2]string{"reason", strings.ToLower(row.Reason.String())}, [2]string{"moved to", row.MovedTo})
	}
	return keep(facts), nil
}

// row reads one row; found is false if there is none.
func (s *System) row(ctx context.Context, t *schema.Table, key state.Key, m interface{ UnmarshalVT([]byte) error }) (found bool, err error) {
	cells, err := s.Store.Get(ctx, t, key)
	if errors.Is(err, state.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, m.UnmarshalVT(cells[0].Bytes())
}

func identity(w schedule.Story) web.Section {
	facts := [][2]string{{"canonical form", w.URL}, {"row key", string(w.RowKey)}, {"site", string(w.Site)}}
	if w.Drop != "" {
		facts = append(facts, [2]string{"a link to it", "is dropped: " + w.Drop})
	}
	return web.Section{Title: "URL", Facts: facts}
}

// keep leaves out facts that say nothing.
func keep(facts [][2]string) [][2]string {
	var out [][2]string
	for _, f := range facts {
		if f[1] != "" {
			out = append(out, f)
		}
	}
	return out
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func millis(ms int64) string {
	if ms == 0 {
		return ""
	}
	return (time.Duration(ms) * time.Millisecond).String()
}

func at(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format(time.RFC3339)
}
