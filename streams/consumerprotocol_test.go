package streams_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"millrace/ops/cluster/clustertest"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// leaveConsumerGroupFor is leaveFor with the consumer protocol.
func leaveConsumerGroupFor(ctx context.Context, cl *kgo.Client, group, member string) error {
	req := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	req.Group, req.MemberID, req.MemberEpoch = group, member, -1
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(resp.ErrorCode)
}

// onKafkaWithTheConsumerProtocol runs a test of crews in which the brokers divide the partitions,
// on real ones, and checks that they did divide them. The group has a short session and interval of
// its own: the member is told only the interval, and asks for the session.
func onKafkaWithTheConsumerProtocol(t *testing.T, brokers []string, d topics.Delivery, test func(*crew)) {
	opts := streams.Options{Brokers: brokers, Transactions: true}
	if err := streamstest.Clear(t.Context(), brokers); err != nil {
		t.Fatal(err)
	}
	if err := streams.Provision(t.Context(), opts, streams.Layout{PerHost: 4, PerSite: 4, Replicas: 1}); err != nil {
		t.Fatal(err)
	}
	c := crewOn(t, opts, d)
	c.consumerProtocol = true
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	configure(t, cl, c.group.Name, kmsg.IncrementalAlterConfigOpSet, 6*time.Second)
	defer configure(t, cl, c.group.Name, kmsg.IncrementalAlterConfigOpDelete, 6*time.Second)
	test(c)
	req := kmsg.NewPtrConsumerGroupDescribeRequest()
	req.Groups = []string{c.group.Name}
	resp, err := req.RequestWith(t.Context(), cl)
	if err != nil || len(resp.Groups) != 1 || resp.Groups[0].ErrorCode != 0 || resp.Groups[0].AssignorName != "uniform" {
		t.Errorf("the group does not speak the consumer protocol: %+v, %v", resp, err)
	}
}

// configure sets or deletes the session and the interval of a group.
func configure(t *testing.T, cl *kgo.Client, group string, op kmsg.IncrementalAlterConfigOp, session time.Duration) {
	t.Helper()
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	r := kmsg.NewIncrementalAlterConfigsRequestResource()
	r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeGroupConfig, group
	for name, value := range map[string]string{"consumer.session.timeout.ms": strconv.FormatInt(session.Milliseconds(), 10), "consumer.heartbeat.interval.ms": "200"} {
		c := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
		c.Name, c.Op, c.Value = name, op, &value
		r.Configs = append(r.Configs, c)
	}
	req.Resources = append(req.Resources, r)
	resp, err := req.RequestWith(context.WithoutCancel(t.Context()), cl)
	if err == nil {
		err = kerr.ErrorForCode(resp.Resources[0].ErrorCode)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The promises of the loop hold when the brokers divide the partitions (KIP-848), too: with commits
// of their own and in transactions, while members come and go, and when one is expelled at work.
func TestTheConsumerProtocolOnKafka(t *testing.T) {
	brokers := clustertest.KafkaAlone(t)
	for _, c := range []struct {
		name     string
		delivery topics.Delivery
		test     func(*crew)
	}{
		{"members come and go", topics.Ordered, comesAndGoes},
		{"members come and go in transactions", topics.Transactional, comesAndGoes},
		{"a member is expelled in Handle", topics.Async, expelledInHandle},
		{"a member is expelled in a transaction", topics.Transactional, expelledInHandle},
	} {
		t.Run(c.name, func(t *testing.T) { onKafkaWithTheConsumerProtocol(t, brokers, c.delivery, c.test) })
	}
}

// Where a broker does not know the consumer protocol the client would silently use the classic one,
// and with it another balancer than the other members. So the member ends, and says why.
func TestTheConsumerProtocolIsRefusedWhereBrokersDoNotKnowIt(t *testing.T) {
	old := kversion.V3_9_0()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.MaxVersions(old))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	opts := streams.Options{Brokers: c.ListenAddrs()}
	if err := streams.Provision(t.Context(), opts, streams.DefaultLayout(true)); err != nil {
		t.Fatal(err)
	}
	crew := crewOn(t, opts, topics.Ordered)
	crew.consumerProtocol = true
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = streams.Run(ctx, crew.config(), crew.group, topics.Pages(), func(*streams.Partition) streams.Task[*schema.Page] {
		t.Error("a Task was made")
		return &hand{c: crew}
	})
	if err == nil || !strings.Contains(err.Error(), "it came with Kafka 4.0; choose --group-protocol classic") || !streams.Denied(err) {
		t.Errorf("%v", err)
	}
}
