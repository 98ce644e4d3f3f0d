package wire

import (
	"context"
	"fmt"

	"millrace/ops/watch"
	"millrace/schema"
	"millrace/streams/state"
)

// accountRows is the number of hosts read at once.
const accountRows = 1000

// Account reads from the store where every URL is: the frontier as it was last
// written, whether the group schedule runs or not. It reads all hosts, and on a
// cluster asks for 4,096 partitions: for a summary, not for a dashboard.
func (s *System) Account(ctx context.Context) (*watch.Frontier, error) {
	f := &watch.Frontier{ByStatus: map[string]int64{}, ByReason: map[string]int64{}}
	for shard := range schema.Shards {
		if err := s.accountShard(ctx, shard, f); err != nil {
			return nil, fmt.Errorf("hosts of shard %d: %w", shard, err)
		}
	}
	return f, nil
}

func (s *System) accountShard(ctx context.Context, shard int, f *watch.Frontier) error {
	var from []state.Value
	for {
		rows, err := s.Store.Slice(ctx, schema.HostTable, state.Key{state.Num(int64(shard))}, from, accountRows)
		if err != nil {
			return err
		}
		for _, r := range rows {
			var host schema.HostRow
			if err := host.UnmarshalVT(r.Cells[0].Bytes()); err != nil {
				return fmt.Errorf("host %s: %w", r.Key[1].Str(), err)
			}
			accountHost(&host, f)
		}
		if len(rows) < accountRows {
			return nil
		}
		from = []state.Value{state.Str(rows[len(rows)-1].Key[1].Str() + "\x00")} // the next possible name
	}
}

func accountHost(host *schema.HostRow, f *watch.Frontier) {
	f.Hosts++
	f.Fetched += host.Fetched
	for _, q := range host.Queues {
		f.Queued += q.Tail - q.Head
	}
	for status, n := range host.Statuses {
		if n != 0 {
			f.ByStatus[schema.UrlRow_Status(status).String()] += n
		}
	}
	for _, c := range host.Causes {
		if c.N != 0 {
			f.ByReason[c.Name] += c.N
		}
	}
}
