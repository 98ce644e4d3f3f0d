package judge

import (
	"maps"
	"slices"
	"time"

	"millrace/ops/simweb/truth"
	"millrace/ops/simweb/world"
)

// Sample is how stale a crawler's copies are at a time of the web: of tree
// pages, items and translations, by their text.
type Sample struct {
	At    time.Time
	Pages int           // copies it has
	Stale int           // of them, not what stands at the URL now
	Age   time.Duration // mean time the stale ones have been wrong
	// Within is the number of pages of Options.Truth that exist at this time,
	// Absent of them those it has no copy of: a collection is as fresh as
	// (Within - Absent - Stale) / Within says.
	Within int
	Absent int
}

// ItemDelay is the time from an item's appearance to its first fetch, over the
// items that appeared while the crawler was at work on their host.
type ItemDelay struct {
	Appeared int
	Fetched  int
	Mean     time.Duration
	P99      time.Duration
	Max      time.Duration
}

type place struct {
	host world.Host
	page world.PageID
}

// staleness walks through the fetches in time and looks at all
// copies at equal intervals.
func (j *Judge) staleness(opts Options, events []Event) []Sample {
	if len(events) == 0 || opts.Samples == 0 {
		return nil
	}
	byTime := slices.Clone(events)
	slices.SortStableFunc(byTime, func(a, b Event) int { return int(max(-1, min(1, a.At-b.At))) })
	first, last := byTime[0].At, byTime[len(byTime)-1].At
	copies := map[place]int64{}
	within := j.within(opts)
	var samples []Sample
	for k, next := 1, 0; k <= opts.Samples; k++ {
		at := first + (last-first)/int64(opts.Samples)*int64(k)
		if k == opts.Samples {
			at = last
		}
		for ; next < len(byTime) && byTime[next].At <= at; next++ {
			note(copies, byTime[next])
		}
		s := j.sample(copies, at)
		s.Within, s.Absent = j.absent(within, copies, at)
		samples = append(samples, s)
	}
	return samples
}

// lives says whether pages of a space appear, change or disappear with their text.
func lives(s world.Space) bool { return s == world.Tree || s == world.Item || s == world.Translation }

// within lists the pages of the truth, each once however many URLs it has.
func (j *Judge) within(opts Options) []place {
	if opts.Truth == nil {
		return nil
	}
	pages := map[place]bool{}
	for url, e := range opts.Truth.URLs {
		req, ok := j.w.ParseURL(url)
		if ok && e.Kind == truth.Page && lives(req.Ref.Page.Space()) {
			pages[place{req.Ref.Host, req.Ref.Page}] = true
		}
	}
	return slices.Collect(maps.Keys(pages))
}

// absent counts the pages that exist at a time, and those without a copy.
func (j *Judge) absent(within []place, copies map[place]int64, at int64) (exist, absent int) {
	for _, p := range within {
		born, dies := j.w.Life(p.host, p.page)
		if born.UnixNano() > at || !dies.IsZero() && dies.UnixNano() <= at {
			continue
		}
		exist++
		if _, has := copies[p]; !has {
			absent++
		}
	}
	return exist, absent
}

// note takes a fetch into the copies: an answer with a body or 304 is a copy, a
// lasting failure ends one.
func note(copies map[place]int64, e Event) {
	if !lives(e.Page.Space()) || e.Override {
		return
	}
	switch e.Status {
	case 200, 304:
		copies[place{e.Host, e.Page}] = e.At
	case 404, 410, 301, 302:
		delete(copies, place{e.Host, e.Page})
	}
}

func (j *Judge) sample(copies map[place]int64, at int64) Sample {
	s := Sample{At: time.Unix(0, at).UTC(), Pages: len(copies)}
	var wrong time.Duration
	for p, fetched := range copies {
		if since := j.w.StaleSince(p.host, p.page, time.Unix(0, fetched), s.At); !since.IsZero() {
			s.Stale++
			wrong += s.At.Sub(since)
		}
	}
	if s.Stale > 0 {
		s.Age = wrong / time.Duration(s.Stale)
	}
	return s
}

// items measures how soon items are fetched.
func (j *Judge) items(events []Event) ItemDelay {
	type work struct{ from, to int64 }
	first, hosts := map[place]int64{}, map[world.Host]work{}
	for _, e := range events {
		if h, ok := hosts[e.Host]; !ok {
			hosts[e.Host] = work{e.At, e.At}
		} else {
			hosts[e.Host] = work{min(h.from, e.At), max(h.to, e.At)}
		}
		if old, ok := first[place{e.Host, e.Page}]; !ok || e.At < old {
			first[place{e.Host, e.Page}] = e.At
		}
	}
	var d ItemDelay
	var delays []time.Duration
	for h, t := range hosts {
		for _, item := range j.w.Items(h, time.Unix(0, t.from), time.Unix(0, t.to)) {
			d.Appeared++
			if at, ok := first[place{h, item.Ref.Page}]; ok {
				delays = append(delays, time.Duration(at-item.At.UnixNano()))
			}
		}
	}
	return d.summary(delays)
}

func (d ItemDelay) summary(delays []time.Duration) ItemDelay {
	d.Fetched = len(delays)
	if d.Fetched == 0 {
		return d
	}
	slices.Sort(delays)
	var sum time.Duration
	for _, x := range delays {
		sum += x
	}
	d.Mean, d.P99, d.Max = sum/time.Duration(len(delays)), quantile(delays, 0.99), delays[len(delays)-1]
	return d
}
