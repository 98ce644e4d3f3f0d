package schedule

import (
	"context"
	"fmt"
	"strings"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// visitor holds the functions that a walk calls for known URLs.
type visitor struct {
	visit func(*hosts.Host, *url)
	again func(prefix, cursor string) *schema.Discovered // builds the record that continues the walk
}

// walk visits the known URLs with a prefix, at most stepRows rows in one record. A prefix with a
// path is walked here, or sent to the owner of its host. A prefix that names a site or some of its
// hosts is sent to the owner of each host.
func (w *walks) walk(ctx context.Context, in input, name schema.Host, prefix, cursor string, v visitor) error {
	key := schema.RowKey(prefix)
	if key.Path() == "" {
		return w.fanOut(ctx, in, name, prefix, cursor, v)
	}
	if key.Host() != name {
		next := v.again(prefix, cursor)
		next.Host, next.DiscoveredAt = string(key.Host()), in.at
		w.ledger.out.discovered.Send(next)
		return nil
	}
	return w.walkHost(ctx, in, name, key.Path(), cursor, v)
}

// fanOut sends the walk to every host of a site whose name begins with prefix, at most stepRows
// hosts per record.
func (w *walks) fanOut(ctx context.Context, in input, name schema.Host, prefix, cursor string, v visitor) error {
	if !visible(prefix) || !visible(cursor) {
		return streams.DeadLetter("key", "prefix %.200q", prefix)
	}
	site := schema.SiteOf(schema.Host(strings.TrimSuffix(prefix, ".")).Name())
	from := []state.Value{state.Str(max(prefix, cursor))}
	rows, err := w.ledger.batch.Slice(ctx, schema.SiteHost, state.Key{state.Str(string(site))}, from, stepRows)
	if err != nil {
		return err
	}
	for _, r := range rows {
		host := r.Key[1].Str()
		if !strings.HasPrefix(host, prefix) {
			return nil
		}
		next := v.again(host+":", "")
		next.Host, next.DiscoveredAt = host, in.at
		w.ledger.out.discovered.Send(next)
	}
	if len(rows) == stepRows {
		next := v.again(prefix, rows[len(rows)-1].Key[1].Str()+"!") // "!" sorts after this host and before every other
		next.Host, next.DiscoveredAt = string(name), in.at
		w.ledger.out.discovered.Send(next)
	}
	return nil
}

// walkHost visits the URLs of one host, bucket by bucket. The cursor is the bucket and the path
// after which it continues.
func (w *walks) walkHost(ctx context.Context, in input, name schema.Host, prefix, cursor string, v visitor) error {
	h, err := w.ledger.hosts.Get(ctx, name)
	if err != nil {
		return err
	}
	at, from, err := parseCursor(cursor)
	if err != nil {
		return err
	}
	found, next, err := w.walkBuckets(ctx, h, prefix, at, max(prefix, from))
	if err != nil {
		return err
	}
	for _, u := range found {
		v.visit(h, u)
	}
	if next != "" {
		m := v.again(string(name)+prefix, next)
		m.Host, m.DiscoveredAt = string(name), in.at
		w.ledger.out.discovered.Send(m)
	}
	w.ledger.front.Place(h.Lane, w.ledger.now)
	return nil
}

// walkBuckets reads up to stepRows rows with a prefix, from at most stepReads reads. It returns the
// cursor to continue with, "" at the end.
func (w *walks) walkBuckets(ctx context.Context, h *hosts.Host, prefix string, at table.Place, from string) ([]*url, string, error) {
	var found []*url
	for reads := 0; at.Tier < len(h.Row.TierUrls); reads++ {
		if len(found) >= stepRows || reads >= stepReads {
			return found, cursorOf(at, from), nil
		}
		limit := stepRows - len(found)
		rows, err := w.ledger.batch.Slice(ctx, schema.URLTable, table.URLs(h.Name, at), []state.Value{state.Str(from)}, limit)
		if err != nil {
			return nil, "", err
		}
		ended := len(rows) < limit
		for _, r := range rows {
			u := &url{path: r.Key[3].Str(), at: at, row: &schema.UrlRow{}}
			if ended = !strings.HasPrefix(u.path, prefix); ended {
				break
			}
			if err := u.row.UnmarshalVT(r.Cells[0].Bytes()); err != nil {
				return nil, "", fmt.Errorf("url %s%s: %w", h.Name, u.path, err)
			}
			found, from = append(found, u), u.path+"!" // paths are visible ASCII: no path sorts between the two
		}
		if ended || len(rows) < limit {
			at, from = at.Next(), prefix
		}
	}
	return found, "", nil
}

func cursorOf(at table.Place, from string) string {
	return fmt.Sprintf("%d/%d/%s", at.Tier, at.Bucket, from)
}

func parseCursor(s string) (at table.Place, from string, err error) {
	if s == "" {
		return table.Place{}, "", nil
	}
	parts := strings.SplitN(s, "/", 3)
	if len(parts) == 3 && visible(parts[2]) {
		if _, err = fmt.Sscanf(parts[0]+" "+parts[1], "%d %d", &at.Tier, &at.Bucket); err == nil &&
			at.Tier >= 0 && at.Tier <= table.LastTier && at.Bucket >= 0 && at.Bucket < 1<<(4*at.Tier) {
			return at, parts[2], nil
		}
	}
	return table.Place{}, "", streams.DeadLetter("key", "cursor %.200q", s)
}
