// Package known writes the state of a crawl that knows many URLs, for programs that measure one.
package known

import (
	"context"
	"fmt"
	"sync"
	"time"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
)

// PagesPerHost is how many fetched pages a host has.
const PagesPerHost = 10

// Status is that of the URLs.
const Status = schema.UrlRow_FETCHED

const (
	slotMs  = 600_000
	daySlot = 144
	batch   = 1000 // hosts that are written at once
)

// Fill writes what a crawl leaves: hosts with fetched pages, due again over the week from a time
// on.
func Fill(ctx context.Context, store state.Store, hostCount int, at time.Time) error {
	start := at.UnixMilli()
	const writers = 4
	errs := make([]error, writers)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for from := w * batch; from < hostCount && errs[w] == nil; from += writers * batch {
				errs[w] = fillSome(ctx, store, from, min(from+batch, hostCount), start)
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	var rows []state.Mutation
	for shard := range schema.Shards {
		row := &schema.ShardRow{At: 1, Slot: start / slotMs, Open: start / slotMs}
		rows = append(rows, state.Mutation{Table: schema.ShardTable, TS: 1, Key: table.Shard(shard), Cells: state.Cells{table.Encode(row)}})
	}
	return store.Write(ctx, rows)
}

func fillSome(ctx context.Context, store state.Store, from, to int, start int64) error {
	var urls, later, rows []state.Mutation
	for i := from; i < to; i++ {
		h := schema.Host(fmt.Sprintf("com.h%d", i))
		shard := schema.Shard(h)
		row := table.Normal(&schema.HostRow{At: 1, Site: string(schema.SiteOf(h.Name())), TierUrls: []int64{PagesPerHost},
			Contacted: true, FirstAt: 1, Fetched: PagesPerHost}, policy.Classes, hosts.Budgets)
		row.Statuses[schema.UrlRow_FETCHED] = PagesPerHost
		rows = append(rows, state.Mutation{Table: schema.HostTable, TS: 1, Key: table.Host(h), Cells: state.Cells{table.Encode(row)}})
		for k := range PagesPerHost {
			path := fmt.Sprintf(":http/p%d", k)
			due := start + int64(i*PagesPerHost+k)*7919%(7*24*3600*1000)
			slot := due / slotMs
			u := &schema.UrlRow{At: 1, Status: schema.UrlRow_FETCHED, Rev: 5, Class: 5, Kind: schema.Kind_PAGE, NextDue: due}
			urls = append(urls, state.Mutation{Table: schema.URLTable, TS: 1, Cells: state.Cells{table.Encode(u)},
				Key: append(table.URLs(h, table.PlaceOf(path, 0)), state.Str(path))})
			later = append(later, state.Mutation{Table: schema.Later, TS: 1, Cells: state.Cells{state.Num(5), state.Num(5)},
				Key: append(table.Later(shard, (slot+int64(shard)%daySlot)/daySlot), state.Num(slot), state.Str(string(h)), state.Str(path))})
		}
	}
	return store.Write(ctx, later, rows, urls)
}
