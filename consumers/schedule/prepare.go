package schedule

import (
	"context"

	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// Prepare implements streams.Preparer: it reads the rows of the URLs that the outcomes and digests
// of a round name, those of one host together. The batch keeps them until the round is settled. A
// host that is not in memory is left out: its records read what they need.
func (t *task) Prepare(ctx context.Context, records []*streams.Record[*schema.Discovered]) error {
	l := t.ledger
	t.before = l.batch.Savepoint()
	byHost := map[schema.Host][]string{}
	for _, r := range records {
		key := schema.RowKey(r.Value.GetOutcome().GetRowKey() + r.Value.GetDigest().GetRowKey()) // it has one of them
		if name := schema.Host(r.Value.GetHost()); key != "" && key.Host() == name && wellFormed(key.Path()) {
			byHost[name] = append(byHost[name], key.Path())
		}
	}
	for name, paths := range byHost {
		row := l.hosts.Peek(name)
		if row == nil || len(paths) < 2 {
			continue
		}
		err := table.EachURL(ctx, l.batch, name, len(row.TierUrls), paths, func(string, table.Place, state.Value) error { return nil })
		if err != nil {
			return err
		}
	}
	return nil
}
