package streams

import (
	"testing"

	"pgregory.net/rapid"
)

// One case per way a log can differ from the one that was read.
func TestALogIsComparedWithWhatWasReadOfIt(t *testing.T) {
	id, other := [16]byte{1}, [16]byte{2}
	mark := Mark{TopicID: id, Era: 3, Next: 100, Limit: 100, Ended: true, Epoch: 5, MachineStart: "a", Seq: 9}
	crashed := mark
	crashed.Ended, crashed.Limit = false, 8000
	open := mark // records up to 100 were handled, the lowest open one is 40
	open.Next = 40
	at := func(offset, era int64) *Progress { return &Progress{Offset: offset, Era: era} }
	log := func(start, end int64) witness { return witness{topicID: id, start: start, end: end, copies: 1} }
	epoch := func(w witness, epoch int32, end int64) witness {
		w.asked, w.epoch, w.epochEnd = true, epoch, end
		return w
	}
	recreated := log(0, 200)
	recreated.topicID = other
	threeCopies := epoch(log(0, 120), 5, 110)
	threeCopies.copies = 3
	cases := []struct {
		name    string
		had     *Mark
		done    *Progress
		w       witness
		machine string
		raised  bool
		begin   int64
		lost    int64
	}{
		{"nothing is known", nil, nil, log(0, 50), "a", false, Committed, 0},
		{"only a commit is known", nil, at(30, 0), log(0, 50), "a", false, 30, 0},
		{"a commit beyond the end", nil, at(80, 0), log(0, 50), "a", true, 50, 0},
		{"all is as it was", &mark, at(100, 3), epoch(log(0, 100), 5, 100), "a", false, 100, 0},
		{"the log went on", &mark, at(100, 3), epoch(log(0, 170), 5, 170), "a", false, 100, 0},
		{"the log went on under a new leader", &mark, at(100, 3), epoch(log(0, 170), 5, 130), "a", false, 100, 0},
		{"the commit is behind the mark", &mark, at(90, 3), log(0, 100), "a", false, 90, 0},
		{"the topic was made anew and is longer", &mark, at(100, 3), recreated, "a", true, 0, 0},
		{"the end is gone", &mark, at(100, 3), log(0, 70), "a", true, 70, 0},
		{"the end is gone, the commit was behind", &mark, at(60, 3), log(0, 70), "a", true, 60, 0},
		{"all is gone", &mark, at(100, 3), log(0, 0), "a", true, 0, 0},
		{"the end is gone above the lowest open record", &open, at(40, 3), log(0, 70), "a", true, 40, 0},
		{"the end is gone and it grew again", &mark, at(100, 3), epoch(log(0, 150), 5, 80), "a", true, 80, 0},
		{"an earlier epoch answers", &mark, at(100, 3), epoch(log(0, 150), 4, 60), "a", true, 60, 0},
		{"the epoch is unknown", &mark, at(100, 3), epoch(log(20, 150), -1, -1), "a", true, 20, 0},
		{"a commit of another era", &mark, at(20, 2), log(0, 100), "a", false, 0, 0},
		{"retention ran past the reader", &mark, at(100, 3), log(130, 200), "a", false, 130, 30},
		{"a crash of the process", &crashed, at(90, 3), log(0, 120), "a", false, 90, 0},
		{"a crash of the machine", &crashed, at(90, 3), log(0, 120), "b", true, 90, 0},
		{"a crash of the machine, much later records", &crashed, at(90, 3), log(0, 9000), "b", false, 90, 0},
		{"a start of the machine after an end in order", &mark, at(100, 3), log(0, 100), "b", false, 100, 0},
		{"a crash of the only broker", &crashed, at(90, 3), epoch(log(0, 120), 5, 110), "a", true, 90, 0},
		{"a crash of one broker of three", &crashed, at(90, 3), threeCopies, "a", false, 90, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := judge(c.had, c.done, c.w, c.machine)
			if s.raised != c.raised || s.begin != c.begin || s.lost != c.lost {
				t.Errorf("raised %v begin %d lost %d (%s), want %v %d %d", s.raised, s.begin, s.lost, s.mark.Changed.Why, c.raised, c.begin, c.lost)
			}
			if want := int64(3); c.had != nil && c.raised && s.mark.Era != want+1 {
				t.Errorf("era %d after %d", s.mark.Era, want)
			}
		})
	}
}

// Bitmaps of records done ahead do not count as lost when retention runs past them.
func TestRecordsDoneAheadAreNotLost(t *testing.T) {
	done := Progress{Offset: 10}.Mark(12).Mark(13)
	s := judge(nil, &done, witness{start: 15, end: 20}, "")
	if s.lost != 3 || s.begin != 15 {
		t.Errorf("%d lost, begins at %d: want 3 and 15", s.lost, s.begin)
	}
}

// For every change of a log, a group never begins above a record that it has not done, and never
// outside the log.
func TestAGroupNeverBeginsAboveWhatItHasNotDone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		next := rapid.Int64Range(0, 100).Draw(t, "next")
		m := Mark{Era: rapid.Int64Range(1, 3).Draw(t, "era"), Next: next, Limit: next + rapid.Int64Range(0, 50).Draw(t, "ahead"),
			Ended: rapid.Bool().Draw(t, "ended"), Epoch: int32(rapid.IntRange(-1, 2).Draw(t, "epoch"))}
		done := Progress{Offset: rapid.Int64Range(0, 100).Draw(t, "done"), Era: rapid.Int64Range(1, 3).Draw(t, "done era")}
		start := rapid.Int64Range(0, 100).Draw(t, "start")
		w := witness{start: start, end: start + rapid.Int64Range(0, 100).Draw(t, "size"), copies: 1}
		if m.Epoch >= 0 {
			w.asked, w.epoch, w.epochEnd = true, m.Epoch, rapid.Int64Range(start, w.end).Draw(t, "epoch end")
		}
		s := judge(&m, &done, w, rapid.SampledFrom([]string{"", "b"}).Draw(t, "machine"))
		if s.begin < w.start || s.begin > w.end {
			t.Fatalf("begins at %d, the log is [%d, %d)", s.begin, w.start, w.end)
		}
		if done.era() == m.Era && s.begin > done.Offset && s.begin > w.start {
			t.Fatalf("begins at %d, done is %d", s.begin, done.Offset)
		}
		if s.mark.Era < m.Era || s.raised != (s.mark.Era > m.Era) {
			t.Fatalf("era %d after %d, raised %v", s.mark.Era, m.Era, s.raised)
		}
	})
}

// A broker that was killed and started again may have lost records, but none are known to be lost:
// a new era begins, and Change.Known is false.
func TestARestartOfTheOnlyCopyIsNoKnownLoss(t *testing.T) {
	id := [16]byte{1}
	had := &Mark{TopicID: id, Era: 1, Next: 100, Limit: 9000, Epoch: 5}
	restarted := witness{topicID: id, copies: 1, end: 150, asked: true, epoch: 5, epochEnd: 140}
	s := judge(had, nil, restarted, "")
	if !s.raised || s.begin != 100 || s.mark.Changed.Known() {
		t.Errorf("%+v", s)
	}
	cut := witness{topicID: id, copies: 1, end: 90, asked: true, epoch: 5, epochEnd: 90}
	if s := judge(had, nil, cut, ""); !s.raised || !s.mark.Changed.Known() {
		t.Errorf("%+v", s)
	}
}
