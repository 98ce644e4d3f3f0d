package dedupe

import (
	"context"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// ahead reads the rows of one round together. Nobody else writes these rows during a round, and
// journal.overtaken detects it if somebody does, so the rows in memory are never stale.
type ahead struct{ *state.Ahead }

// preparing is a task that reads the rows of a round before it handles the records.
type preparing struct{ *task }

// Prepare reads the rows of a round together. An error makes the loop repeat the round.
func (t *preparing) Prepare(ctx context.Context, records []*streams.Record[*schema.Extracted]) error {
	t.savepoint()
	t.ahead.Forget()
	var list []subject
	for _, r := range records {
		if in, err := read(r); err == nil {
			list = append(list, in)
		}
	}
	if err := t.ahead.fetchRound(ctx, list); err != nil {
		return err
	}
	return t.checkAlone(ctx)
}

// fetchRound reads the rows that the records of a round need, in two steps: first those that the
// records name, then those that the rows of their pages and clusters name.
func (a ahead) fetchRound(ctx context.Context, list []subject) error {
	var first []state.Wanted
	for _, in := range list {
		first = append(first, state.Wanted{Table: schema.DocTable, Key: docKey(in.key)}, state.Wanted{Table: schema.Alias, Key: aliasKey(in.key)})
		if d := in.doc; d != nil {
			first = append(first, state.Wanted{Table: schema.Cluster, Key: clusterKey(d.Site, string(d.TextHash))})
			if to := canonicalOf(d.RowKey, &schema.DocRow{Own: d}); to != "" {
				first = append(first, state.Wanted{Table: schema.DocTable, Key: docKey(to)}, state.Wanted{Table: schema.Alias, Key: aliasKey(to)})
			}
		}
	}
	if err := a.Fetch(ctx, first); err != nil {
		return err
	}
	var then []state.Wanted
	for _, in := range list {
		then = a.named(then, in)
	}
	return a.Fetch(ctx, then)
}

// named adds to list the rows that a page's rows name: its old cluster, its old canonical, the
// pages that represent its clusters, and the pages that name it as canonical.
func (a ahead) named(list []state.Wanted, in subject) []state.Wanted {
	doc, alias, cluster := &schema.DocRow{}, &schema.AliasRow{}, &schema.ClusterRow{}
	if a.have(schema.DocTable, docKey(in.key), doc) && doc.Own != nil {
		if in.doc == nil || string(in.doc.TextHash) != string(doc.TextHash) {
			list = append(list, state.Wanted{Table: schema.Cluster, Key: clusterKey(doc.Own.Site, string(doc.TextHash))})
		}
		if to := canonicalOf(in.key, doc); to != "" && (in.doc == nil || in.doc.Canonical != to) {
			list = append(list, state.Wanted{Table: schema.Alias, Key: aliasKey(to)})
		}
	}
	if a.have(schema.Alias, aliasKey(in.key), alias) {
		for _, key := range alias.RowKeys {
			list = append(list, state.Wanted{Table: schema.DocTable, Key: docKey(key)})
		}
	}
	if in.doc != nil && a.have(schema.Cluster, clusterKey(in.site, string(in.doc.TextHash)), cluster) {
		for _, key := range []string{cluster.Published, cluster.First.GetNames()} {
			if key != "" {
				list = append(list, state.Wanted{Table: schema.DocTable, Key: docKey(key)})
			}
		}
	}
	return list
}

// have decodes a row from memory, and reports whether it is there.
func (a ahead) have(t *schema.Table, key state.Key, m message) bool {
	cells, ok := a.Look(t, key)
	return ok && m.UnmarshalVT(cells[0].Bytes()) == nil
}
