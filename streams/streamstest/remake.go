package streamstest

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/streams"
)

// Remake deletes a topic and makes it again, empty, with 4 partitions. Clients that are connected
// may use the old topic's id for a moment.
func Remake(t testing.TB, opts streams.Options, topic string) {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(opts.Brokers...)}, opts.Client...)...)
	if err != nil {
		t.Fatal(err)
	}
	adm := kadm.NewClient(cl)
	defer adm.Close()
	if _, err := adm.DeleteTopic(t.Context(), topic); err != nil {
		t.Fatal(err)
	}
	if _, err := adm.CreateTopic(t.Context(), 4, 1, nil, topic); err != nil {
		t.Fatal(err)
	}
}
