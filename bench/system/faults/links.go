//go:build linux

package faults

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"millrace/consumers/links"
	"millrace/consumers/ranks"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/streams/state/embedded"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// discovered lists the URLs of all pages that a record of links.found tells of, or links to, and of
// the seeds: whatever is known must be among them.
func (c *checker) discovered(ctx context.Context) ([]string, error) {
	urls := map[string]bool{}
	topic := topics.Discovered()
	ends, err := c.look.Reader.Ends(ctx, topic.Name)
	for p, end := range ends {
		if err != nil {
			return nil, err
		}
		err = streams.Read(ctx, c.look.Reader, topic, p, 0, end, func(x *streams.Record[*schema.Discovered]) error {
			if x.Value != nil {
				c.urlsOf(x.Value, urls)
			}
			return nil
		})
	}
	return slices.Sorted(maps.Keys(urls)), err
}

// checkLinks: a replay of links.found into an empty store makes the same tables, and the ranks are
// those of these tables.
func (c *checker) checkLinks(ctx context.Context) error {
	if c.remade { // there is no log to replay
		return nil
	}
	store, err := embedded.Open(filepath.Join(c.o.Dir, "replay"), embedded.DefaultOptions())
	if err != nil {
		return err
	}
	defer store.Close()
	keys, err := c.linkKeys(ctx)
	if err != nil {
		return err
	}
	if err := c.replayLinks(ctx, store); err != nil {
		return err
	}
	pages, differ := map[string]*schema.PageLinksRow{}, 0
	for _, key := range keys {
		was, err := linksOf(ctx, c.look.Store, key)
		if err != nil {
			return err
		}
		now, err := linksOf(ctx, store, key)
		if err != nil {
			return err
		}
		if was.String() != now.String() {
			if differ++; differ <= 5 {
				c.offend("I8: links of %s: the tables have\n%s\na replay makes\n%s", key, was, now)
			}
		}
		if now.out != nil {
			pages[key] = now.out
		}
	}
	c.note("links: %d pages replayed, %d differ", len(keys), differ)
	return c.checkRanks(ctx, pages)
}

// known is all that the tables say of a page.
type known struct {
	in    *schema.InLinks
	out   *schema.PageLinksRow
	shown []*schema.ShownAnchor
}

// String is for comparison.
func (k known) String() string { return fmt.Sprintf("in %v\nout %v\nshown %v", k.in, k.out, k.shown) }

func linksOf(ctx context.Context, s state.Store, key string) (k known, err error) {
	if k.in, err = links.Of(ctx, s, key); err != nil {
		return k, err
	}
	if k.out, err = links.Out(ctx, s, key); err != nil {
		return k, err
	}
	if k.in != nil { // stamps have the era in them: a replay begins in the first one
		k.in.Stamp = 0
	}
	if k.out != nil {
		k.out.At = 0
	}
	k.shown, _, err = links.Shown(ctx, s, key)
	return k, err
}

// linkKeys lists the row keys that links.found names.
func (c *checker) linkKeys(ctx context.Context) ([]string, error) {
	keys := map[string]bool{}
	topic := topics.Found()
	ends, err := c.look.Reader.Ends(ctx, topic.Name)
	for p, end := range ends {
		if err != nil {
			return nil, err
		}
		err = streams.Read(ctx, c.look.Reader, topic, p, 0, end, func(x *streams.Record[*schema.Found]) error {
			for _, key := range keysOf(x.Value) {
				keys[key] = true
			}
			return nil
		})
	}
	return slices.Sorted(maps.Keys(keys)), err
}

// replayLinks handles links.found from its beginning.
func (c *checker) replayLinks(ctx context.Context, store state.Store) error {
	group, err := links.New(links.DefaultOptions(), links.Deps{Store: store, Canon: c.look.Canon, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	topic := topics.Found()
	ends, err := c.look.Reader.Ends(ctx, topic.Name)
	if err != nil {
		return err
	}
	for p, end := range ends {
		task := group.Task((&streamstest.Recorder{}).Partition(p, int32(len(ends))))
		err := streams.Read(ctx, c.look.Reader, topic, p, 0, end, func(x *streams.Record[*schema.Found]) error {
			if err := task.Handle(ctx, x); err != nil {
				return err
			}
			return task.Settle(ctx)
		})
		if err != nil {
			return fmt.Errorf("replay of %s/%d: %w", topic.Name, p, err)
		}
	}
	return nil
}

// keysOf lists the pages that a record is about.
func keysOf(f *schema.Found) []string {
	if p := f.GetPage(); p != nil {
		return []string{p.RowKey}
	}
	if s := f.GetSite(); s != nil {
		return []string{s.RowKey}
	}
	return nil
}

// Ranks are told anew when they differ by a tenth from what was told; exact ones cost five records
// a second, so after a short crawl most are as far off as that.
const ranksDiffer = 0.11

// checkRanks: what the topic ranks says of pages is within a tenth of the fixed point of
// PR = .15 + .85 sum(PR/C), iterated here over the graph in the plainest way.
func (c *checker) checkRanks(ctx context.Context, pages map[string]*schema.PageLinksRow) error {
	told, off, err := c.ranksOff(ctx, pages)
	if err != nil {
		return err
	}
	for _, x := range off[:min(5, len(off))] {
		c.offend("%s", x)
	}
	c.note("ranks: %d pages, %d told, %d off", len(pages), told, len(off))
	return nil
}

// ranksTold waits until the ranks of all pages were told. They are computed when no record has come
// for half a second: after the groups have nothing left to read.
func (c *checker) ranksTold(ctx context.Context) error {
	if c.remade {
		return nil
	}
	keys, err := c.linkKeys(ctx)
	if err != nil {
		return err
	}
	pages := map[string]*schema.PageLinksRow{}
	for _, key := range keys {
		row, err := links.Out(ctx, c.look.Store, key)
		if err != nil {
			return err
		}
		if row != nil {
			pages[key] = row
		}
	}
	return c.until(ctx, workWithin, func() (bool, error) {
		_, off, err := c.ranksOff(ctx, pages)
		return len(off) == 0, err
	})
}

// ranksOff returns how many pages have a rank, and what is wrong with which of them.
func (c *checker) ranksOff(ctx context.Context, pages map[string]*schema.PageLinksRow) (int, []string, error) {
	exact := iterate(pages)
	told := map[string]float64{}
	err := ranks.Fold(ctx, c.look.Reader, func(x *schema.Rank) {
		if x.RowKey != "" {
			told[x.RowKey] = x.Value
		}
	})
	if err != nil {
		return 0, nil, err
	}
	var off []string
	for key := range pages {
		value, ok := told[key]
		if !ok {
			value = ranks.Base
		}
		if want := exact[schema.PageID(key)]; math.Abs(value-want) > ranksDiffer*max(value, want) {
			off = append(off, fmt.Sprintf("the rank of %s was told as %.5f (%v), the tables give %.5f", key, value, ok, want))
		}
	}
	return len(told), off, nil
}

// iterate is the power method, until nothing changes by a millionth.
func iterate(pages map[string]*schema.PageLinksRow) map[uint64]float64 {
	const damping = 0.85
	out := map[uint64][]uint64{}
	x := map[uint64]float64{}
	for key, row := range pages {
		from := schema.PageID(key)
		x[from] = 1 - damping
		for _, h := range links.GraphOf(row).Hosts {
			for _, to := range h.Ids {
				if to != from {
					out[from] = append(out[from], to)
				}
			}
		}
	}
	for change := 1.0; change > 1e-6; {
		next := map[uint64]float64{}
		for from, list := range out {
			for _, to := range list {
				next[to] += damping * x[from] / float64(len(list))
			}
		}
		for n := range x {
			next[n] += 0 // every page has a value
		}
		change = 0
		for n := range next {
			next[n] += 1 - damping
			change = max(change, math.Abs(next[n]-x[n]))
		}
		x = next
	}
	return x
}
