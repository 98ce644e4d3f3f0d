package schedule

import (
	"context"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// url is one row of the table url, and where it stands.
type url struct {
	path string
	at   place
	row  *schema.UrlRow
}

func (u *url) key(h *host) schema.RowKey { return schema.JoinRowKey(h.name, u.path) }

// urls returns those of a host's URLs that are known, by path.
func (t *task) urls(ctx context.Context, h *host, paths ...string) (map[string]*url, error) {
	out := make(map[string]*url, len(paths))
	err := rowsOf(ctx, t.batch, h.name, len(h.row.TierUrls), paths, func(path string, at place, st state.Value) error {
		row := &schema.UrlRow{}
		out[path] = &url{path, at, row}
		return row.UnmarshalVT(st.Bytes())
	})
	return out, err
}

// known returns those of a host's paths that have a row.
func (t *task) known(ctx context.Context, h *host, paths []string) (map[string]bool, error) {
	out := make(map[string]bool, len(paths))
	err := rowsOf(ctx, t.batch, h.name, len(h.row.TierUrls), paths, func(path string, _ place, _ state.Value) error {
		out[path] = true
		return nil
	})
	return out, err
}

// one returns the host and row of a row key that a record for host names. The
// url is nil if it is not known.
func (t *task) one(ctx context.Context, name schema.Host, rowKey string) (*host, *url, error) {
	key := schema.RowKey(rowKey)
	if key.Host() != name || !wellFormed(key.Path()) {
		return nil, nil, streams.Poison("key", "row key %.200q in a record for host %q", rowKey, name)
	}
	h, err := t.host(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	found, err := t.urls(ctx, h, key.Path())
	if err != nil {
		return nil, nil, err
	}
	return h, found[key.Path()], nil
}

// wellFormed reports whether a string can be the path of a row key: visible
// ASCII that begins as one. Whether it is canonical is asked of new URLs only.
func wellFormed(path string) bool {
	if len(path) < len(":http/") || len(path) > schema.MaxURLBytes || path[:5] != ":http" {
		return false
	}
	for i := range len(path) {
		if path[i] <= ' ' || path[i] > '~' {
			return false
		}
	}
	return true
}

// tally is what a URL counts as in its host's row.
type tally struct {
	status schema.UrlRow_Status
	cause  string
}

func tallyOf(row *schema.UrlRow) tally { return tally{row.Status, row.Reason} }

// write stages a URL's row. before is what it counted as; it is counted anew
// unless the host's row has this record already.
func (t *task) write(h *host, u *url, before tally, in input, counts bool) {
	u.row.At = in.ts
	t.put(groupURLs, state.Mutation{
		Table: schema.URLTable, TS: in.ts,
		Key:   append(urlPartition(h.name, u.at.tier, u.at.bucket), state.Str(u.path)),
		Cells: state.Cells{encode(u.row)},
	})
	if after := tallyOf(u.row); counts && after != before {
		t.count(h.row, before, -1)
		t.count(h.row, after, 1)
	}
}

func (t *task) count(row *schema.HostRow, c tally, n int64) {
	if c.status == schema.UrlRow_UNSPECIFIED {
		return
	}
	row.Statuses[c.status] += n
	t.totals.add(c, n)
	if c.cause == "" {
		return
	}
	for _, known := range row.Causes {
		if known.Name == c.cause {
			known.N += n
			return
		}
	}
	row.Causes = append(row.Causes, &schema.Count{Name: c.cause, N: n})
}
