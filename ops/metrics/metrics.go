// Package metrics turns Reports and a Meter into Prometheus metrics.
//
// # Goals
//
// What an operator is woken by, and what he sees on the dashboard then, are the same numbers.
//
// # How it works
//
// Metrics are read from the Report and the Meter at the moment of a scrape.
//
// # Promises
//
// A name is never used with two meanings. Labels come from closed lists (groups, topics,
// partitions, reasons), never from URLs or hosts.
//
// # On failure
//
// What the Report could not read is absent, and millrace_report_errors says how many parts that
// are.
//
// # Limits
//
// Counters are those of one process. Lag is that of the whole group, so every process of a cluster
// shows the same: alert on max, not on sum.
package metrics

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"millrace/ops/watch"
	"millrace/streams"
	"millrace/topics"
)

// Registry returns a registry with everything about the pipeline, the Go runtime
// and the process in it.
func Registry(w *watch.Watch) (*prometheus.Registry, error) {
	r := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		pipeline{w},
	} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// pipeline collects from a Watch. It describes nothing beforehand: which groups
// and reasons there are is seen when they are.
type pipeline struct{ watch *watch.Watch }

// Describe implements prometheus.Collector.
func (pipeline) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (p pipeline) Collect(ch chan<- prometheus.Metric) {
	out := sink{ch}
	r := p.watch.Report(context.Background()) // bounded by the Watch's own timeout
	out.lag(&r)
	out.frontier(r.Frontier)
	out.freshness(r.Freshness)
	out.index(&r)
	if m := p.watch.Meter(); m != nil {
		out.counts(m.Counts())
		out.ages(m.Ages())
	}
	for _, kind := range watch.NoticeKinds() {
		on := slices.ContainsFunc(r.Notices, func(n watch.Notice) bool { return n.Kind == kind })
		out.gauge("notice", "1 while there is something of this kind to know; millrace status says what.", flag(on), label{"kind", string(kind)})
	}
	out.gauge("report_errors", "Parts of the report that could not be read.", float64(len(r.Errors)))
}

// sink is where metrics go.
type sink struct{ ch chan<- prometheus.Metric }

// label is a label's name and value.
type label struct{ name, value string }

func (s sink) gauge(name, help string, v float64, labels ...label) {
	s.send(prometheus.GaugeValue, name, help, v, labels)
}

func (s sink) counter(name, help string, v int64, labels ...label) {
	s.send(prometheus.CounterValue, name, help, float64(v), labels)
}

func (s sink) send(kind prometheus.ValueType, name, help string, v float64, labels []label) {
	desc, values := describe(name, help, labels)
	m, err := prometheus.NewConstMetric(desc, kind, v, values...)
	if err != nil {
		m = prometheus.NewInvalidMetric(desc, err)
	}
	s.ch <- m
}

func describe(name, help string, labels []label) (*prometheus.Desc, []string) {
	names, values := make([]string, len(labels)), make([]string, len(labels))
	for i, l := range labels {
		names[i], values[i] = l.name, strings.ToValidUTF8(l.value, "\uFFFD")
	}
	return prometheus.NewDesc("millrace_"+name, help, names, nil), values
}

func (s sink) lag(r *watch.Report) {
	for _, g := range r.Readers {
		for _, p := range g.Partitions {
			if strings.HasPrefix(g.Group, topics.TapPrefix) { // not every reader: anybody can name groups
				s.groupLag(g, p)
			}
		}
	}
	for _, e := range r.Groups {
		for _, p := range e.Partitions {
			s.groupLag(e.GroupLag, p)
		}
		if e.Drain != nil {
			s.gauge("group_drain_seconds", "Time until the group is done at its present speed.", *e.Drain, label{"group", e.Group})
		}
		for _, state := range watch.States() {
			s.gauge("group_state", "1 for the verdict that holds.", flag(e.State == state), label{"group", e.Group}, label{"state", string(state)})
		}
	}
}

func (s sink) frontier(f *watch.Frontier) {
	if f == nil {
		return
	}
	s.gauge("frontier_hosts", "Hosts known.", float64(f.Hosts))
	s.gauge("frontier_hosts_ready", "Hosts whose turn it is.", float64(f.HostsReady))
	s.gauge("frontier_hosts_waiting", "Hosts that wait for their delay or are blocked.", float64(f.HostsWaiting))
	s.gauge("frontier_urls_queued", "URLs that are still to be fetched.", float64(f.Queued))
	s.gauge("frontier_urls_in_flight", "URLs handed out, without an outcome.", float64(f.InFlight))
	s.counter("frontier_pages_fetched_total", "Pages fetched.", f.Fetched)
	if n := len(f.Days); n > 0 {
		d := f.Days[n-1]
		s.gauge("useful_documents_today", "Pages of this day (UTC) that brought a text their host did not have.", float64(d.Useful))
		s.gauge("fetches_today", "Requests of this day (UTC) with an answer about the URL itself.", float64(d.Fetched))
		s.gauge("useful_share_today", "Share of useful fetches of this day (UTC), 0 to 1.", d.Share)
		s.gauge("documents_today", "Pages of this day (UTC) that made a document.", float64(d.Documents))
	}
	for status, n := range f.ByStatus {
		s.gauge("frontier_urls", "URLs by status.", float64(n), label{"status", status})
	}
	for reason, n := range f.ByReason {
		s.gauge("frontier_urls_by_reason", "URLs by the cause of their status.", float64(n), label{"reason", reason})
	}
}

func (s sink) freshness(f *watch.Freshness) {
	if f == nil {
		return
	}
	s.gauge("freshness_current_share", "Share of the pages that are expected to be unchanged since their last fetch, 0 to 1.", f.Current)
	s.gauge("freshness_stale_seconds", "Time for which the last fetch of a page is expected to have been out of date, on average.", f.StaleDays*24*3600)
	s.gauge("freshness_overdue_share", "Share of the pages that should have been looked at before, 0 to 1.", f.Overdue)
	for _, q := range []struct {
		name string
		age  float64
	}{{"0.5", f.AgeP50}, {"0.9", f.AgeP90}, {"0.99", f.AgeP99}} {
		s.gauge("freshness_age_seconds", "Time since pages were looked at, by quantile.", q.age, label{"quantile", q.name})
	}
	for _, g := range f.Intervals {
		s.gauge("freshness_pages", "Pages by how often they are looked at.", float64(g.Pages), label{"interval", g.Name})
	}
	if b := f.Budget; b != nil {
		for _, x := range []struct {
			name  string
			share float64
		}{{"0.5", b.Half}, {"1", b.Now}, {"2", b.Twice}} {
			s.gauge("freshness_budget_share", "Share of the pages that a multiple of the budget of re-crawls keeps current in the long run.",
				x.share, label{"budget", x.name})
		}
	}
	if a := f.Arrived; a != nil {
		s.gauge("feed_items_last_hour", "Items of feeds that became searchable in the last hour.", float64(a.Items))
		s.gauge("feed_item_seconds", "Time from the read of a feed until its item was searchable, in the last hour, by quantile.", a.P50, label{"quantile", "0.5"})
		s.gauge("feed_item_seconds", "Time from the read of a feed until its item was searchable, in the last hour, by quantile.", a.P99, label{"quantile", "0.99"})
	}
}

func (s sink) index(r *watch.Report) {
	for _, shard := range r.Index {
		at := label{"partition", strconv.Itoa(int(shard.Partition))}
		s.gauge("index_documents", "Documents in the shard.", float64(shard.Docs), at)
		s.gauge("index_problem", "1 if the shard failed or differs from docs.unique.", flag(shard.Problem != ""), at)
	}
	if r.DeadLetters != nil {
		s.gauge("dead_letters", "Records in dead.letters that were not put back.", float64(*r.DeadLetters))
	}
}

func flag(on bool) float64 {
	if on {
		return 1
	}
	return 0
}

// meaning is how a counter of the Meter is called here.
type meaning struct{ name, help, label string }

func meanings() map[string]meaning {
	return map[string]meaning{
		"handled":     {"records_handled_total", "Records handled.", ""},
		"dropped":     {"records_dropped_total", "Records or items left out, by reason.", "reason"},
		"dead_letter": {"records_dead_letter_total", "Records put on dead.letters, by kind of error.", "kind"},
		"retried":     {"retries_total", "Tries again after a failure.", ""},
		"misrouted":   {"records_misrouted_total", "Records found in a wrong partition and sent to the right one.", ""},
		"rounds":      {"rounds_total", "Rounds that had records.", ""},
		"commits":     {"commits_total", "Commits of progress, each over all partitions of the group.", ""},
		"aborted":     {"transactions_aborted_total", "Transactions that were aborted.", ""},
		"hanging":     {"transactions_hanging_total", "Transactions that the brokers had left open for ever and the group ended, by topic.", "topic"},
		"sent":        {"records_sent_total", "Records appended, by topic.", "topic"},
		"sent_bytes":  {"sent_bytes_total", "Bytes of records appended, uncompressed, by topic.", "topic"},

		"web_requests": {"web_requests_total", "Requests written to web servers, those for robots.txt among them, by status of the answer or kind of failure.", "answer"},
		"web_bytes":    {"web_bytes_total", "Bytes of the bodies of their answers, as they came.", ""},

		"store_reads":  {"store_reads_total", "Requests to ScyllaDB or Cassandra that read, by table; the group is the one that writes the table.", "table"},
		"store_writes": {"store_writes_total", "Requests to ScyllaDB or Cassandra that write, by table; the group is the one that writes the table.", "table"},

		"tap_records":  {"tap_records_total", "Records that a tap brought to where it writes.", ""},
		"tap_bytes":    {"tap_bytes_total", "Bytes that a tap wrote, as they lie there.", ""},
		"tap_files":    {"tap_files_total", "Files that a tap wrote.", ""},
		"tap_failures": {"tap_failures_total", "Tries of a tap to write that failed and were repeated.", ""},
	}
}

func (s sink) counts(counts []streams.CountValue) {
	known := meanings()
	for _, c := range counts {
		m, ok := known[c.What]
		switch {
		case !ok || m.label == "" && c.Label != "":
			s.counter("events_total", "Everything else that is counted.", c.Value, label{"group", c.Group}, label{"what", c.What}, label{"label", c.Label})
		case m.label == "":
			s.counter(m.name, m.help, c.Value, label{"group", c.Group})
		default:
			s.counter(m.name, m.help, c.Value, label{"group", c.Group}, label{m.label, c.Label})
		}
	}
}

func (s sink) ages(ages map[string]streams.Ages) {
	for group, a := range ages {
		desc, values := describe("record_age_seconds", "Age of records when they were handled.", []label{{"group", group}})
		upTo := map[float64]uint64{}
		var sum uint64
		for i, bound := range streams.AgeBounds() {
			sum += uint64(a.Buckets[i])
			upTo[bound.Seconds()] = sum
		}
		m, err := prometheus.NewConstHistogram(desc, uint64(a.Count), a.Seconds, upTo, values...)
		if err != nil {
			m = prometheus.NewInvalidMetric(desc, err)
		}
		s.ch <- m
	}
}
