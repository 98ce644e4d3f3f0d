package scylla

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"millrace/ops/cluster/clustertest"
	"millrace/schema"
	"millrace/streams/state"
	"millrace/streams/state/statetest"
)

// The driver sleeps 10 s after a server came up, and does not hear of Close.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/gocql/gocql.(*Session).handleNodeUp"))
}

// provisioned returns options of a keyspace that goes with the test.
func provisioned(t testing.TB) Options {
	o := DefaultOptions()
	o.Hosts = clustertest.CQL(t)
	o.Keyspace = clustertest.Name(t)
	o.ReplicationFactor = len(o.Hosts)
	if err := provision(t.Context(), o, statetest.Tables()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dropKeyspace(t, o) })
	return o
}

func dropKeyspace(t testing.TB, o Options) {
	session, err := connect(context.Background(), o, "")
	if err != nil {
		t.Error(err)
		return
	}
	defer session.Close()
	if err := session.ExecStmt("DROP KEYSPACE " + o.Keyspace); err != nil {
		t.Error(err)
	}
}

func open(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStoreKeepsTheContract(t *testing.T) {
	o := provisioned(t)
	statetest.Run(t, func(t *testing.T) state.Store { return open(t, o) })
}

func TestProvisionMayBeRepeated(t *testing.T) {
	o := provisioned(t)
	if err := Provision(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	s := open(t, o)
	for _, table := range schema.Tables() {
		if _, err := s.Slice(t.Context(), table, zeroKey(table.Partition), nil, 1); err != nil {
			t.Errorf("%s: %v", table.Name, err)
		}
	}
}

func zeroKey(columns []schema.Column) state.Key {
	k := make(state.Key, len(columns))
	for i, c := range columns {
		k[i] = state.Num(0)
		if c.Type == schema.Text || c.Type == schema.Blob {
			k[i] = state.Str("k")
		}
	}
	return k
}

// A missing table is ErrInvalid and not a transient error, so Retrying does not wait for it.
func TestAMissingTableIsRefusedForGood(t *testing.T) {
	s := open(t, provisioned(t))
	missing := *schema.Polite
	missing.Name = "missing"
	if _, err := s.Get(t.Context(), &missing, state.Key{state.Str("k")}); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("%v, want ErrInvalid", err)
	}
}

// A table that somebody dropped is named to who provisions, and the error of who needs it says what
// to do.
func TestATableThatIsGoneIsNamed(t *testing.T) {
	o := DefaultOptions()
	o.Hosts, o.Keyspace = clustertest.CQL(t), clustertest.Name(t)
	o.ReplicationFactor = len(o.Hosts)
	if err := provision(t.Context(), o, []*schema.Table{schema.Meta, schema.Polite}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dropKeyspace(t, o) })
	ready, missing, err := Provisioned(t.Context(), o)
	if err != nil || !ready || len(missing) != len(schema.Tables())-2 || slices.Contains(missing, schema.Polite.Name) || !slices.Contains(missing, schema.SiteHost.Name) {
		t.Errorf("ready %t, missing %v, %v", ready, missing, err)
	}
	_, err = open(t, o).Get(t.Context(), schema.SiteHost, state.Key{state.Str("a.test"), state.Str("a")})
	if !errors.Is(err, state.ErrInvalid) || !strings.Contains(err.Error(), "millrace provision") {
		t.Errorf("a table that is gone: %v", err)
	}
}

func TestARequestIsOnePartitionOfBoundedSize(t *testing.T) {
	var group []state.Mutation
	add := func(table *schema.Table, shard int64, n, bytes int) {
		for i := range n {
			group = append(group, state.Mutation{Table: table, TS: 1,
				Key:   state.Key{state.Num(shard), state.Str(strings.Repeat("h", i))},
				Cells: state.Cells{state.Str(strings.Repeat("x", bytes))}})
		}
	}
	add(schema.HostTable, 1, 120, 1)
	add(schema.HostTable, 2, 3, 600<<10)
	add(schema.HostTable, 1, 90, 1)
	other := *schema.HostTable
	other.Name = "other"
	add(&other, 1, 1, 1)
	var got []int
	for _, r := range requestsOf(group) {
		got = append(got, len(r))
		for _, m := range r {
			if m.Table != r[0].Table || m.Key[0] != r[0].Key[0] {
				t.Errorf("%s %v and %s %v in one request", m.Table.Name, m.Key, r[0].Table.Name, r[0].Key)
			}
		}
	}
	if want := []int{100, 100, 1, 1, 1, 10, 1}; !slices.Equal(got, want) {
		t.Errorf("requests of %v rows, want %v", got, want)
	}
}

// requestsOf returns what one call of Write sends for a group.
func requestsOf(group []state.Mutation) (list []request) {
	byTable := slices.Collect(maps.Values(tables(group)))
	slices.SortFunc(byTable, func(a, b []request) int { return cmp.Compare(a[0][0].Table.Name, b[0][0].Table.Name) })
	for _, all := range byTable {
		large, small := sorted(all)
		for _, some := range [][]request{large, small} {
			for _, part := range mixed(some) {
				list = append(list, joined(some, part))
			}
		}
	}
	return list
}

func TestOptionsAreChecked(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"hosts":       func(o *Options) { o.Hosts = nil },
		"keyspace":    func(o *Options) { o.Keyspace = "k; DROP KEYSPACE millrace" },
		"consistency": func(o *Options) { o.Consistency = "MOST" },
		"replicas":    func(o *Options) { o.ReplicationFactor = 0 },
		"timeout":     func(o *Options) { o.Timeout = 0 },
		"parallel":    func(o *Options) { o.Parallel = 0 },
		"CA, no TLS":  func(o *Options) { o.CAFile = "ca.pem" },
		"CA missing":  func(o *Options) { o.TLS, o.CAFile = true, filepath.Join(t.TempDir(), "none") },
		"CA empty":    func(o *Options) { o.TLS, o.CAFile = true, os.DevNull },
		"logger":      func(o *Options) { o.Logger = nil },
	} {
		o := DefaultOptions()
		o.Hosts = []string{"127.0.0.1:1"}
		change(&o)
		if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "cql options") {
			t.Errorf("%s: %v, want an error of the options", name, err)
		}
	}
}

var update = flag.Bool("update", false, "rewrite schema/tables.cql")

func TestTheScriptForOperatorsIsUpToDate(t *testing.T) {
	script := filepath.Join("..", "..", "..", "schema", "tables.cql")
	want := DDL(DefaultOptions().Keyspace, DefaultOptions().ReplicationFactor)
	if *update {
		if err := os.WriteFile(script, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(script)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what Provision executes (%v); rewrite it with -update", script, err)
	}
}
