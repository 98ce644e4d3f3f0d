package web

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"millrace/ops/watch"
	"millrace/streams"
	"millrace/topics"
)

// The dashboard, its JSON and the lag are printers of one report.
func TestDashboardAndStatusAgree(t *testing.T) {
	s := newSite(t)
	s.src.Frontier = func(context.Context) (watch.Frontier, error) {
		return watch.Frontier{Hosts: 3, HostsWaiting: 2, Queued: 12345, InFlight: 4, ByStatus: map[string]int64{"queued": 9}, ByReason: map[string]int64{"robots": 6}}, nil
	}
	var status watch.Report
	if err := json.Unmarshal(s.get("/api/v1/status").Body.Bytes(), &status); err != nil {
		t.Fatal(err)
	}
	p := s.page("/dashboard", 200)
	said := textOf(p.all("main", "")[0])
	for _, want := range []string{"12,345", "4 in flight", "robots6", "queued9", "1,200", "Idle: everything that came in is done."} {
		if !strings.Contains(said, want) {
			t.Errorf("the dashboard lacks %q: %s", want, said)
		}
	}
	if rows := len(p.all("td", "verdict")); rows != len(topics.Groups()) || len(status.Groups) != rows {
		t.Errorf("%d rows, %d groups", rows, len(status.Groups))
	}
	for _, g := range status.Groups {
		if !strings.Contains(said, g.Group) || !strings.Contains(said, g.Verdict) {
			t.Errorf("the dashboard lacks %s: %s", g.Group, g.Verdict)
		}
	}
	live := s.get("/dashboard?part=live").Body.Bytes()
	if !bytes.HasPrefix(bytes.TrimSpace(live), []byte(`<div id="live"`)) {
		t.Errorf("the live part begins %.40s", live)
	}
}

// Pages by how often they are looked at are on the dashboard for the crawl and for each site;
// groups without pages are left out at a site.
func TestTheDashboardGroupsPagesByInterval(t *testing.T) {
	s := newSite(t)
	s.src.Freshness = func(context.Context) (*watch.Freshness, error) {
		groups := func(day, more int64) []watch.IntervalGroup {
			return []watch.IntervalGroup{{Name: "up to 1 h", Most: 3600}, {Name: "up to 1 day", Most: 86400, Pages: day}, {Name: "more, or never", Pages: more}}
		}
		return &watch.Freshness{Currency: watch.Currency{Pages: 2500, Current: .5, Intervals: groups(1300, 1200)},
			Sites: []watch.Site{{Site: "example.com", Currency: watch.Currency{Pages: 1234, Current: .25, Intervals: groups(1001, 233)}}}}, nil
	}
	tables := 0
	for _, table := range s.page("/dashboard", 200).all("table", "") {
		switch said := textOf(table); {
		case strings.HasPrefix(said, "Pages by how often"):
			tables++
			if !strings.Contains(said, "up to 1 h0") || !strings.Contains(said, "up to 1 day1,300") || !strings.Contains(said, "more, or never1,200") {
				t.Errorf("the crawl: %s", said)
			}
		case strings.HasPrefix(said, "Site"):
			tables++
			if strings.Contains(said, "up to 1 h:") || !strings.Contains(said, "up to 1 day: 1,001") || !strings.Contains(said, "more, or never: 233") {
				t.Errorf("the site: %s", said)
			}
		}
	}
	if tables != 2 {
		t.Errorf("%d tables with intervals", tables)
	}
}

// Groups of other programs are on the dashboard and in the lag, whatever they call themselves.
func TestGroupsOfOtherProgramsAreShown(t *testing.T) {
	const name = "flink <b>jobs</b>"
	s := newSite(t)
	s.src.Lag = func(ctx context.Context) streams.Lag {
		l := quiet(ctx)
		l.Readers = []streams.GroupLag{{Group: name, Topic: topics.Unique().Name, Records: 4321}}
		return l
	}
	p := s.page("/dashboard", 200)
	if said := textOf(p.all("main", "")[0]); !strings.Contains(said, "Other readers") || !strings.Contains(said, name) || !strings.Contains(said, "4,321") {
		t.Errorf("the dashboard lacks the reader: %s", said)
	}
	var lag struct{ Readers []streams.GroupLag }
	if err := json.Unmarshal(s.get("/api/v1/lag").Body.Bytes(), &lag); err != nil || len(lag.Readers) != 1 || lag.Readers[0].Group != name {
		t.Errorf("the lag has %+v, %v", lag.Readers, err)
	}
}

// The dashboard says why something was left out, and what a day brought, as millrace status does.
func TestTheDashboardSaysWhatStatusSays(t *testing.T) {
	s := newSite(t)
	s.src.Frontier = func(context.Context) (watch.Frontier, error) {
		return watch.Frontier{ByReason: map[string]int64{"trap": 7}, Drops: map[string]int64{"scope": 9}, Days: []watch.Day{
			{Date: "2026-11-22", Fetched: 1}, {Date: "2026-11-23", Fetched: 2849, Useful: 2632, Documents: 600, Share: .924},
		}}, nil
	}
	said := textOf(s.page("/dashboard", 200).all("main", "")[0])
	for _, want := range []string{"of kinds that bring nothing new7", "schedule: outside the scope9", "2026-11-232,8492,63292.4 %600", "0.50 documents on the last day for each in the index"} {
		if !strings.Contains(strings.ReplaceAll(said, " ", ""), strings.ReplaceAll(want, " ", "")) {
			t.Errorf("no %q in: %s", want, said)
		}
	}
	if before, after, _ := strings.Cut(said, "2026-11-23"); strings.Contains(before, "2026-11-22") || !strings.Contains(after, "2026-11-22") {
		t.Error("the newest day is not the first")
	}
}
