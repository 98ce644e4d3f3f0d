//go:build linux

package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gocql/gocql"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"millrace/ops/cluster/clustertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestKafkaTakesLargeRecordsAndMakesNoTopicUnasked(t *testing.T) {
	k := newKafka(t, clustertest.Kafka(t))
	topic := clustertest.Name(t)
	want := bytes.Repeat([]byte("0123456789abcdef"), 8<<20/16) // 8 MiB, eight times Kafka's default limit
	k.makeTopic(t, topic)
	k.produce(t, topic, want)
	if got := k.first(t, topic); !bytes.Equal(got, want) {
		t.Errorf("read %d bytes, wrote %d", len(got), len(want))
	}
	unasked := topic + "x"
	err := k.ProduceSync(t.Context(), &kgo.Record{Topic: unasked, Value: want}).FirstErr()
	if !errors.Is(err, kerr.UnknownTopicOrPartition) {
		t.Errorf("a record for topic %s, which nobody made: %v", unasked, err)
	}
}

func TestEveryNodeAnswersAndTakesAKeyspace(t *testing.T) {
	addrs, keyspace := clustertest.CQL(t), clustertest.Name(t)
	for i, a := range addrs {
		cfg := gocql.NewCluster(a)
		cfg.HostFilter = gocql.WhiteListHostFilter(a[:strings.LastIndexByte(a, ':')])
		cfg.Timeout = 20 * time.Second // a change of the schema on a busy machine
		session, err := cfg.CreateSession()
		if err != nil {
			t.Fatalf("%s: %v", a, err)
		}
		defer session.Close()
		var version string
		if err := session.Query("SELECT release_version FROM system.local").Scan(&version); err != nil || version == "" {
			t.Errorf("%s: version %q, %v", a, version, err)
		}
		if i > 0 {
			continue
		}
		create := fmt.Sprintf("CREATE KEYSPACE %s WITH replication = {'class': 'NetworkTopologyStrategy', 'replication_factor': %d}", keyspace, len(addrs))
		for _, statement := range []string{create, "DROP KEYSPACE " + keyspace} {
			if err := session.Query(statement).Exec(); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
	}
}

func TestBrokerComesBackWithItsRecordsAfterKill(t *testing.T) {
	clustertest.NeedOwn(t)
	o := DefaultOptions()
	o.Brokers, o.Nodes, o.Dir = 1, 0, t.TempDir()
	c, err := Up(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Wipe(); err != nil {
			t.Error(err)
		}
	})
	k := newKafka(t, c.KafkaAddrs())
	k.makeTopic(t, "kept")
	k.produce(t, "kept", []byte("acknowledged"))

	if err := c.Kill(t.Context(), "broker", 1, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if pid := c.Status()[0].PID; pid != 0 {
		t.Fatalf("process %d runs after SIGKILL", pid)
	}
	if err := c.Start(t.Context(), "broker", 1); err != nil {
		t.Fatal(err)
	}
	if got := k.first(t, "kept"); string(got) != "acknowledged" {
		t.Errorf("read %q", got)
	}

	again, err := Up(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if before, after := c.Status()[0], again.Status()[0]; before != after || after.PID == 0 {
		t.Errorf("a second Up started another server: %+v, then %+v", before, after)
	}
	if err := again.Down(); err != nil {
		t.Error(err)
	}
	if pid := c.Status()[0].PID; pid != 0 {
		t.Errorf("process %d runs after Down", pid)
	}
}

// kafka is a client for the tests above.
type kafka struct{ *kgo.Client }

func newKafka(t *testing.T, addrs []string) kafka {
	client, err := kgo.NewClient(kgo.SeedBrokers(addrs...), kgo.ProducerBatchMaxBytes(16<<20), kgo.UnknownTopicRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return kafka{client}
}

func (k kafka) makeTopic(t *testing.T, name string) {
	t.Helper()
	admin := kadm.NewClient(k.Client)
	if _, err := admin.CreateTopic(t.Context(), 1, -1, nil, name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.DeleteTopic(t.Context(), name) })
}

func (k kafka) produce(t *testing.T, topic string, value []byte) {
	t.Helper()
	if err := k.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Value: value}).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

func (k kafka) first(t *testing.T, topic string) []byte {
	t.Helper()
	k.AddConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().AtStart()}})
	for {
		fetches := k.PollFetches(t.Context())
		if err := fetches.Err0(); err != nil {
			t.Fatal(err)
		}
		if records := fetches.Records(); len(records) > 0 {
			return records[0].Value
		}
	}
}
