package streams_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"millrace/streams"
)

// A broker that has not heard of a topic which another one has just made says that there is none.
// Provision asks again.
func TestProvisionWaitsForBrokersThatDoNotKnowATopicYet(t *testing.T) {
	kafka, err := kfake.NewCluster(kfake.NumBrokers(3))
	if err != nil {
		t.Fatal(err)
	}
	defer kafka.Close()
	var late atomic.Int32
	kafka.ControlKey(int16(kmsg.DescribeConfigs), func(r kmsg.Request) (kmsg.Response, error, bool) {
		kafka.KeepControl()
		if late.Add(1) > 3 {
			return nil, nil, false
		}
		req := r.(*kmsg.DescribeConfigsRequest)
		resp := req.ResponseKind().(*kmsg.DescribeConfigsResponse)
		for _, x := range req.Resources {
			one := kmsg.NewDescribeConfigsResponseResource()
			one.ResourceType, one.ResourceName, one.ErrorCode = x.ResourceType, x.ResourceName, kerr.UnknownTopicOrPartition.Code
			resp.Resources = append(resp.Resources, one)
		}
		return resp, nil, true
	})
	opts := streams.Options{Brokers: kafka.ListenAddrs()}
	if err := streams.Provision(t.Context(), opts, streams.Layout{PerHost: 4, PerSite: 4, Replicas: 3}); err != nil {
		t.Fatal(err)
	}
	if late.Load() < 4 {
		t.Errorf("the broker was asked %d times", late.Load())
	}
}

// Under --brokers stands something that is no Kafka: a web server, or a port that takes connections
// and says nothing. Whoever provisions is told within seconds what to do.
func TestWhatIsNoKafkaIsNamed(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mute.Close() })
	for name, at := range map[string]string{"web server": web.Listener.Addr().String(), "says nothing": mute.Addr().String()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := streams.Brokers(t.Context(), streams.Options{Brokers: []string{at}})
			if err == nil || !strings.Contains(err.Error(), at) || !strings.Contains(err.Error(), "--brokers") {
				t.Errorf("%v", err)
			}
		})
	}
}

// Another program has a topic of a name that millrace uses. Its records are deleted if somebody
// sets another policy, so nobody does.
func TestATopicOfAnotherProgramIsLeftAlone(t *testing.T) {
	kafka, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kafka.Close)
	opts, layout := streams.Options{Brokers: kafka.ListenAddrs()}, streams.Layout{PerHost: 4, PerSite: 4, Replicas: 1}
	if err := streams.CheckForeign(t.Context(), opts, layout); err != nil {
		t.Errorf("brokers without topics: %v", err)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(opts.Brokers...))
	if err != nil {
		t.Fatal(err)
	}
	adm := kadm.NewClient(cl)
	t.Cleanup(adm.Close)
	policy := map[string]*string{"cleanup.policy": kadm.StringPtr("delete")}
	if _, err := adm.CreateTopic(t.Context(), 1, 1, policy, "control"); err != nil {
		t.Fatal(err)
	}
	err = streams.CheckForeign(t.Context(), opts, layout)
	if err == nil || !strings.Contains(err.Error(), "control") || !strings.Contains(err.Error(), "another Kafka") {
		t.Errorf("a foreign topic: %v", err)
	}
	if _, err := adm.DeleteTopic(t.Context(), "control"); err != nil {
		t.Fatal(err)
	}
	if err := streams.Provision(t.Context(), opts, layout); err != nil {
		t.Fatal(err)
	}
	if err := streams.CheckForeign(t.Context(), opts, layout); err != nil {
		t.Errorf("topics of an earlier crawl: %v", err)
	}
}
