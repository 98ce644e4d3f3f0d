package schedule

import (
	"context"
	"fmt"

	"millrace/consumers/schedule/calendar"
	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/politeness"
	"millrace/consumers/schedule/seen"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// ledger holds the state that the parts of a task share: the rows of hosts and URLs, the calendar,
// the turns of the hosts, and the counts of all of them.
//
// It is large because all parts of a task need it.
type ledger struct {
	batch  *sink
	opts   *Options
	out    *emitters
	hosts  *hosts.Set
	front  *politeness.Frontier
	wheel  *calendar.Wheel
	counts *counts
	recent *seen.Recent
	filter *seen.Filter
	sums   *sites // of all partitions of this process

	now   int64 // ms: of the last Tick or record, by this process's clock
	began int64 // stamp of the record that ended recovery; 0 = not yet
	drops map[string]int
	ruled map[string]int // of these, by rule
}

// sink is a Batch that keeps the first write that the store would refuse, until the record ends.
type sink struct {
	*state.Batch
	invalid error // the first refusal; nil = none
}

// Put stages a mutation.
func (s *sink) Put(group int, m state.Mutation) {
	if err := s.Batch.Put(group, m); err != nil && s.invalid == nil {
		s.invalid = err
	}
}

// Drop stages the removal of a whole partition of a table.
func (s *sink) Drop(t *schema.Table, partition state.Key, ts int64) {
	if err := s.Batch.Drop(t, partition, ts); err != nil && s.invalid == nil {
		s.invalid = err
	}
}

// drop notes that n URLs or records end here. They are counted when the record is handled.
func (l *ledger) drop(reason string, n int) {
	if n <= 0 {
		return
	}
	if l.drops == nil {
		l.drops = map[string]int{}
	}
	l.drops[reason] += n
}

// dropBy is drop for a rule of an operator.
func (l *ledger) dropBy(reason, rule string, n int) {
	l.drop(reason, n)
	l.ruledBy(rule, n)
}

// ruledBy notes for how many URLs a rule decided.
func (l *ledger) ruledBy(rule string, n int) {
	if rule == "" || n <= 0 {
		return
	}
	if l.ruled == nil {
		l.ruled = map[string]int{}
	}
	l.ruled[rule] += n
}

func (l *ledger) takeDrops() (drops, ruled map[string]int) {
	drops, ruled = l.drops, l.ruled
	l.drops, l.ruled = nil, nil
	return drops, ruled
}

// url is one row of the table url, with its place.
type url struct {
	path string
	at   table.Place
	row  *schema.UrlRow
}

func (u *url) key(h *hosts.Host) schema.RowKey { return schema.JoinRowKey(h.Name, u.path) }

// urls returns the rows of those paths of a host that are known.
func (l *ledger) urls(ctx context.Context, h *hosts.Host, paths ...string) (map[string]*url, error) {
	out := make(map[string]*url, len(paths))
	err := table.EachURL(ctx, l.batch, h.Name, len(h.Row.TierUrls), paths, func(path string, at table.Place, st state.Value) error {
		row := &schema.UrlRow{}
		out[path] = &url{path, at, row}
		if err := row.UnmarshalVT(st.Bytes()); err != nil {
			return fmt.Errorf("url %s%s: %w", h.Name, path, err)
		}
		return nil
	})
	return out, err
}

// known returns which paths of a host have a row, without decoding the rows.
func (l *ledger) known(ctx context.Context, h *hosts.Host, paths []string) (map[string]bool, error) {
	out := make(map[string]bool, len(paths))
	err := table.EachURL(ctx, l.batch, h.Name, len(h.Row.TierUrls), paths, func(path string, _ table.Place, _ state.Value) error {
		out[path] = true
		return nil
	})
	return out, err
}

// one returns the host and the row of a row key in a record for that host. The url is nil if it is
// not known. A malformed row key, or one of another host, is a dead letter.
func (l *ledger) one(ctx context.Context, name schema.Host, rowKey string) (*hosts.Host, *url, error) {
	key := schema.RowKey(rowKey)
	if key.Host() != name || !wellFormed(key.Path()) {
		return nil, nil, streams.DeadLetter("key", "row key %.200q in a record for host %q", rowKey, name)
	}
	h, err := l.hosts.Get(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	found, err := l.urls(ctx, h, key.Path())
	if err != nil {
		return nil, nil, err
	}
	return h, found[key.Path()], nil
}

// oneKnown is one, and counts a URL that is not known as dropped.
func (l *ledger) oneKnown(ctx context.Context, name schema.Host, rowKey string) (*hosts.Host, *url, error) {
	h, u, err := l.one(ctx, name, rowKey)
	if err == nil && u == nil {
		l.drop("unknown_url", 1)
	}
	return h, u, err
}

// wellFormed reports whether a string can be the path of a row key: visible ASCII that begins with
// ":http". Only new URLs are checked for being canonical.
func wellFormed(path string) bool {
	return len(path) >= len(":http/") && len(path) <= schema.MaxURLBytes && path[:5] == ":http" && visible(path)
}

// visible reports whether a text has only visible ASCII characters.
func visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// tally is the contribution of one URL to the counts of its host's row.
type tally struct {
	status schema.UrlRow_Status
	cause  string
	load   float64 // re-crawls a day that its plan asks for
}

func tallyOf(row *schema.UrlRow) tally { return tally{row.Status, row.Reason, policy.Load(row)} }

// learner returns the host's row for policy to change. On a replay the row has the change already,
// so policy gets a copy.
func (l *ledger) learner(h *hosts.Host, first bool) *schema.HostRow {
	if first {
		return h.Row
	}
	return h.Row.CloneVT()
}

// write stages a URL's row. With counts = true its tally changes from before to the new one; on a
// replay the host's row has counted it already.
func (l *ledger) write(h *hosts.Host, u *url, before tally, in input, counts bool) {
	u.row.At = in.ts
	l.batch.Put(table.GroupURLs, state.Mutation{
		Table: schema.URLTable, TS: in.ts,
		Key:   append(table.URLs(h.Name, u.at), state.Str(u.path)),
		Cells: state.Cells{table.Encode(u.row)},
	})
	if after := tallyOf(u.row); counts && after != before {
		l.counts.move(h, before, after)
	}
}

// queueUp puts a URL where it waits for its next fetch: in a queue if it is due, in the calendar if
// it is due later. due = 0: it stays where it is.
func (l *ledger) queueUp(in input, h *hosts.Host, u *url, due int64, class int32, first bool) {
	switch {
	case due == 0:
		return
	case due > in.now:
		u.row.Queued = false
		u.row.NextDue = l.wheel.Put(calendar.Item{Host: h.Name, Path: u.path, Class: class, Rev: u.row.Rev, Due: due},
			in.ts, in.now, first)
		return
	}
	u.row.Queued, u.row.NextDue = true, due
	if first {
		l.hosts.Append(h, class, u.path, in.ts)
	}
}

// isDue reports whether a URL may be fetched now: it was put in a queue, its time has come, or its
// slot of the calendar was closed and moved to the queues.
func (l *ledger) isDue(h *hosts.Host, row *schema.UrlRow) bool {
	switch {
	case row.NextDue == 0:
		return false
	case row.Queued || row.NextDue <= l.now:
		return true
	}
	return l.wheel.Passed(h.Name, row.NextDue)
}

// alive implements calendar.Alive: it keeps an item if its URL's row still has the rev and the slot
// of the item and is in no queue.
func (l *ledger) alive(ctx context.Context, items []calendar.Item) ([]calendar.Item, error) {
	byHost := map[schema.Host][]string{}
	for _, x := range items {
		byHost[x.Host] = append(byHost[x.Host], x.Path)
	}
	rows := map[schema.RowKey]*schema.UrlRow{}
	for name, paths := range byHost {
		h, err := l.hosts.Get(ctx, name)
		if err != nil {
			return nil, err
		}
		found, err := l.urls(ctx, h, paths...)
		if err != nil {
			return nil, err
		}
		for _, u := range found {
			rows[u.key(h)] = u.row
		}
	}
	out := items[:0]
	for _, x := range items {
		row := rows[schema.JoinRowKey(x.Host, x.Path)]
		if row != nil && row.Rev == x.Rev && !row.Queued && calendar.SlotOf(row.NextDue) == x.Slot {
			x.Due = row.NextDue
			out = append(out, x)
		}
	}
	return out, nil
}

// gone sends the records that remove a URL's document and links, with the rev and reason in its
// row.
func (l *ledger) gone(in input, h *hosts.Host, u *url) {
	key := u.key(h)
	l.out.extracted.Send(&schema.Extracted{Body: &schema.Extracted_Gone{Gone: &schema.Gone{
		RowKey: string(key), Url: key.URL(), Site: h.Row.Site, Rev: u.row.GoneRev,
		Edition: u.row.DigestEdition, Reason: u.row.GoneReason, MovedTo: u.row.RedirectTo, At: in.at,
	}}})
	l.out.found.Send(&schema.Found{Body: &schema.Found_Page{Page: &schema.PageLinks{
		RowKey: string(key), Site: h.Row.Site, Rev: u.row.GoneRev, Edition: u.row.DigestEdition,
		Gone: true, MovedTo: u.row.RedirectTo, At: in.at,
	}}})
}
