package schedule

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/heap"
	"millrace/streams/state"
)

// Known is a URL that has a row.
type Known struct {
	Key  schema.RowKey
	Site schema.Site
	Row  *schema.UrlRow
}

// Limits of Browse: hosts read at a time, and the most buckets of one host for one answer.
const (
	browseHosts   = 1000
	browseBuckets = 1 + 16 + 256 + 4096
)

// Browse returns up to n known URLs whose row keys begin with prefix and sort after the key after,
// in order. A prefix without a path stands for the hosts of a site whose names begin with it:
// "com.example" for example.com and all its subdomains. It reads only rows of those hosts.
func Browse(ctx context.Context, s state.Store, prefix, after string, n int) ([]Known, error) {
	key := schema.RowKey(prefix)
	if key.Path() != "" {
		return browseHost(ctx, s, key.Host(), key.Path(), pathAfter(key.Host(), after), n)
	}
	var out []Known
	from := max(prefix, string(schema.RowKey(after).Host()))
	site := schema.SiteOf(schema.Host(strings.TrimSuffix(prefix, ".")).Name())
	for {
		rows, err := s.Slice(ctx, schema.SiteHost, state.Key{state.Str(string(site))}, []state.Value{state.Str(from)}, browseHosts)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			host := r.Key[1].Str()
			if len(out) >= n || !strings.HasPrefix(host, prefix) {
				return out, nil
			}
			some, err := browseHost(ctx, s, schema.Host(host), "", pathAfter(schema.Host(host), after), n-len(out))
			if err != nil {
				return nil, err
			}
			out, from = append(out, some...), host+"!"
		}
		if len(rows) < browseHosts {
			return out, nil
		}
	}
}

// pathAfter returns the path of the key after if it is of this host, else "".
func pathAfter(host schema.Host, after string) string {
	if key := schema.RowKey(after); key.Host() == host {
		return key.Path()
	}
	return ""
}

// browseHost reads up to n rows of each bucket of a host, from the prefix on, and sorts them.
func browseHost(ctx context.Context, s state.Store, host schema.Host, prefix, after string, n int) ([]Known, error) {
	row := &schema.HostRow{}
	found, err := table.Read(ctx, s, schema.HostTable, table.Host(host), row)
	if err != nil || !found {
		return nil, err
	}
	from := prefix
	if after != "" {
		from = max(prefix, after+"!") // paths are visible ASCII: no path sorts between the two
	}
	var out []Known
	at := table.Place{}
	for reads := 0; at.Tier < len(row.TierUrls) && reads < browseBuckets; reads++ {
		rows, err := s.Slice(ctx, schema.URLTable, table.URLs(host, at), []state.Value{state.Str(from)}, n)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			path := r.Key[3].Str()
			if !strings.HasPrefix(path, prefix) {
				break
			}
			u := &schema.UrlRow{}
			if err := u.UnmarshalVT(r.Cells[0].Bytes()); err != nil {
				return nil, fmt.Errorf("url %s%s: %w", host, path, err)
			}
			out = append(out, Known{schema.JoinRowKey(host, path), schema.Site(row.Site), u})
		}
		at = at.Next()
	}
	slices.SortFunc(out, func(a, b Known) int { return cmp.Compare(a.Key, b.Key) })
	return out[:min(n, len(out))], nil
}

// HostLine is a host in a list of hosts.
type HostLine struct {
	Name schema.Host
	Row  *schema.HostRow
}

// Waiting is the number of URLs that are still to be fetched for the first time, as in Status.
func (h HostLine) Waiting() int64 { return h.count(schema.UrlRow_QUEUED) }

// Entries is the number of entries in the host's queues that are not done. Re-crawls are among
// them, and a URL that moved to a better class is there twice.
func (h HostLine) Entries() int64 { return hosts.Queued(h.Row) }

// URLs is the number of known URLs of the host.
func (h HostLine) URLs() int64 { return hosts.URLs(h.Row) }

// Errors is the number of the host's URLs that are gone, failed or refused.
func (h HostLine) Errors() int64 {
	return h.count(schema.UrlRow_GONE) + h.count(schema.UrlRow_FAILED) + h.count(schema.UrlRow_REFUSED)
}

// Every is the mean interval at which the host's pages are planned to be fetched again; 0 if none
// is.
func (h HostLine) Every() time.Duration {
	f := h.Row.Freshness
	if f == nil || f.Pages <= 0 || !(f.Load > 0) {
		return 0
	}
	days := min(float64(f.Pages)/f.Load, 3660)
	return time.Duration(days * 24 * float64(time.Hour))
}

// Groups is the number of the host's pages by the interval of their plans, in the order of
// freshness.Intervals; nil if no page has a plan.
func (h HostLine) Groups() []int64 { return h.Row.Freshness.GetByInterval() }

func (h HostLine) count(s schema.UrlRow_Status) int64 {
	if int(s) < len(h.Row.Statuses) {
		return h.Row.Statuses[s]
	}
	return 0
}

// weight is the number that an order sorts by, highest first. "useful" sorts by pages that brought
// a text the host did not have, as patterns and status count them.
func (h HostLine) weight(order string) int64 {
	switch order {
	case "urls":
		return h.URLs()
	case "errors":
		return h.Errors()
	case "useful":
		return h.Row.Useful
	}
	return h.Waiting()
}

// lighter returns the less function of an order; hosts of equal weight are ordered by name.
func lighter(order string) func(a, b HostLine) bool {
	return func(a, b HostLine) bool {
		if x, y := a.weight(order), b.weight(order); x != y {
			return x < y
		}
		return a.Name > b.Name
	}
}

// Hosts returns the first n hosts of an order, and how many hosts there are. It reads the row of
// every host; with a site, only hosts of that site count.
func Hosts(ctx context.Context, s state.Store, order string, site schema.Site, n int) ([]HostLine, int64, error) {
	less := lighter(order)
	top, all := heap.Heap[HostLine]{Less: less}, int64(0)
	err := EachHost(ctx, s, func(h HostLine) error {
		if site != "" && h.Row.Site != string(site) {
			return nil
		}
		all++
		if top.Push(h); top.Len() > n {
			top.Pop()
		}
		return nil
	})
	slices.SortFunc(top.All(), func(a, b HostLine) int {
		if less(b, a) {
			return -1
		}
		return 1
	})
	return top.All(), all, err
}

// EachHost calls fn for every known host. It stops at the first error.
func EachHost(ctx context.Context, s state.Store, fn func(HostLine) error) error {
	shards := make([]state.Key, schema.Shards)
	for i := range shards {
		shards[i] = table.Shard(i)
	}
	for r, err := range state.Scan(ctx, s, schema.HostTable, shards) {
		if err != nil {
			return err
		}
		name, row, err := hosts.Decode(r)
		if err != nil {
			return err
		}
		if err := fn(HostLine{name, table.Normal(row, policy.Classes, hosts.Budgets)}); err != nil {
			return err
		}
	}
	return nil
}

// HasHost reports whether the crawl knows a host of a site whose name begins so, as in a row key;
// "": any host of the site.
func HasHost(ctx context.Context, s state.Store, site schema.Site, prefix string) (bool, error) {
	rows, err := s.Slice(ctx, schema.SiteHost, state.Key{state.Str(string(site))}, []state.Value{state.Str(prefix)}, 1)
	if err != nil {
		return false, fmt.Errorf("hosts of %s: %w", site, err)
	}
	return len(rows) > 0 && strings.HasPrefix(rows[0].Key[1].Str(), prefix), nil
}
