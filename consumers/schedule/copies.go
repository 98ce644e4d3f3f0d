package schedule

import (
	"bytes"
	"context"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/patterns"
	"millrace/schema"
)

// comparison is a page whose text a page may repeat, and whether it does.
type comparison struct {
	twin patterns.Twin
	same bool
}

// compared returns the pages of the host whose text a page may repeat, as far as their texts are
// known.
func (l *ledger) compared(ctx context.Context, h *hosts.Host, u *url, m *schema.Digest) ([]comparison, error) {
	if m.DropReason != "" || m.Noindex || len(m.TextHash) == 0 {
		return nil, nil
	}
	twins := h.Tree.Twins(u.path, sameHost(h, u.row.Source))
	if h.Tree.Had(m.Skeleton, m.TextHash) {
		twins = append(twins, h.Tree.Guesses(u.path)...)
	}
	rows, err := l.urls(ctx, h, twinPaths(twins)...)
	if err != nil {
		return nil, err
	}
	var out []comparison
	for _, x := range twins {
		if r := rows[x.Path]; r != nil && hasDocument(r.row) {
			out = append(out, comparison{x, bytes.Equal(r.row.TextHash, m.TextHash)})
		}
	}
	return out, nil
}

func twinPaths(twins []patterns.Twin) []string {
	paths := make([]string, len(twins))
	for i, x := range twins {
		paths[i] = x.Path
	}
	return paths
}

// hasDocument reports whether the last text of a page is known and became a document.
func hasDocument(row *schema.UrlRow) bool { return row.DigestRev > 0 && row.HadPage }

// likeness says what is known of the pages whose text a URL that was never fetched may repeat.
type likeness uint8

const (
	single  likeness = iota // none is known, or the URL is fetched as a sample (patterns.Sampled)
	awaits                  // one waits to be fetched, and it repeats no other
	arrives                 // one is at fetch, or was fetched in the last ten minutes and is not judged
	repeats                 // one has a document
)

// patience is how long (ms) a digest of another page is waited for.
const patience = 10 * 60 * 1000

// likeness returns what is known of the pages whose text a URL may repeat.
func (l *ledger) likeness(ctx context.Context, h *hosts.Host, u *url, inFlight func(schema.RowKey) bool) (likeness, error) {
	var paths []string
	if !patterns.Sampled(u.path) {
		if h.Tree.Repeats(u.path) {
			return repeats, nil
		}
		paths = sureTwins(h, u.path, u.row)
	}
	if len(paths) == 0 {
		return single, nil
	}
	rows, err := l.urls(ctx, h, paths...)
	if err != nil {
		return single, err
	}
	like := single
	for path, r := range rows {
		switch {
		case hasDocument(r.row):
			return repeats, nil
		case r.row.DigestRev > 0:
		case inFlight(r.key(h)) || r.row.Status == schema.UrlRow_FETCHED && r.row.AskedAt+patience > l.now:
			like = arrives
		case r.row.Status == schema.UrlRow_QUEUED && len(sureTwins(h, path, r.row)) == 0:
			like = max(like, awaits)
		}
	}
	return like, nil
}

// sureTwins returns the pages whose text URLs like this one repeat.
func sureTwins(h *hosts.Host, path string, row *schema.UrlRow) []string {
	if !h.Tree.Copies() {
		return nil
	}
	var out []string
	for _, x := range h.Tree.Twins(path, sameHost(h, row.Source)) {
		if x.Sure {
			out = append(out, x.Path)
		}
	}
	return out
}
