package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"millrace/bench/wide"
	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
)

// fill writes hosts whose URLs wait for their first fetch, as a crawl that was stopped leaves them.
func fill(ctx context.Context, store state.Store, w wide.Web, now time.Time) error {
	const batch = 100 // hosts that are written at once
	for from := 0; from < w.Pages; from += batch * wide.HostPages {
		if err := fillSome(ctx, store, w, from, min(from+batch*wide.HostPages, w.Pages), now.UnixMilli()); err != nil {
			return err
		}
	}
	return nil
}

func fillSome(ctx context.Context, store state.Store, w wide.Web, from, to int, now int64) error {
	const class = policy.ClassRest
	var todo, rows, urls []state.Mutation
	for first := from; first < to; first += wide.HostPages {
		n := min(wide.HostPages, to-first)
		host, _, _ := strings.Cut(strings.TrimPrefix(w.URL(first), "http://"), "/")
		h := schema.HostOf(host)
		row := table.Normal(&schema.HostRow{At: 1, Site: string(schema.SiteOf(h.Name())), TierUrls: []int64{int64(n)},
			FirstAt: 1, FirstSeen: now}, policy.Classes, hosts.Budgets)
		row.Statuses[schema.UrlRow_QUEUED] = int64(n)
		row.Queues[class].Tail = int64(n)
		rows = append(rows, state.Mutation{Table: schema.HostTable, TS: 1, Key: table.Host(h), Cells: state.Cells{table.Encode(row)}})
		for k := range n {
			path := fmt.Sprintf(":http/page/%d", first+k)
			todo = append(todo, state.Mutation{Table: schema.Todo, TS: 1, Cells: state.Cells{state.Str(path)},
				Key: append(table.Todo(h, class, 0), state.Num(int64(k)))})
			u := &schema.UrlRow{At: 1, Status: schema.UrlRow_QUEUED, Class: class, Kind: schema.Kind_PAGE, Queued: true,
				NextDue: now, DiscoveredAt: now, Source: "seeds", Depth: 1}
			urls = append(urls, state.Mutation{Table: schema.URLTable, TS: 1, Cells: state.Cells{table.Encode(u)},
				Key: append(table.URLs(h, table.PlaceOf(path, 0)), state.Str(path))})
		}
	}
	return store.Write(ctx, todo, rows, urls)
}
