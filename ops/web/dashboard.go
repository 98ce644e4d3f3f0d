package web

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"millrace/ops/deadletters"
	"millrace/ops/watch"
	"millrace/schema"
	"millrace/topics"
)

// trendSteps is the number of values in a sparkline.
const trendSteps = 60

// lettersShown bounds the dead letters on the dashboard.
const lettersShown = 8

// dashboardView is the data of the dashboard.
type dashboardView struct {
	watch.Report
	Stages   []stageView
	Fetch    *stageView
	Index    *stageView
	Range    string
	Covers   string // the time covered by the sparklines
	Verdict  string
	State    watch.State // the worst
	Statuses []countView
	Reasons  []countView
	Drops    []watch.Drop
	MostDrop int64
	Letters  []deadletters.Letter // the newest of
	Dead     *countView           // all dead letters; nil = not known
	Docs     int64
	Parts    []watch.Part // what became of the fetched URLs
	Days     []watch.Day  // newest first
	Growth   float64      // documents of the newest day for each in the index
	Shards   []watch.Shard
}

// Title is the title of the page.
func (v *dashboardView) Title() string { return "Dashboard" }

// stageView is the row of a group.
type stageView struct {
	*watch.Edge
	About string
	Trend []float64
}

// countView is a number with its share of the largest.
type countView struct {
	Name string
	N    int64
	Most int64
}

// dashboard serves the dashboard.
type dashboard struct {
	*answers
	deps Deps
}

func (d *dashboard) page(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	v := d.view(r, q.Get("range"))
	part := "layout"
	if q.Get("part") == "live" {
		part = "live" // what the script puts in place of the old
	}
	d.write(w, http.StatusOK, "dashboard", part, v)
	return nil
}

func (d *dashboard) view(r *http.Request, chosen string) *dashboardView {
	v := &dashboardView{Report: d.deps.Watch.Report(r.Context()), Range: "10m"}
	over := 10 * time.Minute
	if chosen == "24h" {
		v.Range, over = chosen, 24*time.Hour
	}
	over = min(over, max(time.Minute, v.At.Sub(v.Since).Round(time.Minute))) // a young process has no older values
	v.Covers = span(over)
	for i, g := range topics.Groups() {
		e := &v.Report.Groups[i]
		v.Stages = append(v.Stages, stageView{e, g.About, d.deps.Watch.Trend(g.Name, over, trendSteps)})
	}
	for i := range v.Stages {
		switch v.Stages[i].Group {
		case "fetch":
			v.Fetch = &v.Stages[i]
		case "index":
			v.Index = &v.Stages[i]
		}
	}
	v.Docs, v.Shards, v.Drops = v.Report.Docs(), v.Report.Index, v.Report.Drops
	for _, d := range v.Drops {
		v.MostDrop = max(v.MostDrop, d.N)
	}
	if f := v.Frontier; f != nil {
		v.Statuses, v.Reasons = ordered(renamed(f.ByStatus, words)), ordered(renamed(f.ByReason, reason))
		v.Parts = v.FetchedParts()
		v.Days = slices.Clone(f.Days)
		slices.Reverse(v.Days)
		if len(v.Days) > 0 {
			v.Growth = float64(v.Days[0].Documents) / float64(max(v.Docs, 1))
		}
	}
	if n := v.DeadLetters; n != nil {
		v.Dead = &countView{N: *n}
	}
	v.State, v.Verdict = overall(v.Report.Groups)
	d.letters(r, v)
	return v
}

// words writes the name of a state or reason for people: NOT_HTML as "not html".
func words(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", " ") }

// reason writes why URLs were left out, as millrace status does.
func reason(code string) string { return schema.ReasonOf(strings.ToLower(code)).Count }

// renamed writes all names in other words.
func renamed(m map[string]int64, words func(string) string) map[string]int64 {
	out := map[string]int64{}
	for name, n := range m {
		out[words(name)] += n
	}
	return out
}

// letters adds the newest dead letters, if there are any.
func (d *dashboard) letters(r *http.Request, v *dashboardView) {
	if d.deps.DeadLetters == nil || v.DeadLetters == nil || *v.DeadLetters == 0 {
		return
	}
	var err error
	if v.Letters, err = d.deps.DeadLetters(r.Context(), lettersShown); err != nil {
		v.Errors = append(slices.Clone(v.Errors), "dead letters: "+err.Error())
	}
}

// overall returns the verdict of the worst group.
func overall(edges []watch.Edge) (watch.State, string) {
	states := watch.States()
	worst := edges[0]
	for _, e := range edges {
		if slices.Index(states, e.State) > slices.Index(states, worst.State) {
			worst = e
		}
	}
	switch worst.State {
	case watch.Idle:
		return worst.State, "Idle: everything that came in is done."
	case watch.KeepingUp:
		return worst.State, "Everything keeps up."
	case watch.Polite:
		return worst.State, fmt.Sprintf("On schedule. %s.", plural(worst.Records, "URL waits", "URLs wait")+" for their host's delay")
	case watch.Unknown:
		return worst.State, "Kafka did not answer in time; lag is unknown."
	}
	return worst.State, sentence(fmt.Sprintf("%s %s", worst.Group, worst.Verdict))
}

// plural writes a number with its noun.
func plural(n int64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + more
}

// ordered lists counts, largest first.
func ordered(m map[string]int64) []countView {
	var out []countView
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if m[name] > 0 {
			out = append(out, countView{Name: name, N: m[name]})
		}
	}
	slices.SortStableFunc(out, func(a, b countView) int { return cmp.Compare(b.N, a.N) })
	for i := range out {
		out[i].Most = out[0].N
	}
	return out
}
