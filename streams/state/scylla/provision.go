package scylla

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gocql/gocql"
	"github.com/scylladb/gocqlx/v2"

	"millrace/schema"
	"millrace/streams/certs"
	"millrace/streams/state"
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

// connect opens a session, without a keyspace if keyspace is "". The driver cannot be interrupted
// while it connects; Options.Timeout bounds that time.
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
	if err != nil {
		return gocqlx.Session{}, fmt.Errorf("connect to %s, keyspace %q: %w", strings.Join(opts.Hosts, ","), keyspace, whyRefused(err, opts, keyspace))
	}
	return session, nil
}

// whyRefused adds to an error of a new session what the operator must do about it. The driver's
// errors differ only in their text. When a node ends the connection while the driver still writes,
// the node's reason may be lost on the way; then the error only names what is likely.
func whyRefused(err error, opts Options, keyspace string) error {
	text := err.Error()
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
	}
	switch {
	case has("certificate signed by unknown authority"):
		return denied(err, "the nodes' certificate is signed by an authority that is not trusted: name the right one (--store-ca)")
	case has("certificate is valid for", "doesn't contain any IP SANs", "not valid for any names"):
		return denied(err, "the nodes' certificate is for another name: set the name it has (--store-server-name)")
	case has("certificate has expired", "not yet valid"):
		return denied(err, "the nodes' certificate is not valid: "+certs.WhenValid(text))
	case has("remote error: tls"):
		return denied(err, "the nodes refuse the TLS connection, as they do without the client's certificate they ask for (--store-cert, --store-key)")
	case has("first record does not look like a TLS handshake"):
		return denied(err, "the nodes do not speak TLS at this address: leave --store-tls and its files out, or name another port")
	case has("username and/or password are incorrect", "Username and/or password are incorrect", "password are incorrect", "Bad credentials"):
		return denied(err, "the login was refused: user or password is wrong (--store-user, --store-password-file)")
	case has("authentication required"):
		return denied(err, "the nodes ask for a login (--store-user, --store-password-file)")
	case opts.TLS && opts.CertFile == "" && has("no response to connection startup", "connection reset by peer", "broken pipe", "EOF"):
		return fmt.Errorf("%w: the nodes end the TLS connection before they answer, as they do without the client's certificate they ask for (--store-cert, --store-key)", err)
	case keyspace != "" && errors.Is(err, gocql.ErrNoConnectionsStarted): // the driver gives no better reason
		return fmt.Errorf("%w: is the keyspace provisioned (millrace provision makes what is missing), and may this user see it?", err)
	}
	return err
}

func denied(err error, why string) error { return fmt.Errorf("%w: %s: %w", state.ErrDenied, why, err) }

// CheckWrites returns an error, of kind state.ErrDenied, if this user may not write. To find out it
// deletes a row that does not exist, with timestamp 1, which is lower than that of every other
// write.
func (s *Store) CheckWrites(ctx context.Context) error {
	t := schema.Meta
	err := kindOf(s.query(ctx, remove(t, len(t.Partition)), int64(1), "no such row").ExecRelease())
	if err != nil {
		return fmt.Errorf("write to %s: %w", t.Name, err)
	}
	return nil
}

// DDL returns the statements that Provision executes, as a script for operators.
func DDL(keyspace string, replicationFactor int) string {
	return strings.Join(ddl(keyspace, replicationFactor, schema.Tables()), ";\n\n") + ";\n"
}

// ddl lists the statements that create keyspace and tables if they do not exist. ScyllaDB's tablets
// need NetworkTopologyStrategy.
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
