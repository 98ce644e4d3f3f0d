package judge

import (
	"time"

	"millrace/ops/simweb/truth"
	"millrace/ops/simweb/world"
)

// RobotsReport counts what robots.txt forbids.
type RobotsReport struct {
	Fetched    int // requests for robots.txt
	BeforeRead int // requests before the host's robots.txt was answered
	Disallowed int // requests for paths that it forbids
	Examples   []Offence
}

// Offence is one request that should not have been.
type Offence struct {
	URL  string
	At   time.Time
	What string
}

// authority is the part of a URL for which one robots.txt is valid: scheme and host name.
type authority struct {
	host world.Host
	form world.Form
}

func authorityOf(e Event) authority {
	return authority{e.Host, e.Form & (world.HTTPS | world.WWW)}
}

func isRobots(e Event) bool { return e.Page.Space() == world.Robots }

// robots finds pages asked for before robots.txt was read, and against it. An
// answer to robots.txt counts once it is sent.
func (j *Judge) robots(opts Options, events []Event) RobotsReport {
	var r RobotsReport
	read := map[authority]int64{}
	for _, e := range events {
		if isRobots(e) {
			r.Fetched++
			if old, ok := read[authorityOf(e)]; e.Page.Index() == 0 && (!ok || e.End() < old) {
				read[authorityOf(e)] = e.End()
			}
		}
	}
	for _, e := range events {
		if isRobots(e) {
			continue
		}
		if end, ok := read[authorityOf(e)]; !ok || e.Start < end {
			r.BeforeRead++
			r.example(opts, j, e, "before robots.txt was read")
		}
		url := j.url(e)
		if !truth.Allowed(j.web.RobotsFor(url, time.Unix(0, e.At)), opts.Agent, pathOf(url)) {
			r.Disallowed++
			r.example(opts, j, e, "disallowed by robots.txt")
		}
	}
	return r
}

func (r *RobotsReport) example(opts Options, j *Judge, e Event, what string) {
	if len(r.Examples) < opts.Examples {
		r.Examples = append(r.Examples, Offence{j.url(e), time.Unix(0, e.Start).UTC(), what})
	}
}

// Repeats are fetches of a URL that was fetched before.
type Repeats struct {
	Requests int // second and later ones
	URLs     int // URLs that were repeated
	Robots   int // of robots.txt, not counted above
	Examples []Offence
}

// repeats counts fetches within the interval after the last of the same URL.
func (j *Judge) repeats(opts Options, events []Event) Repeats {
	var r Repeats
	last := make(map[world.Ref]int64, len(events))
	repeated := map[world.Ref]bool{}
	for _, e := range events {
		before, again := last[e.ref()]
		last[e.ref()] = e.Start
		if !again || opts.RepeatWithin > 0 && e.Start-before >= int64(opts.RepeatWithin) {
			continue
		}
		if isRobots(e) {
			r.Robots++
			continue
		}
		r.Requests++
		repeated[e.ref()] = true
		if len(r.Examples) < opts.Examples {
			r.Examples = append(r.Examples, Offence{j.url(e), time.Unix(0, e.Start).UTC(), "repeated"})
		}
	}
	r.URLs = len(repeated)
	return r
}
