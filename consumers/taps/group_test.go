package taps

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"millrace/consumers/taps/place"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// member runs a member of the tap of a directory until it is stopped.
func (w *world) member(t *testing.T, dir string) (tap *Tap, stop func()) {
	t.Helper()
	p, err := place.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	o := small()
	tap = w.tap(t, p, o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- tap.Run(ctx, streamstest.Config(w.opts)) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return tap, stop
}

// TestMembersOfATapShareItsPartitions: members come and go while records come, and each record is
// written once. The group's commits follow what is written, so its lag is true.
func TestMembersOfATapShareItsPartitions(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	first, stopFirst := w.member(t, dir)
	w.publish(t, 0, 0, 40)
	second, stopSecond := w.member(t, dir)
	w.publish(t, 2, 0, 40)
	stopFirst()
	w.publish(t, 3, 0, 40)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := second.Drain(ctx, w.reader, nil); err != nil {
		t.Fatal(err)
	}
	if first.Group().Name != second.Group().Name {
		t.Errorf("one directory, two groups: %s and %s", first.Group().Name, second.Group().Name)
	}
	w.checkAll(t, dir)
	stopSecond()
	done, err := w.reader.Committed(t.Context(), second.Group().Name, topics.Unique().Name)
	if err != nil {
		t.Fatal(err)
	}
	ends, err := w.reader.Ends(t.Context(), topics.Unique().Name)
	if err != nil {
		t.Fatal(err)
	}
	for p, end := range ends {
		if done[p].Offset != end && end > 0 {
			t.Errorf("partition %d: committed %d, ends at %d", p, done[p].Offset, end)
		}
	}
}

// checkAll fails unless the files hold each record of docs.unique once.
func (w *world) checkAll(t *testing.T, dir string) {
	t.Helper()
	got := map[int32][]int64{}
	for _, f := range files(t, dir, ".jsonl.gz") {
		for _, l := range lines(t, f) {
			got[l.Partition] = append(got[l.Partition], l.Offset)
		}
	}
	ends, err := w.reader.Ends(t.Context(), topics.Unique().Name)
	if err != nil {
		t.Fatal(err)
	}
	for p, end := range ends {
		slices.Sort(got[p])
		var want []int64
		for i := range end {
			want = append(want, i)
		}
		if !slices.Equal(got[p], want) {
			t.Errorf("partition %d: offsets %v, want 0 to %d once each", p, got[p], end-1)
		}
	}
}

// TestALogThatWasMadeAnewBeginsANewEra: what the new log holds is written too, told apart by its
// era.
func TestALogThatWasMadeAnewBeginsANewEra(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	p, err := place.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.life(t.Context(), w.tap(t, p, small())); err != nil {
		t.Fatal(err)
	}
	streamstest.Remake(t, w.opts, topics.Unique().Name)
	w.publish(t, 1, 0, 7)
	if err := w.life(t.Context(), w.tap(t, p, small())); err != nil {
		t.Fatal(err)
	}
	eras := map[int64]int{}
	for _, f := range files(t, dir, ".jsonl.gz") {
		for _, l := range lines(t, f) {
			eras[l.Era]++
		}
	}
	if eras[1] != records || eras[2] != 7 {
		t.Errorf("records by era: %v, want %d and 7", eras, records)
	}
}

// TestALogThatLostItsEndIsReadAgainFromWhereBothAgree: a log of the same id ends before the files.
func TestALogThatLostItsEndIsReadAgainFromWhereBothAgree(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	p, err := place.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	tap := w.tap(t, p, small())
	if err := w.life(t.Context(), tap); err != nil {
		t.Fatal(err)
	}
	b := notebook{p, topics.Unique().Name, 1, small().Keep}
	last, err := b.newest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ahead := *last // as if the log had been longer
	ahead.N, ahead.First, ahead.Next, ahead.Files = last.N+1, last.Next, last.Next+10, nil
	ahead.Last = &lastRecord{Offset: last.Next + 9, Key: "gone"}
	if err := b.write(t.Context(), &ahead); err != nil {
		t.Fatal(err)
	}
	w.publish(t, 1, 30, 34)
	if err := w.life(t.Context(), w.tap(t, p, small())); err != nil {
		t.Fatal(err)
	}
	var again []int64
	for _, f := range files(t, dir, ".jsonl.gz") {
		for _, l := range lines(t, f) {
			if l.Era == 2 {
				again = append(again, l.Offset)
			}
		}
	}
	if slices.Sort(again); !slices.Equal(again, []int64{23, 24, 25, 26}) {
		t.Errorf("of the second era: offsets %v, want 23 to 26: what came where the log had been cut", again)
	}
}

func TestADirectoryOfAnotherTapIsRefused(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	p, err := place.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.tap(t, p, small())
	_, err = New(t.Context(), small(), Deps{
		Place: p, Format: JSONL{}, Topic: topics.Pages().Name, Logger: w.tap(t, p, small()).log, Meter: streams.NewMeter(),
	})
	if err == nil {
		t.Error("a tap of another topic was let in")
	}
	if err := os.WriteFile(filepath.Join(dir, "_millrace", "tap.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Look(t.Context(), p); err == nil {
		t.Error("a damaged sign was believed")
	}
}

// TestTwoCrawlsThatShareADirectoryByMistakeAreTold: a tap that reads another Kafka is refused at
// its start; one of another crawl, which cannot be told before it writes, ends and names who
// writes.
func TestTwoCrawlsThatShareADirectoryByMistakeAreTold(t *testing.T) {
	w, other, dir := newWorld(t), newWorld(t), t.TempDir()
	p, err := place.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	first, ended := w.tap(t, p, small()), make(chan error, 1)
	go func() { ended <- first.Run(ctx, streamstest.Config(w.opts)) }()
	if err := first.Drain(ctx, w.reader, nil); err != nil {
		t.Fatal(err)
	}
	if err := other.life(ctx, other.tap(t, p, small())); err != nil { // takes the directory over
		t.Fatal(err)
	}
	w.publish(t, 1, 30, 40) // which the first one cannot write any more
	err = <-ended
	var fenced *FencedError
	if !errors.As(err, &fenced) || !strings.Contains(err.Error(), "writes the records of another crawl to the same place") {
		t.Errorf("it ended with %v", err)
	}

	there := w.deps(p)
	if err := os.Remove(filepath.Join(dir, signName)); err != nil {
		t.Fatal(err)
	}
	there.Kafka = "one"
	if _, err := New(t.Context(), small(), there); err != nil {
		t.Fatal(err)
	}
	there.Kafka = "two"
	if _, err := New(t.Context(), small(), there); err == nil || !strings.Contains(err.Error(), "another Kafka (cluster one)") {
		t.Errorf("a tap of another Kafka: %v", err)
	}
}

// TestEveryTopicOfMessagesCanBeTapped: a topic that is added must be added to Run.
func TestEveryTopicOfMessagesCanBeTapped(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, spec := range topics.All() {
		p, err := place.Dir(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		tap, err := New(t.Context(), small(), Deps{
			Place: p, Format: JSONL{}, Topic: spec.Name, Logger: slog.New(slog.DiscardHandler), Meter: streams.NewMeter(),
		})
		if err != nil {
			t.Fatal(err)
		}
		err = tap.Run(ended, streams.DefaultConfig())
		if spec.Name != topics.DeadLetters().Name && err != nil {
			t.Errorf("%s: %v", spec.Name, err)
		}
	}
}

// FuzzNote: a note is read or refused, whatever stands in its file.
func FuzzNote(f *testing.F) {
	f.Add([]byte(`{"n":1,"era":1,"first":0,"next":5}`))
	f.Add([]byte(`{"n":-1}`))
	f.Add([]byte(`{"n":1,"era":1,"next":1,"files":[{"name":"../../x","staged":"/etc/passwd"}]}`))
	f.Add([]byte(`{"n":1,"era":1,"last":{"offset":9223372036854775807}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		note, err := parseNote(raw)
		if err == nil && (note.N < 1 || note.Next < note.First) {
			t.Errorf("%s became %+v", raw, note)
		}
		for i := 0; err == nil && i < len(note.Files); i++ {
			if f := note.Files[i]; !filepath.IsLocal(f.Name) || !filepath.IsLocal(f.Staged) {
				t.Errorf("%s names a file outside its directory", raw)
			}
		}
	})
}

// FuzzRecord: a record comes back from the file of those that wait as it went in; damage is noticed
// or gives another record, and nothing else.
func FuzzRecord(f *testing.F) {
	f.Add(int64(7), "key", "header", []byte("value"), false, []byte{1, 2})
	f.Fuzz(func(t *testing.T, offset int64, key, header string, value []byte, tombstone bool, damage []byte) {
		in := &Record{
			Offset: offset, Time: time.UnixMilli(offset / 2).UTC(), Key: key, Value: value, Tombstone: tombstone,
			Headers: []streams.Header{{Key: header, Value: value}},
		}
		b := appendRecord(nil, in)
		out, err := parseRecord(b)
		if err != nil || out.Offset != in.Offset || out.Key != key || !out.Time.Equal(in.Time) || out.Header(header) != string(value) ||
			out.Tombstone != tombstone || !tombstone && !slices.Equal(out.Value, value) {
			t.Fatalf("%+v became %+v (%v)", in, out, err)
		}
		_, _ = parseRecord(damage)
	})
}

// A record that cannot be decoded, at the end of a partition, is a dead letter once: the notes go
// past it.
func TestADeadLetterAtTheEndIsPassed(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	bad := streams.Send{Topic: topics.Unique().Name, Partition: 1, Key: "test.a:https/bad", Value: []byte("\xff\xff no message")}
	if err := streamstest.Append(t.Context(), w.opts, []streams.Send{bad}); err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		tap, stop := w.member(t, dir)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if err := tap.Drain(ctx, w.reader, nil); err != nil {
			t.Fatal(err)
		}
		cancel()
		stop()
		ends, err := w.reader.Ends(t.Context(), topics.DeadLetters().Name)
		if err != nil || ends[0] != 1 {
			t.Fatalf("start %d: %d dead letters of one record: %v", round, ends[0], err)
		}
		if round == 1 { // the next start reads more than nothing
			w.publish(t, 1, records, records+3)
		}
	}
}
