package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"millrace/consumers/index"
	"millrace/consumers/index/shard"
	"millrace/consumers/links"
	"millrace/consumers/ranks"
	"millrace/ops/web"
	"millrace/schema"
	"millrace/schema/facts"
	"millrace/topics"
)

// Ranks lists the pages, or hosts, with the highest PageRank, from the topic ranks.
func (s *answers) Ranks(ctx context.Context, hosts bool, top int) (web.Ranks, error) {
	last := map[string]*schema.Rank{}
	err := ranks.Fold(ctx, s.Reader, func(r *schema.Rank) {
		if hosts == (r.RowKey == "") {
			last[cmp.Or(r.RowKey, r.Host)] = r
		}
	})
	if err != nil {
		return web.Ranks{}, err
	}
	out := web.Ranks{Damping: 1 - ranks.Base, Base: ranks.Base, Known: len(last), Ranks: []web.Rank{}}
	for _, r := range last {
		line := web.Rank{Host: schema.Host(r.Host).Name(), Value: r.Value, HostValue: r.HostValue, At: fromMillis(r.At)}
		if !hosts {
			line.URL = schema.RowKey(r.RowKey).URL()
		}
		out.Ranks = append(out.Ranks, line)
	}
	slices.SortFunc(out.Ranks, func(a, b web.Rank) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Host, b.Host))
	})
	out.Ranks = out.Ranks[:min(top, len(out.Ranks))]
	return out, nil
}

// anchorReads is how many rows are read concurrently for a batch of the index.
const anchorReads = 16

// anchors returns the texts of the links that lead to pages, by row key.
func (s *groups) anchors(ctx context.Context, rowKeys []string) (map[string]index.Anchored, error) {
	all := make([]index.Anchored, len(rowKeys))
	read := func(i int) error {
		shown, stamp, err := links.Shown(ctx, s.Store, rowKeys[i])
		all[i].Stamp = stamp
		for _, x := range shown {
			all[i].Anchors = append(all[i].Anchors, shard.Anchor{Text: x.Text, Sites: int(x.Times)})
		}
		return err
	}
	readers := min(anchorReads, len(rowKeys))
	if s.Config.Embedded() { // a read is a few microseconds
		readers = 1
	}
	errs := make([]error, readers)
	var reading sync.WaitGroup
	for r := range readers {
		reading.Go(func() {
			for i := r; i < len(rowKeys) && errs[r] == nil; i += readers {
				errs[r] = read(i)
			}
		})
	}
	reading.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	out := make(map[string]index.Anchored, len(rowKeys))
	for i, key := range rowKeys {
		out[key] = all[i]
	}
	return out, nil
}

// linksFollowed reports whether the shards that this process owns have read all of the topic links.
func (s *groups) linksFollowed(ctx context.Context) bool {
	ends, err := s.Reader.Ends(ctx, topics.Links().Name)
	if err != nil {
		return false
	}
	for _, h := range s.shards.Status() {
		if h.Owned && h.Links < ends[h.Partition] {
			return false
		}
	}
	return true
}

// linksShown is the most in-links that Why lists.
const linksShown = 10

// addLinks adds a page's links, in both directions.
func (s *answers) addLinks(ctx context.Context, story *web.Story, rowKey schema.RowKey) error {
	in, err := links.Of(ctx, s.Store, string(rowKey))
	if err != nil {
		return err
	}
	out, err := links.Out(ctx, s.Store, string(rowKey))
	if err != nil {
		return err
	}
	if in == nil && out == nil {
		return nil
	}
	story.Sections = append(story.Sections, web.Section{Title: "Links", Facts: linkFacts(in, out)})
	return nil
}

func linkFacts(in *schema.InLinks, out *schema.PageLinksRow) [][2]string {
	list := [][2]string{{"linking sites", fmt.Sprint(in.GetSites())}, {"linking pages", facts.Number(in.GetPages())}}
	if out != nil {
		n := 0
		for _, h := range out.Hosts {
			n += len(h.Ids)
		}
		list = append(list, [2]string{"links to", fmt.Sprintf("%d pages on %d hosts", n, len(out.Hosts))})
	}
	for _, l := range in.GetLinks()[:min(linksShown, len(in.GetLinks()))] {
		text := fmt.Sprintf("%q", l.Anchor)
		if l.Anchor == "" {
			text = "without text"
		}
		list = append(list, [2]string{"from " + l.Site, fmt.Sprintf("%s, %s%s", text, pagesOf(l), example(l))})
	}
	return facts.Said(list)
}

func pagesOf(l *schema.InLink) string {
	s := fmt.Sprintf("%d pages", l.Pages)
	if l.Pages == 1 {
		s = "1 page"
	}
	if l.Everywhere {
		s += ", most of the site"
	}
	if l.Rel != 0 {
		s += ", not to be followed"
	}
	return s
}

func example(l *schema.InLink) string {
	if l.Example == "" {
		return ""
	}
	return ", as " + schema.RowKey(l.Example).URL()
}
