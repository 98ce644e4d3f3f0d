package streams_test

import (
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
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
