//go:build linux

package cluster

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/gocql/gocql"
)

// tokensPerNode ranges for each node: several, so that a test meets ranges whose
// replicas are the same nodes in another order.
const tokensPerNode = 4

// node is one Cassandra server.
type node struct {
	c    *Cluster
	n    int
	home string
}

func (n node) String() string    { return fmt.Sprintf("node %d", n.n) }
func (n node) listens() []string { return []string{n.c.cqlAddr(n.n), n.c.storageAddr(n.n)} }

func (n node) command(ctx context.Context) ([]string, error) {
	classpath, err := jarsOf(ctx, "cassandra", n.c.log)
	if err != nil {
		return nil, err
	}
	if err := n.configure(); err != nil {
		return nil, err
	}
	return java("-Xmx768m", n.home, classpath, n.options(), "org.apache.cassandra.service.CassandraDaemon"), nil
}

func (n node) configure() error {
	for _, name := range []string{"logback.xml", "cassandra.args"} {
		if err := render(n.home, name, nil); err != nil {
			return err
		}
	}
	var seeds []string
	for i := 1; i <= n.c.Nodes; i++ {
		seeds = append(seeds, n.c.storageAddr(i))
	}
	return render(n.home, "cassandra.yaml", map[string]any{
		"Seeds":       strings.Join(seeds, ","),
		"TokenCount":  tokensPerNode,
		"Tokens":      strings.Join(tokens(n.n, n.c.Nodes), ","),
		"Host":        nodeHost(n.n),
		"CQLPort":     n.c.PortBase + cqlPort,
		"StoragePort": n.c.PortBase + storagePort,
		"Home":        n.home,
		"Secured":     n.c.Secured,
		"Synced":      n.c.Synced,
		"Access":      n.c.Access(),
	})
}

func (n node) options() []string {
	yaml := url.URL{Scheme: "file", Path: filepath.Join(n.home, "cassandra.yaml")}
	o := []string{
		"@" + filepath.Join(n.home, "cassandra.args"),
		"-XX:MaxDirectMemorySize=256m",
		"-Dlogback.configurationFile=" + filepath.Join(n.home, "logback.xml"),
		"-Dcassandra.config=" + yaml.String(),
		"-Dcassandra.storagedir=" + n.home,
		"-Dcassandra-foreground=yes",
		// The tokens are known, so nobody needs to wait 30 s for news of the ring.
		"-Dcassandra.ring_delay_ms=0",
		"-Dcassandra.skip_wait_for_gossip_to_settle=0",
		"-Dcassandra.superuser_setup_delay_ms=0",
		"-Dcassandra.auth_bcrypt_gensalt_log2_rounds=4", // passwords of tests: quick, not strong
	}
	for _, keyspace := range []string{"system_auth", "system_distributed", "system_traces"} {
		o = append(o, fmt.Sprintf("-Dcassandra.%s.default_rf=%d", keyspace, n.c.Nodes))
	}
	return o
}

// tokens spreads tokensPerNode x nodes tokens evenly over Murmur3's ring,
// -2^63 to 2^63-1, and returns those of node n: every nodes-th.
func tokens(n, nodes int) []string {
	step := new(big.Int).Lsh(big.NewInt(1), 64)
	step.Div(step, big.NewInt(int64(tokensPerNode*nodes)))
	var out []string
	for i := n; i <= tokensPerNode*nodes; i += nodes {
		t := new(big.Int).Mul(step, big.NewInt(int64(i-1)))
		// One above the lowest number, which Cassandra keeps for itself.
		out = append(out, t.Add(t, big.NewInt(math.MinInt64+1)).String())
	}
	return out
}

// ready reads a row through this node at a consistency level that counts the
// running nodes: it succeeds when this node sees them up and all have answered.
func (n node) ready(ctx context.Context) error {
	cfg := gocql.NewCluster(nodeHost(n.n))
	cfg.Port = n.c.PortBase + cqlPort
	cfg.HostFilter = gocql.WhiteListHostFilter(nodeHost(n.n))
	cfg.ProtoVersion = 4
	cfg.NumConns = 1
	cfg.ConnectTimeout, cfg.Timeout = 5*time.Second, 5*time.Second
	cfg.ReconnectInterval = 0
	cfg.Logger = quiet{}
	n.c.Access().CQLAdmin(cfg)
	session, err := cfg.CreateSession()
	if err != nil {
		return err
	}
	defer session.Close()
	if n.c.Secured {
		return session.Query("LIST ROLES").WithContext(ctx).Exec() // the login itself read a row of system_auth
	}
	// system_auth is the one replicated keyspace that every cluster has.
	const query = "SELECT role FROM system_auth.roles WHERE role = 'cassandra'"
	all := [...]gocql.Consistency{1: gocql.One, 2: gocql.Two, 3: gocql.Three}
	running := n.c.countRunning(n.c.nodes())
	return session.Query(query).Consistency(all[running]).WithContext(ctx).Exec()
}

// quiet drops what gocql would print about nodes that are still starting.
type quiet struct{}

func (quiet) Print(...any)          {}
func (quiet) Printf(string, ...any) {}
func (quiet) Println(...any)        {}
