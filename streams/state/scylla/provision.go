package scylla

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gocql/gocql"
	"github.com/scylladb/gocqlx/v2"

	"millrace/schema"
)

// Provision creates the keyspace and the tables of schema.Tables where they are
// missing.
func Provision(ctx context.Context, opts Options) error {
	return provision(ctx, opts, schema.Tables())
}

func provision(ctx context.Context, opts Options, tables []*schema.Table) error {
	session, err := connect(ctx, opts, "")
	if err != nil {
		return err
	}
	defer session.Close()
	for _, stmt := range ddl(opts.Keyspace, opts.ReplicationFactor, tables) {
		if err := session.ContextQuery(ctx, stmt, nil).ExecRelease(); err != nil {
			what, _, _ := strings.Cut(stmt, " (")
			return fmt.Errorf("%s: %w", what, kindOf(err))
		}
	}
	return session.AwaitSchemaAgreement(ctx)
}

// connect opens a session; an empty keyspace is none. The driver cannot be
// interrupted while it connects, but Options.Timeout bounds it.
func connect(ctx context.Context, opts Options, keyspace string) (gocqlx.Session, error) {
	if err := opts.Validate(); err != nil {
		return gocqlx.Session{}, fmt.Errorf("cql options: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return gocqlx.Session{}, err
	}
	config, err := opts.cluster()
	if err != nil {
		return gocqlx.Session{}, fmt.Errorf("cql options: %w", err)
	}
	config.Keyspace = keyspace
	session, err := gocqlx.WrapSession(config.CreateSession())
	if keyspace != "" && errors.Is(err, gocql.ErrNoConnectionsStarted) {
		err = fmt.Errorf("%w: is the keyspace provisioned?", err) // all that the driver tells
	}
	if err != nil {
		return gocqlx.Session{}, fmt.Errorf("connect to %s, keyspace %q: %w", strings.Join(opts.Hosts, ","), keyspace, err)
	}
	return session, nil
}

// DDL returns what Provision executes, as a script for operators.
func DDL(keyspace string, replicationFactor int) string {
	return strings.Join(ddl(keyspace, replicationFactor, schema.Tables()), ";\n\n") + ";\n"
}

// ddl lists statements that change nothing where they were executed before.
// NetworkTopologyStrategy is what ScyllaDB's tablets need.
func ddl(keyspace string, replicationFactor int, tables []*schema.Table) []string {
	list := []string{fmt.Sprintf(
		"CREATE KEYSPACE IF NOT EXISTS %s\n    WITH replication = {'class': 'NetworkTopologyStrategy', 'replication_factor': %d}",
		keyspace, replicationFactor)}
	for _, t := range tables {
		list = append(list, createTable(keyspace, t))
	}
	return list
}

func createTable(keyspace string, t *schema.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE IF NOT EXISTS %s.%s (\n", keyspace, t.Name)
	for _, c := range columns(t) {
		fmt.Fprintf(&b, "    %s %s,\n", c.Name, cqlType(c.Type))
	}
	key := append([]string{"(" + strings.Join(names(t.Partition), ", ") + ")"}, names(t.Clustering)...)
	fmt.Fprintf(&b, "    PRIMARY KEY (%s)\n) WITH comment = '%s'",
		strings.Join(key, ", "), strings.ReplaceAll(t.Comment, "'", "''"))
	if t.Rewritten {
		b.WriteString("\n    AND compaction = {'class': 'LeveledCompactionStrategy'}")
	}
	return b.String()
}

func cqlType(t schema.ColumnType) string {
	return map[schema.ColumnType]string{
		schema.Text: "text", schema.Blob: "blob", schema.TinyInt: "tinyint",
		schema.SmallInt: "smallint", schema.Int: "int", schema.BigInt: "bigint",
	}[t]
}
