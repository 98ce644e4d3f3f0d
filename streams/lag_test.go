package streams_test

import (
	"testing"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// TestTwoGroupsOfATopicHaveTheirOwnLag protects the dashboard: feeds and sitemaps read one topic,
// at different offsets.
func TestTwoGroupsOfATopicHaveTheirOwnLag(t *testing.T) {
	opts := streamstest.Options(t)
	p, err := streams.NewProducer(t.Context(), opts, "test", topics.Feeds())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	of := func(i int) *schema.Page { return &schema.Page{RowKey: "test.h:http/" + string(rune('a'+i)), Rev: 1} }
	if err := p.Send(t.Context(), of(0), of(1), of(2)); err != nil { // of one host: in one partition
		t.Fatal(err)
	}
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for part := range int32(4) {
		if end, err := log.End(t.Context(), topics.Feeds().Name, part); err != nil || end == 0 {
			continue
		}
		if err := log.Commit(t.Context(), "feeds", topics.Feeds().Name, part, streams.Progress{Offset: 2}); err != nil {
			t.Fatal(err)
		}
	}
	lag := log.Lag(t.Context())
	if len(lag.Errors) > 0 {
		t.Error(lag.Errors)
	}
	want := map[string]int64{"feeds": 1, "sitemaps": 3}
	for _, g := range lag.Groups {
		if n, ok := want[g.Group]; ok && (g.Records != n || g.Seconds <= 0) {
			t.Errorf("%s: %d records, %f s behind; want %d", g.Group, g.Records, g.Seconds, n)
		}
	}
}
