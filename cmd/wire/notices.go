package wire

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"millrace/ops/watch"
	"millrace/streams"
)

const (
	// noticeKeep is how long changes read from the marks are reused.
	noticeKeep = 10 * time.Second
	// noticeFor is how long a change of a log is shown.
	noticeFor = 7 * 24 * time.Hour
	// noticeMost is how many changes are shown.
	noticeMost = 5
)

// StoreMayLose says what a store with one copy and a periodic commit log costs, and what to do.
const StoreMayLose = "the store keeps one copy of a row and acknowledges it before it is on the disk (commitlog_sync: periodic): " +
	"a node that is killed or loses power loses the last rows for good. Set commitlog_sync to group (Cassandra) or batch (ScyllaDB) on it, " +
	"or use three nodes"

// notices holds the changes of logs as they were last read.
type notices struct {
	mu      sync.Mutex
	read    time.Time
	changes []streams.Change
}

// notes returns what users must know about the log, docs.unique, pauses, and other processes
// without a network, one line each, with what to do. (Package watch reports that this process has
// no network.) With an error it returns those that it knows.
func (s *survey) notes(ctx context.Context) ([]watch.Notice, error) {
	var out []watch.Notice
	note := func(kind watch.NoticeKind, format string, args ...any) {
		out = append(out, watch.Notice{Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	for _, f := range s.LogFull() {
		note(watch.LogFull, "%s: nothing is lost, and it goes on by itself; if a group stands still, see millrace lag", f)
	}
	if bytes, most := s.groups.dedupe.Live(); s.groups.dedupe.Full() {
		note(watch.UniqueFull, "docs.unique is full: the documents have %d MiB, there is room for %d MiB; nothing new is fetched. "+
			"Begin another crawl with --data, or crawl on a cluster", bytes>>20, most>>20)
	}
	if s.disk != nil {
		if low, left := s.disk.Low(); low {
			note(watch.DiskFull, "the disk of %s has %d MiB left, and %d MiB are kept free (--keep-free): nothing new is fetched, nothing is lost, "+
				"and it goes on by itself when there is room", s.disk.dir, left>>20, s.Config.KeepFree)
		}
	}
	for _, d := range s.damage {
		note(watch.LogChanged, "the log %s/%d was damaged: %d bytes from record %d on were cut off; the crawl goes on without them. "+
			"Check the disk; millrace recheck fetches pages again", d.Topic, d.Partition, d.Bytes, d.From)
	}
	changes, err := s.recentChanges(ctx)
	for _, c := range changes {
		what := "what the lost records said is lost, millrace recheck fetches pages again"
		if !c.Known() {
			what = "nothing is known to be missing; after a power loss millrace recheck fetches pages again"
		}
		note(watch.LogChanged, "%s %s; %s", c.At.UTC().Format(time.RFC3339), c, what)
	}
	if list := s.pausesNow(); len(list) > 0 {
		note(watch.Paused, "paused by an operator: %s; nothing is fetched there until millrace resume", strings.Join(list, ", "))
	}
	if n := s.control.Bad(); n > 0 {
		note(watch.BadControl, "%d records of the topic control are no decisions of operators, and are ignored; the log names them. "+
			"Another program, or a newer version, writes to it: see millrace topics cat control", n)
	}
	if s.mayLose {
		note(watch.StoreSync, "%s", StoreMayLose)
	}
	for _, t := range s.taps {
		if err := t.Failure(); err != nil {
			note(watch.TapFails, "the tap of %s does not write: %v; the crawl goes on, and what waits stays in the log as long as it has room", t.Here().Place, err)
		}
	}
	if s.roster != nil {
		for _, m := range s.roster.List(ctx) {
			if since := m.Live.GetOfflineSince(); since != 0 && m.Id != s.id {
				note(watch.Offline, "process %s reaches no host since %s: nothing is lost, and it goes on by itself; check its network",
					m.Id, fromMillis(since).Format(time.RFC3339))
			}
		}
	}
	return out, err
}

// recentChanges returns the changes of logs that are shown. If the store does not answer it returns
// those it read before, and asks again the next time.
func (s *survey) recentChanges(ctx context.Context) ([]streams.Change, error) {
	n := &s.notices
	n.mu.Lock()
	defer n.mu.Unlock()
	if time.Since(n.read) > noticeKeep {
		changes, err := s.LogChanges(ctx)
		if err != nil {
			return n.changes, fmt.Errorf("changes of the log: %w", err)
		}
		n.read, n.changes = time.Now(), nil
		for _, c := range changes {
			if len(n.changes) < noticeMost && time.Since(c.At) < noticeFor {
				n.changes = append(n.changes, c)
			}
		}
	}
	return n.changes, nil
}
