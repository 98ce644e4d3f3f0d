package ranks

import "context"

// name is the row key and the site of a page. They never change.
type name struct{ rowKey, site string }

// names keeps the names of pages: a page of a growing graph is published many times. Those that
// were not asked for lately are dropped.
type names struct{ young, old map[uint64]name }

// mostNames is how many names a generation has: two of them are 7 MB at most with URLs of 70 bytes.
const mostNames = 1 << 15

// of returns the name of the page with an id, from the graph if it is not in memory; without a row
// key if the graph does not have the page.
func (k *names) of(ctx context.Context, g Graph, id uint64) (name, error) {
	n, ok := k.young[id]
	if ok {
		return n, nil
	}
	if n, ok = k.old[id]; !ok {
		row, err := g.Page(ctx, id)
		if err != nil || row == nil {
			return name{}, err
		}
		n = name{row.RowKey, row.Site}
	}
	if k.young == nil || len(k.young) == mostNames {
		k.young, k.old = map[uint64]name{}, k.young
	}
	k.young[id] = n
	return n, nil
}
