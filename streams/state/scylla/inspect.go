package scylla

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scylladb/gocqlx/v2"

	"millrace/schema"
)

// Cluster describes the nodes and the keyspace that Inspect finds.
type Cluster struct {
	Nodes  int  // in the data centre with the fewest
	Exists bool // the keyspace exists
	Copies int  // of a row, in the data centre with the most

	// Sync is the commitlog_sync of the node that answers: "periodic", "batch" or "group"; "" where
	// it may not be read.
	Sync string
}

// MayLose reports whether acknowledged rows are lost when a node is killed or loses power: there is
// one copy of a row, and a node that syncs periodically replays its commit log up to the last sync.
func MayLose(copies int, sync string) bool { return copies == 1 && sync == "periodic" }

// MayLose reports it of the keyspace of an open store; false if the nodes do not say.
func (s *Store) MayLose(ctx context.Context) bool {
	n, exists, err := copies(ctx, s.session, s.keyspace)
	return err == nil && exists && MayLose(n, commitLogSync(ctx, s.session))
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
	c.Sync = commitLogSync(ctx, session)
	return c, nil
}

// commitLogSync reads when nodes sync their commit log; "" if they do not say. Cassandra shows it
// in system_views.settings, ScyllaDB, as JSON, in system.config.
func commitLogSync(ctx context.Context, session gocqlx.Session) string {
	for _, table := range []string{"system_views.settings", "system.config"} {
		var found []string
		q := session.ContextQuery(ctx, "SELECT value FROM "+table+" WHERE name = 'commitlog_sync'", nil)
		if err := q.SelectRelease(&found); err == nil && len(found) == 1 {
			return strings.Trim(found[0], `"`)
		}
	}
	return ""
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

// Provisioned reports whether the keyspace and its table meta exist, and which of the other tables
// are missing then.
func Provisioned(ctx context.Context, opts Options) (ready bool, missing []string, err error) {
	session, err := connect(ctx, opts, "")
	if err != nil {
		return false, nil, err
	}
	defer session.Close()
	var found []string
	q := session.ContextQuery(ctx, "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?", nil).Bind(opts.Keyspace)
	if err := q.SelectRelease(&found); err != nil || !slices.Contains(found, schema.Meta.Name) {
		return false, nil, kindOf(err)
	}
	for _, t := range schema.Tables() {
		if !slices.Contains(found, t.Name) {
			missing = append(missing, t.Name)
		}
	}
	return true, missing, nil
}
