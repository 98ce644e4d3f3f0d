package schedule

import (
	"context"
	"slices"
	"time"

	"millrace/consumers/schedule/calendar"
	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/patterns"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
)

// knownLink counts links and added URLs that were known already. It is not a drop: the URL has a
// row.
const knownLink = "known"

// probeMade counts URLs that no record names: the frontier made them to learn what a parameter
// changes (patterns.Tree.Probe). They are no drops either.
const probeMade = "probe"

// counts are the numbers of URLs, hosts and drops of one partition. The row is written once per
// round if it changed. The true numbers of hosts and URLs are in the hosts' own rows; they are
// summed again after every recovery (recount), because a crash between two writes may leave the sum
// behind.
type counts struct {
	row   *schema.CountsRow
	ts    int64 // stamp of the last record that changed it
	dirty bool

	wheel *calendar.Wheel // gives the shard of a host
	whole bool            // the recount has ended
	again *schema.CountsRow
	shard int         // index of the shard that is recounted next,
	upTo  schema.Host // after this host
	many  bool        // a shard had many hosts: they are read one by one
}

func newCounts(w *calendar.Wheel) *counts {
	return &counts{row: normalCounts(&schema.CountsRow{}), again: normalCounts(&schema.CountsRow{}), wheel: w}
}

func normalCounts(row *schema.CountsRow) *schema.CountsRow {
	for len(row.Statuses) < len(schema.UrlRow_Status_name) {
		row.Statuses = append(row.Statuses, 0)
	}
	return row
}

func (c *counts) read(ctx context.Context, s table.Reader, partition int32) error {
	row := &schema.CountsRow{} // a new row, since decoding appends to lists
	_, err := table.Read(ctx, s, schema.ShardTable, table.Counts(partition), row)
	c.row = normalCounts(row)
	return err
}

func (c *counts) save(b *sink, partition int32, queued int64) {
	if !c.dirty || c.ts <= c.row.At {
		return
	}
	c.row.At, c.row.Queued, c.dirty = c.ts, queued, false
	b.Put(table.GroupShards, state.Mutation{Table: schema.ShardTable, TS: c.ts,
		Key: table.Counts(partition), Cells: state.Cells{table.Encode(c.row)}})
}

// drop counts what a record dropped, unless the stored counts have that record.
func (c *counts) drop(ts int64, reason string, n int) {
	if ts <= c.row.At {
		return
	}
	c.changed(ts)
	c.row.Drops = addTo(c.row.Drops, reason, int64(n))
}

// mostRules is how many rules are counted by name; further ones are counted together as "others".
const mostRules = 256

// ruled counts URLs that rules dropped, unless the stored counts have that record.
func (c *counts) ruled(ts int64, by map[string]int) {
	if len(by) == 0 || ts <= c.row.At {
		return
	}
	c.changed(ts)
	for rule, n := range by {
		known := slices.ContainsFunc(c.row.Rules, func(x *schema.Count) bool { return x.Name == rule })
		if !known && len(c.row.Rules) >= mostRules {
			rule = "others"
		}
		c.row.Rules = addTo(c.row.Rules, rule, int64(n))
	}
}

func (c *counts) changed(ts int64) { c.ts, c.dirty = max(c.ts, ts), true }

// move changes what one URL counts as, in its host's row and in the sums. With before.status
// UNSPECIFIED the URL is new.
func (c *counts) move(h *hosts.Host, before, after tally) {
	c.changed(h.Row.At)
	policy.MoveLoad(h.Row, before.load, after.load)
	if before.status == after.status && before.cause == after.cause {
		return
	}
	for _, x := range []struct {
		tally
		n int64
	}{{before, -1}, {after, 1}} {
		if x.status == schema.UrlRow_UNSPECIFIED {
			continue
		}
		h.Row.Statuses[x.status] += x.n
		if x.cause != "" {
			h.Row.Causes = addTo(h.Row.Causes, x.cause, x.n)
		}
		c.each(h.Name, func(row *schema.CountsRow) {
			row.Statuses[x.status] += x.n
			if x.cause != "" {
				row.Causes = addTo(row.Causes, x.cause, x.n)
			}
		})
	}
}

// host counts a new host.
func (c *counts) host(h *hosts.Host) {
	c.each(h.Name, func(row *schema.CountsRow) { row.Hosts++ })
}

// page counts a page of a host.
func (c *counts) page(h *hosts.Host) {
	h.Row.Fetched++
	c.each(h.Name, func(row *schema.CountsRow) { row.Pages++ })
}

// keptDays is how many days a CountsRow keeps.
const keptDays = 8

// day returns the counts of a record's day. A record with an earlier day than the last one counts
// for the last one.
func (c *counts) day(now int64) *schema.DayCount {
	day := now / (24 * time.Hour).Milliseconds()
	if n := len(c.row.Days); n > 0 && c.row.Days[n-1].Day >= day {
		return c.row.Days[n-1]
	}
	if c.row.Days = append(c.row.Days, &schema.DayCount{Day: day}); len(c.row.Days) > keptDays {
		c.row.Days = c.row.Days[1:]
	}
	return c.row.Days[len(c.row.Days)-1]
}

// fetched counts an answer about a URL itself, unless the stored counts have that record.
func (c *counts) fetched(in input) {
	if in.ts > c.row.At {
		c.changed(in.ts)
		c.day(in.now).Fetched++
	}
}

// text counts the text of a page. useful says that the host did not have that text before.
func (c *counts) text(in input, h *hosts.Host, x patterns.Text, useful bool) {
	if useful {
		h.Row.Useful++
	}
	if in.ts <= c.row.At {
		return
	}
	c.changed(in.ts)
	d := c.day(in.now)
	if x.Document {
		d.Documents++
	}
	if useful {
		d.Useful++
		if x.Fit {
			d.Fit++
		}
	}
}

// each calls fn for the sum, and for the recount if that has passed the host already.
func (c *counts) each(name schema.Host, fn func(*schema.CountsRow)) {
	fn(c.row)
	if i := c.wheel.Index(name); !c.whole && (i < c.shard || i == c.shard && name <= c.upTo) {
		fn(c.again)
	}
}

// recount adds one host to the recount.
func (c *counts) recount(name schema.Host, row *schema.HostRow) {
	c.upTo = name
	c.again.Hosts++
	c.again.Pages += row.Fetched
	for i, n := range row.Statuses {
		c.again.Statuses[i] += n
	}
	for _, x := range row.Causes {
		c.again.Causes = addTo(c.again.Causes, x.Name, x.N)
	}
}

func (c *counts) nextShard() { c.shard, c.upTo = c.shard+1, "" }

// end replaces the sums of hosts, pages and URLs by those of the recount. They are stored with the
// next record that changes the counts.
func (c *counts) end() {
	c.whole = true
	c.row.Hosts, c.row.Pages, c.row.Statuses, c.row.Causes = c.again.Hosts, c.again.Pages, c.again.Statuses, c.again.Causes
	c.again = nil
}

// addTo adds n to the count of that name, and appends the count if there is none.
func addTo(list []*schema.Count, name string, n int64) []*schema.Count {
	for _, x := range list {
		if x.Name == name {
			x.N += n
			return list
		}
	}
	return append(list, &schema.Count{Name: name, N: n})
}
