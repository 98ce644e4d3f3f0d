package members

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// countsKind is the kind of row that holds counters.
const countsKind = "counts"

// A directory that wrote nothing for foldAfter is taken for gone: another one keeps its counts.
const foldAfter = 7 * 24 * time.Hour

// Counts keeps what the groups of this process count (dropped, dead letters, retried) over
// restarts, and adds up those of all processes. Each data directory has one row and one process at
// a time, so every row has one writer.
type Counts struct {
	o     Options
	store state.Store
	log   *slog.Logger
	meter *streams.Meter
	id    string

	mu     sync.Mutex
	base   *schema.GroupCountsRow  // as the processes before this one left it; nil = not read yet
	wrote  int64                   // timestamp of the last write
	stands map[streams.Count]int64 // what it wrote; nil = not known
	read   time.Time
	all    map[streams.Count]int64 // of the other rows
}

// NewCounts returns the counters of the directory with this id. What meter counts is added to what
// the directory's row holds.
func NewCounts(o Options, store state.Store, log *slog.Logger, meter *streams.Meter, id string) *Counts {
	return &Counts{o: o, store: store, log: log, meter: meter, id: id}
}

// Keep writes the row until ctx ends, and once more then.
func (c *Counts) Keep(ctx context.Context) {
	tick := time.NewTicker(c.o.Every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			c.write(ctx)
		case <-ctx.Done():
			c.write(context.WithoutCancel(ctx))
			return
		}
	}
}

// againAfter is how long a row whose counts do not change is not written again: each write of it is
// a sync of the disk in a crawl that rests.
const againAfter = time.Minute

// write writes the row, unless it was written with the same counts within againAfter.
func (c *Counts) write(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Wait)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.load(ctx); err != nil {
		c.log.Warn("counters not read", "error", err)
		return
	}
	sum := c.own()
	if c.stands != nil && maps.Equal(sum, c.stands) && time.Since(time.UnixMicro(c.wrote)).Abs() < againAfter {
		return
	}
	row := &schema.GroupCountsRow{SeenAt: time.Now().UnixMilli(), Counts: listed(sum), Folded: c.base.Folded}
	c.stands = nil
	if err := c.put(ctx, c.id, row); err != nil {
		c.log.Warn("counters not written, the next turn does it", "error", err)
		return
	}
	c.stands = sum
}

// load reads the row that the processes before this one left, and takes over those of directories
// that are gone.
func (c *Counts) load(ctx context.Context) error {
	if c.base != nil {
		return nil
	}
	rows, err := c.rows(ctx)
	if err != nil {
		return err
	}
	base := &schema.GroupCountsRow{}
	if own := rows[c.id]; own != nil {
		base, c.wrote = own, own.SeenAt*1000
	} else {
		base.Counts = foldedAs(c.id, rows) // it was away for so long that another took it for gone
	}
	gone := c.fold(base, rows)
	if len(gone) > 0 { // they are deleted when they stand here
		if err := c.put(ctx, c.id, base); err != nil {
			return err
		}
		for _, id := range gone {
			if err := c.remove(ctx, id, rows[id]); err != nil {
				return err
			}
		}
	}
	c.base = base
	return nil
}

// fold adds the rows of directories that are gone to base and returns their ids. What was folded
// long ago becomes part of the counts, unless another row has it too: then it stays with the row of
// the lesser id.
func (c *Counts) fold(base *schema.GroupCountsRow, rows map[string]*schema.GroupCountsRow) (gone []string) {
	now := time.Now()
	old := now.Add(-foldAfter).UnixMilli()
	base.Folded = slices.DeleteFunc(base.Folded, func(f *schema.FoldedCounts) bool {
		if f.FoldedAt > old {
			return false
		}
		if rows[f.Id] != nil || c.elsewhere(f.Id, rows) {
			return true
		}
		sum := summed(base.Counts)
		addTo(sum, f.Counts)
		base.Counts = listed(sum)
		return true
	})
	for id, row := range rows {
		if id == c.id || row.SeenAt > old {
			continue
		}
		gone = append(gone, id)
		base.Folded = append(base.Folded, &schema.FoldedCounts{Id: id, FoldedAt: now.UnixMilli(), Counts: row.Counts})
		base.Folded = append(base.Folded, row.Folded...)
	}
	slices.Sort(gone)
	return gone
}

// elsewhere reports whether a row with a lesser id has taken over the same counts.
func (c *Counts) elsewhere(id string, rows map[string]*schema.GroupCountsRow) bool {
	for other, row := range rows {
		if other < c.id && slices.ContainsFunc(row.Folded, func(f *schema.FoldedCounts) bool { return f.Id == id }) {
			return true
		}
	}
	return false
}

// Total returns the counters of all processes, ever, as they stood at most Options.Every ago;
// those of this process as they are now.
func (c *Counts) Total(ctx context.Context) ([]streams.CountValue, error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Wait)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	var failed error
	if c.all == nil || time.Since(c.read) >= c.o.Every {
		failed = c.readOthers(ctx)
	}
	sum := c.own()
	for k, n := range c.all {
		sum[k] += n
	}
	var out []streams.CountValue
	for k, n := range sum {
		out = append(out, streams.CountValue{Count: k, Value: n})
	}
	return out, failed
}

// readOthers adds up the rows of the others, each directory's counts once. This process's
// own row is left out once it was read into base.
func (c *Counts) readOthers(ctx context.Context) error {
	rows, err := c.rows(ctx)
	if err != nil {
		return err
	}
	sum, once := map[streams.Count]int64{}, map[string]bool{c.id: true}
	if own := rows[c.id]; own != nil && c.base == nil { // this process only looks on
		addTo(sum, own.Counts)
	}
	for id, row := range rows {
		if id != c.id {
			once[id] = true
			addTo(sum, row.Counts)
		}
	}
	for _, row := range rows {
		for _, f := range row.Folded {
			if !once[f.Id] {
				once[f.Id] = true
				addTo(sum, f.Counts)
			}
		}
	}
	c.all, c.read = sum, time.Now()
	return nil
}

// own returns the counters of this directory's processes.
func (c *Counts) own() map[streams.Count]int64 {
	sum := map[streams.Count]int64{}
	if c.base != nil {
		sum = summed(c.base.Counts)
	}
	for _, v := range c.meter.Counts() {
		if v.What == "dropped" || v.What == "dead_letter" || v.What == "retried" {
			sum[v.Count] += v.Value
		}
	}
	return sum
}

func (c *Counts) rows(ctx context.Context) (map[string]*schema.GroupCountsRow, error) {
	list, err := c.store.Slice(ctx, schema.Member, state.Key{state.Str(countsKind)}, nil, maxMembers)
	if err != nil {
		return nil, err
	}
	out := map[string]*schema.GroupCountsRow{}
	for _, r := range list {
		row := &schema.GroupCountsRow{}
		if err := row.UnmarshalVT(r.Cells[0].Bytes()); err != nil {
			return nil, err
		}
		out[r.Key[1].Str()] = row
	}
	return out, nil
}

// put writes a row; its timestamps rise even if the clock does not.
func (c *Counts) put(ctx context.Context, id string, row *schema.GroupCountsRow) error {
	b, err := row.MarshalVT()
	if err != nil {
		return err
	}
	c.wrote = max(c.wrote+1, time.Now().UnixMicro())
	return c.store.Write(ctx, []state.Mutation{{
		Table: schema.Member, Key: countsKey(id), TS: c.wrote, Cells: state.Cells{state.Bytes(b)},
	}})
}

func (c *Counts) remove(ctx context.Context, id string, row *schema.GroupCountsRow) error {
	ts := max(row.SeenAt*1000+1, time.Now().UnixMicro())
	return c.store.Write(ctx, []state.Mutation{{Table: schema.Member, Key: countsKey(id), TS: ts, Delete: true}})
}

func countsKey(id string) state.Key { return state.Key{state.Str(countsKind), state.Str(id)} }

// foldedAs are the counts of a directory as another row has them; nil if none does.
func foldedAs(id string, rows map[string]*schema.GroupCountsRow) []*schema.GroupCount {
	for _, row := range rows {
		for _, f := range row.Folded {
			if f.Id == id {
				return f.Counts
			}
		}
	}
	return nil
}

func summed(list []*schema.GroupCount) map[streams.Count]int64 {
	sum := map[streams.Count]int64{}
	addTo(sum, list)
	return sum
}

func addTo(sum map[streams.Count]int64, list []*schema.GroupCount) {
	for _, g := range list {
		sum[streams.Count{Group: g.Group, What: g.What, Label: g.Label}] += g.N
	}
}

func listed(sum map[streams.Count]int64) []*schema.GroupCount {
	var out []*schema.GroupCount
	for k, n := range sum {
		out = append(out, &schema.GroupCount{Group: k.Group, What: k.What, Label: k.Label, N: n})
	}
	return out
}
