package wire

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"millrace/ops/cluster/clustertest"
	"millrace/streams"
	"millrace/streams/state/scylla"
)

// On a cluster of one broker and one node, as docker-compose.yml starts it, the command of the
// README works, and a command that cannot succeed makes nothing.
func TestProvisionTakesTheClusterAsItIsAndMakesAllOrNothing(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Brokers = clustertest.KafkaAlone(t)
	nodes, keyspace := clustertest.CQL(t), clustertest.Name(t)
	cfg.Store = "cql://" + strings.Join(nodes, ",") + "/" + keyspace
	clearTopics(t, cfg)
	log := slog.New(slog.DiscardHandler)

	tooMany := cfg
	tooMany.Replicas = 3
	_, err := Provision(t.Context(), tooMany, log)
	if want := "replicas: 3 copies need as many brokers, and there is 1: leave --replicas out, or give 1 at most"; err == nil || err.Error() != want {
		t.Fatalf("three copies on one broker: %v", err)
	}
	nothing(t, cfg)

	p, err := Provision(t.Context(), cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	if p.Brokers != 1 || p.Nodes != 1 || p.Layout.Replicas != 1 || p.Copies != 1 {
		t.Errorf("%+v", p)
	}
	if _, err := Provision(t.Context(), cfg, log); err != nil {
		t.Errorf("again: %v", err)
	}
	cfg.Data, cfg.Listen = t.TempDir(), "127.0.0.1:0"
	s, err := Open(t.Context(), cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	found, err := scylla.Inspect(t.Context(), cfg.scylla(log))
	if loses := found.Sync == "periodic"; err != nil || found.Sync == "" || p.MayLose != loses || s.mayLose != loses {
		t.Errorf("%+v, %v; provision warns: %t, status: %t", found, err, p.MayLose, s.mayLose)
	}

	cfg.Partitions = 32
	if _, err := Provision(t.Context(), cfg, log); err == nil || !strings.Contains(err.Error(), "has 64 partitions, not 32") {
		t.Errorf("another layout: %v", err)
	}
}

// A keyspace with more copies than nodes, left by an earlier attempt, accepts no write: the error
// names it, and says what to do.
func TestProvisionNamesAKeyspaceThatCannotBeWritten(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Brokers = clustertest.KafkaAlone(t)
	keyspace := clustertest.Name(t)
	cfg.Store = "cql://" + strings.Join(clustertest.CQL(t), ",") + "/" + keyspace
	clearTopics(t, cfg)
	opts := scylla.DefaultOptions()
	opts.Hosts, opts.Keyspace, opts.ReplicationFactor = clustertest.CQL(t), keyspace, 3
	if err := scylla.Provision(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	_, err := Provision(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if want := fmt.Sprintf("keyspace %s keeps 3 copies of every row, and there is 1", keyspace); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v", err)
	}
	if n := topicsThere(t, cfg); n != 0 {
		t.Errorf("%d topics were made", n)
	}
}

// nothing fails if a keyspace or a topic was made.
func nothing(t *testing.T, cfg Config) {
	t.Helper()
	opts := scylla.DefaultOptions()
	opts.Hosts, opts.Keyspace, _ = cfg.cql()
	c, err := scylla.Inspect(t.Context(), opts)
	if n := topicsThere(t, cfg); err != nil || c.Exists || n != 0 {
		t.Errorf("keyspace %v, %d topics (%v)", c.Exists, n, err)
	}
}

func topicsThere(t *testing.T, cfg Config) (n int) {
	t.Helper()
	log, err := streams.NewLog(streams.Options{Brokers: cfg.Brokers})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, g := range log.Positions(context.WithoutCancel(t.Context())).Groups {
		n += len(g.Partitions)
	}
	return n
}
