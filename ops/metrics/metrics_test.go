package metrics

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"millrace/ops/watch"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const pagesSent, dropEvery, badEvery = 30, 3, 10

// picky drops every third page and cannot handle every tenth.
type picky struct {
	streams.Plain[*schema.Page]
	p *streams.Partition
}

func (t *picky) Handle(_ context.Context, r *streams.Record[*schema.Page]) error {
	switch {
	case r.Value.Rev%badEvery == 0:
		return streams.DeadLetter("broken", "page %d", r.Value.Rev)
	case r.Value.Rev%dropEvery == 0:
		t.p.Drop("third", 1)
	}
	return nil
}

// run lets a real group work through pages on a real log, and returns what it left.
func run(t *testing.T) *watch.Watch {
	opts := streamstest.Options(t)
	group, err := topics.GroupNamed("extract")
	if err != nil {
		t.Fatal(err)
	}
	producer, err := streams.NewProducer(t.Context(), opts, "test", topics.Pages())
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	for i := int64(1); i <= pagesSent; i++ {
		if err := producer.Send(t.Context(), &schema.Page{RowKey: fmt.Sprintf("test.h%d:http/", i), Rev: i}); err != nil {
			t.Fatal(err)
		}
	}
	cfg := streamstest.Config(opts)
	cfg.Meter = streams.NewMeter()
	stop := streamstest.Start(t, cfg, group, topics.Pages(), func(p *streams.Partition) streams.Task[*schema.Page] { return &picky{p: p} })
	letters := 0
	streamstest.Tail(t, opts, topics.DeadLetters().Name, func(*kgo.Record) bool {
		letters++
		return letters == pagesSent/badEvery
	})
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	for behind := int64(1); behind > 0; {
		for _, g := range log.Positions(t.Context()).Groups {
			if g.Group == group.Name {
				behind = g.Records
			}
		}
	}
	stop()
	w, err := watch.New(watch.DefaultOptions(), watch.Sources{
		Lag: log.Lag, Positions: log.Positions, Meter: cfg.Meter,
		Frontier: func(context.Context) (watch.Frontier, error) {
			return watch.Frontier{HostsWaiting: 7, Fetched: 30, ByStatus: map[string]int64{"queued": 4}, ByReason: map[string]int64{"robots\xff": 2}}, nil
		},
		Index: func() []watch.Shard { return []watch.Shard{{Partition: 2, Docs: 11, Problem: "broken"}} },
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// What Prometheus would read must parse, and say what happened.
func TestScrapeSaysWhatHappened(t *testing.T) {
	registry, err := Registry(run(t))
	if err != nil {
		t.Fatal(err)
	}
	families := scrape(t, promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	for _, want := range []struct {
		name   string
		labels map[string]string
		value  float64
	}{
		{"millrace_records_handled_total", map[string]string{"group": "extract"}, pagesSent - pagesSent/badEvery},
		{"millrace_records_dead_letter_total", map[string]string{"group": "extract", "kind": "broken"}, 3},
		{"millrace_records_dropped_total", map[string]string{"group": "extract", "reason": "third"}, 9},
		{"millrace_group_lag_records", map[string]string{"group": "extract", "topic": "pages.fetched", "partition": "0"}, 0},
		{"millrace_group_lag_seconds", map[string]string{"group": "index", "partition": "3"}, 0},
		{"millrace_group_state", map[string]string{"group": "dedupe", "state": "idle"}, 1},
		{"millrace_group_state", map[string]string{"group": "dedupe", "state": "stuck"}, 0},
		{"millrace_frontier_hosts_waiting", nil, 7},
		{"millrace_frontier_urls", map[string]string{"status": "queued"}, 4},
		{"millrace_frontier_urls_by_reason", map[string]string{"reason": "robots\uFFFD"}, 2},
		{"millrace_index_documents", map[string]string{"partition": "2"}, 11},
		{"millrace_index_problem", map[string]string{"partition": "2"}, 1},
		{"millrace_report_errors", nil, 0},
	} {
		if got, ok := find(families[want.name], want.labels); !ok || got != want.value {
			t.Errorf("%s%v = %v (there: %v), want %v", want.name, want.labels, got, ok, want.value)
		}
	}
	ages := families["millrace_record_age_seconds"]
	if ages == nil || ages.Metric[0].Histogram.GetSampleCount() != pagesSent-pagesSent/badEvery {
		t.Errorf("ages: %v", ages)
	}
	if families["go_goroutines"] == nil {
		t.Error("nothing about the Go runtime")
	}
}

func scrape(t *testing.T, h http.Handler) map[string]*dto.MetricFamily {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if rec.Code != http.StatusOK {
		t.Fatalf("status %d: %s", rec.Code, rec.Body)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(rec.Body)
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// find returns the value of the metric that has all the labels.
func find(f *dto.MetricFamily, labels map[string]string) (float64, bool) {
	for _, m := range f.GetMetric() {
		has := map[string]string{}
		for _, l := range m.Label {
			has[l.GetName()] = l.GetValue()
		}
		match := true
		for k, v := range labels {
			match = match && has[k] == v
		}
		if match {
			return m.Gauge.GetValue() + m.Counter.GetValue(), true
		}
	}
	return 0, false
}
