package control

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func view(t *testing.T, kafka streams.Options, said *strings.Builder) *View {
	t.Helper()
	log, err := streams.NewLog(kafka)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	return New(kafka, log, slog.New(slog.NewTextHandler(said, nil)))
}

func pauses(hosts ...string) (out []*schema.Control) {
	for _, h := range hosts {
		out = append(out, &schema.Control{Body: &schema.Control_Pause{Pause: &schema.Pause{Host: h}}})
	}
	return out
}

// Between two looks of a process the topic was made anew, and operators gave as many decisions
// again: those that are gone hold no longer, the new ones all do, and the process says so.
func TestATopicMadeAnewAndFilledAgainIsReadFromItsBeginning(t *testing.T) {
	kafka := streamstest.Options(t)
	said := &strings.Builder{}
	v := view(t, kafka, said)
	if _, err := v.Append(t.Context(), pauses("test.a", "test.b")...); err != nil {
		t.Fatal(err)
	}
	remake(t, kafka)
	other := view(t, kafka, &strings.Builder{})
	ids, err := other.Append(t.Context(), pauses("test.c", "test.d", "test.e")...)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if _, ok := v.Set().Find(id); !ok {
			t.Errorf("the new decision %s is not known", id)
		}
	}
	if n := v.Set().Size(); n != len(ids) {
		t.Errorf("%d decisions, want %d", n, len(ids))
	}
	if !strings.Contains(said.String(), "made anew") {
		t.Errorf("the process says %q", said)
	}
}

// remake deletes the topic and provisions it again.
func remake(t *testing.T, kafka streams.Options) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(kafka.Brokers...))
	if err != nil {
		t.Fatal(err)
	}
	adm := kadm.NewClient(cl)
	defer adm.Close()
	if _, err := adm.DeleteTopic(t.Context(), topics.Control().Name); err != nil {
		t.Fatal(err)
	}
	if err := streams.Provision(t.Context(), kafka, streams.DefaultLayout(true)); err != nil {
		t.Fatal(err)
	}
}
