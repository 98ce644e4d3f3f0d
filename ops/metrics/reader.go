package metrics

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"millrace/streams"
)

// Reader returns a registry for a process that only reads the log: the lag of its groups and what
// it counts, under the names that they have everywhere.
func Reader(m *streams.Meter, lag func() streams.Lag) (*prometheus.Registry, error) {
	r := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		reader{m, lag},
	} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return r, nil
}

type reader struct {
	meter *streams.Meter
	lag   func() streams.Lag
}

// Describe implements prometheus.Collector.
func (reader) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (r reader) Collect(ch chan<- prometheus.Metric) {
	out := sink{ch}
	lag := r.lag()
	for _, g := range lag.Groups {
		for _, p := range g.Partitions {
			out.groupLag(g, p)
		}
	}
	out.counts(r.meter.Counts())
	out.ages(r.meter.Ages())
	out.gauge("report_errors", "Parts of the report that could not be read.", float64(len(lag.Errors)))
}

func (s sink) groupLag(g streams.GroupLag, p streams.PartitionLag) {
	at := []label{{"group", g.Group}, {"topic", g.Topic}, {"partition", strconv.Itoa(int(p.Partition))}}
	s.gauge("group_lag_records", "Records of the group's topic that are not done.", float64(p.Records), at...)
	s.gauge("group_lag_seconds", "Age of the oldest record that is not done; 0 when idle.", p.Seconds, at...)
}
