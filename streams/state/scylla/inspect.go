package scylla

import (
	"context"
	"fmt"
	"strconv"

	"github.com/scylladb/gocqlx/v2"

	"millrace/schema"
)

// Cluster describes the nodes and the keyspace that Inspect finds.
type Cluster struct {
	Nodes  int  // in the data centre with the fewest
	Exists bool // the keyspace exists
	Copies int  // of a row, in the data centre with the most
}

// Inspect returns the number of nodes and the keyspace's copies, and changes nothing.
func Inspect(ctx context.Context, opts Options) (Cluster, error) {
	session, err := connect(ctx, opts, "")
	if err != nil {
		return Cluster{}, err
	}
	defer session.Close()
	nodes, err := nodes(ctx, session)
	if err != nil {
		return Cluster{}, fmt.Errorf("nodes of the cluster: %w", kindOf(err))
	}
	c := Cluster{Nodes: nodes}
	c.Copies, c.Exists, err = copies(ctx, session, opts.Keyspace)
	if err != nil {
		return Cluster{}, fmt.Errorf("keyspace %s: %w", opts.Keyspace, kindOf(err))
	}
	return c, nil
}

// nodes counts the nodes of the smallest data centre: Provision keeps the same number of copies in
// each.
func nodes(ctx context.Context, session gocqlx.Session) (int, error) {
	by := map[string]int{}
	for _, table := range []string{"system.local", "system.peers"} {
		var centres []string
		if err := session.ContextQuery(ctx, "SELECT data_center FROM "+table, nil).SelectRelease(&centres); err != nil {
			return 0, err
		}
		for _, c := range centres {
			by[c]++
		}
	}
	least := 0
	for _, n := range by {
		if least == 0 || n < least {
			least = n
		}
	}
	return least, nil
}

// copies reads how many copies of a row a keyspace keeps.
func copies(ctx context.Context, session gocqlx.Session, keyspace string) (most int, exists bool, err error) {
	var rows []map[string]string
	q := session.ContextQuery(ctx, "SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?", nil).Bind(keyspace)
	if err := q.SelectRelease(&rows); err != nil || len(rows) == 0 {
		return 0, false, err
	}
	for name, value := range rows[0] {
		if n, err := strconv.Atoi(value); err == nil && name != "class" {
			most = max(most, n)
		}
	}
	return most, true, nil
}

// Provisioned reports whether the keyspace and its table meta exist.
func Provisioned(ctx context.Context, opts Options) (bool, error) {
	session, err := connect(ctx, opts, "")
	if err != nil {
		return false, err
	}
	defer session.Close()
	var found []string
	q := session.ContextQuery(ctx, "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?", nil).
		Bind(opts.Keyspace, schema.Meta.Name)
	err = q.SelectRelease(&found)
	return len(found) > 0, kindOf(err)
}
