package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"millrace/ops/watch"
)

// How often progress is shown.
const (
	redrawEvery = time.Second
	lineEvery   = 10 * time.Second
)

// view shows progress: on a terminal a few lines that are drawn anew in place,
// otherwise a line now and then.
type view struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	drawn    int // lines on the screen that will be drawn anew

	recent []watch.Report // the speed is measured from the oldest
}

func newView(out io.Writer) *view {
	_, terminal := columns(out)
	return &view{out: out, terminal: terminal}
}

// columns is the width of the terminal that w is, if it is one.
func columns(w io.Writer) (int, bool) {
	f, ok := w.(*os.File)
	if !ok {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	return width, err == nil
}

// show shows progress until ctx ends.
func (v *view) show(ctx context.Context, report func(context.Context) watch.Report) {
	every := lineEvery
	if v.terminal {
		every = redrawEvery
	}
	v.sample(report(ctx)) // what the first speed is measured from
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			v.rub()
			return
		case <-tick.C:
		}
		v.draw(report(ctx))
	}
}

// draw shows a report.
func (v *view) draw(r watch.Report) {
	s := v.sample(r)
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.terminal {
		fmt.Fprintf(v.out, "%s  %s\n", r.At.Local().Format(time.TimeOnly), s.line())
		return
	}
	v.clear()
	width, _ := columns(v.out)
	for _, l := range s.lines() {
		fmt.Fprintf(v.out, "%s\n", fit(l, width))
		v.drawn++
	}
}

// rub takes the lines off the screen: the summary says it all.
func (v *view) rub() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clear()
}

func (v *view) clear() {
	if v.drawn > 0 {
		fmt.Fprintf(v.out, "\x1b[%dA\x1b[J", v.drawn) // up, and erase to the end of the screen
		v.drawn = 0
	}
}

// beside returns a writer for the log that may share the screen: what it writes
// stands above the lines that are drawn anew.
func (v *view) beside(w io.Writer) io.Writer { return &aside{v, w} }

type aside struct {
	view *view
	to   io.Writer
}

// Write implements io.Writer.
func (a *aside) Write(p []byte) (int, error) {
	a.view.mu.Lock()
	defer a.view.mu.Unlock()
	a.view.clear()
	return a.to.Write(p)
}

// fit cuts a line to the width of the screen: one that wraps could not be drawn
// anew in place.
func fit(line string, width int) string {
	r := []rune(line)
	if width < 1 || len(r) <= width {
		return line
	}
	return string(r[:width-1]) + "…"
}

// speedOver is the time that the shown speed is measured over.
const speedOver = 10 * time.Second

// sample turns a report into what is shown, with the speed since a while ago.
func (v *view) sample(r watch.Report) sample {
	s := sample{docs: r.Docs(), behind: r.Lag.Seconds, polite: r.Lag.Polite}
	if r.Frontier != nil {
		s.frontier = *r.Frontier
	}
	s.drops, s.dropped = leftOut(r.Drops)
	for len(v.recent) > 1 && r.At.Sub(v.recent[1].At) >= speedOver {
		v.recent = v.recent[1:]
	}
	if len(v.recent) > 0 && v.recent[0].Frontier != nil {
		first := v.recent[0]
		if over := r.At.Sub(first.At).Seconds(); over > 0 {
			s.perSecond = float64(s.frontier.Fetched-first.Frontier.Fetched) / over
		}
	}
	v.recent = append(v.recent, r)
	for _, g := range r.Groups {
		if g.Records > 0 && g.State != watch.Polite {
			s.waiting = append(s.waiting, g.Group+" "+count(g.Records))
		}
	}
	return s
}

// sample holds the figures of a report that are shown.
type sample struct {
	frontier  watch.Frontier
	docs      int64
	perSecond float64
	drops     int64
	dropped   string
	behind    float64
	polite    int64    // URLs that wait for their host's turn
	waiting   []string // per group that is behind
}

// line is a sample for a file.
func (s sample) line() string {
	f := s.frontier
	words := []string{
		rate(s.perSecond) + " pages/s",
		"fetched " + count(f.Fetched),
		"indexed " + count(s.docs),
		"queued " + count(f.Queued),
		"in flight " + count(f.InFlight),
		"waiting for their host's turn " + count(s.polite),
		"behind " + seconds(s.behind),
	}
	if s.drops > 0 {
		words = append(words, fmt.Sprintf("%s not followed (%s)", plural(s.drops, "link"), s.dropped))
	}
	return strings.Join(words, ", ")
}

// lines is a sample for a terminal.
func (s sample) lines() []string {
	f := s.frontier
	row := func(name string, n, about string) string {
		return strings.TrimRight(fmt.Sprintf("%-9s %10s   %s", name, n, about), " ")
	}
	rows := []string{
		row("fetched", count(f.Fetched), rate(s.perSecond)+" pages/s"),
		row("indexed", count(s.docs), ""),
		row("queued", count(f.Queued), fmt.Sprintf("%s in flight, %s wait for their host's turn", count(f.InFlight), count(s.polite))),
		row("behind", seconds(s.behind), strings.Join(s.waiting, ", ")),
	}
	if s.drops > 0 {
		rows = append(rows, row("ignored", count(s.drops), "links: "+s.dropped))
	}
	return rows
}
