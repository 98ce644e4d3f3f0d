package control

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"millrace/consumers/rules"
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

// Between two reads of a View the topic is made anew and gets more decisions than it had: the old
// ones are no longer in force, all new ones are, and the log has an error.
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

// A program with the right to write can append anything to the topic. Records that are no decisions
// are counted and skipped, and those after them are read.
func TestRecordsThatAreNoDecisionsAreLeftOut(t *testing.T) {
	kafka := streamstest.Options(t)
	v := view(t, kafka, &strings.Builder{})
	cl, err := kgo.NewClient(kgo.SeedBrokers(kafka.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	garbage := [][]byte{
		{}, {0xff, 0xff, 0xff}, []byte("<html>"), bytes.Repeat([]byte{0}, 900_000),
		streams.Encode(&schema.Control{Id: "x"}),
		streams.Encode(&schema.Control{Id: "block", Body: &schema.Control_Block{Block: &schema.Block{}}}),
		streams.Encode(&schema.Control{Id: "pause", Body: &schema.Control_Pause{Pause: &schema.Pause{}}}),
		streams.Encode(&schema.Control{Id: "rule", Body: &schema.Control_Rule{Rule: &schema.Rule{}}}),
		streams.Encode(&schema.Control{Id: "regexp", Body: &schema.Control_Rule{Rule: &schema.Rule{Action: schema.Rule_EXCLUDE, Pattern: "/(((((a{1000}){1000}){1000})"}}}),
		streams.Encode(&schema.Control{Id: "huge", Body: &schema.Control_Rule{Rule: &schema.Rule{Action: schema.Rule_EXCLUDE, Pattern: strings.Repeat("(a|b*)+", 100_000)}}}),
		streams.Encode(&schema.Control{Id: strings.Repeat("long", 1000), Body: &schema.Control_Pause{Pause: &schema.Pause{Host: "a.test"}}}),
		streams.Encode(&schema.Control{Id: "spans", Spans: make([]*schema.Span, 0, 1), Body: &schema.Control_Rule{Rule: &schema.Rule{Action: 99}}}),
	}
	for _, g := range garbage {
		if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: topics.Control().Name, Key: []byte("k"), Value: g}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	good := pauses("test.good")
	good[0].Id = "good"
	if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: topics.Control().Name, Key: []byte("good"), Value: streams.Encode(good[0])}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if err := v.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := v.Set().Find("good"); !ok {
		t.Error("the decision behind them is not known")
	}
	if v.Bad() < 5 {
		t.Errorf("%d records are counted as none", v.Bad())
	}
	for _, q := range []rules.Query{{URL: "http://a.test/", Host: "test.a", Path: ":http/", Site: "a.test"}, {}} {
		v.Set().Judge(q, rules.Latest)
	}
}
