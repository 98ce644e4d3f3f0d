package taps

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/consumers/taps/place"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// A library of the fake of Google's store starts it in its init; the product has it not.
		goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

const records = 23

// world is a log with records in partition 1 of docs.unique, every third of them a deletion.
type world struct {
	opts   streams.Options
	reader *streams.Log
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{opts: streamstest.Options(t)}
	var err error
	if w.reader, err = streams.NewLog(w.opts); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.reader.Close)
	w.publish(t, 1, 0, records)
	return w
}

// publish appends the documents [from, to) to a partition, through a group as dedupe does.
func (w *world) publish(t *testing.T, partition int32, from, to int) {
	t.Helper()
	stage := func(p *streams.Partition) {
		e := streams.NewEmitter(p, "dedupe", topics.Unique())
		for i := from; i < to; i++ {
			key := fmt.Sprintf("test.a:https/%d", i/3)
			if i%3 == 2 {
				e.Tombstone(partition, key, key+"@1", streams.VersionHeader("rev", int64(i)), streams.Header{Key: "reason", Value: []byte("NOT_FOUND")})
				continue
			}
			e.SendTo(partition, document(key, int64(i)))
		}
	}
	var r streamstest.Recorder
	stage(r.Partition(partition, 4))
	if err := streamstest.Append(t.Context(), w.opts, r.Take()); err != nil {
		t.Fatal(err)
	}
}

func document(key string, rev int64) *schema.Unique {
	return &schema.Unique{Doc: &schema.Doc{
		RowKey: key, Url: "https://a.test/", Host: "a.test", Site: "a.test", Rev: rev, Title: fmt.Sprint("Title ", rev),
		Text: strings.Repeat("some words ", 20), Lang: []string{"en", "de-AT", ""}[rev%3], FetchedAt: 1_700_000_000_000 + rev,
	}}
}

func (w *world) tap(t *testing.T, p place.Place, o Options) *Tap {
	t.Helper()
	tap, err := New(t.Context(), o, w.deps(p))
	if err != nil {
		t.Fatal(err)
	}
	return tap
}

func (w *world) deps(p place.Place) Deps {
	return Deps{Place: p, Format: JSONL{}, Topic: topics.Unique().Name, Logger: slog.New(slog.DiscardHandler), Meter: streams.NewMeter()}
}

// small makes a file of every five records.
func small() Options {
	o := DefaultOptions()
	o.RollRecords, o.RollEvery, o.Writer = 5, time.Hour, "test"
	return o
}

// life runs a process until it ends: it takes the partition over and writes all there is.
func (w *world) life(ctx context.Context, tap *Tap) error {
	link := &streamstest.Recorder{Reader: w.reader}
	task := newTask(tap, topics.Unique(), link.Partition(1, 4))
	defer task.stop()
	from, err := task.Recover(ctx)
	if err != nil {
		return err
	}
	end, err := w.reader.End(ctx, topics.Unique().Name, 1)
	if err != nil {
		return err
	}
	err = streams.Read(ctx, w.reader, topics.Unique(), 1, from, end, func(r *streams.Record[*schema.Unique]) error {
		if err := task.Handle(ctx, r); err != nil {
			return err
		}
		return task.step(ctx)
	})
	if err == nil {
		tap.Flush(true)
		err = task.step(ctx)
	}
	return err
}

// step is the end of a round, which waits for what is written.
func (t *task[M]) step(ctx context.Context) error {
	if err := t.Tick(ctx, time.Now()); err != nil {
		return err
	}
	t.settleRoll(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return t.fenced
}

var errKilled = errors.New("killed")

// mortal is a place of a process that is killed at one of its calls: before it did anything, or
// when it had done it.
type mortal struct {
	place.Place
	mu    sync.Mutex
	calls int
	die   int  // the call at which it dies; 0: never
	after bool // having done it
	files int  // calls of Write
	half  int  // the file in whose middle it dies; 0: none
	kill  context.CancelFunc
	pause func(call int) // called before each call
}

func (m *mortal) do(fn func() error) error {
	m.mu.Lock()
	m.calls++
	call := m.calls
	m.mu.Unlock()
	if m.pause != nil {
		m.pause(call)
	}
	if m.die > 0 && call >= m.die {
		if call == m.die && m.after {
			_ = fn()
		}
		m.kill()
		return errKilled
	}
	return fn()
}

// Write implements place.Place. A goroutine that ends in the middle of a file leaves what a process
// leaves that is killed there.
func (m *mortal) Write(ctx context.Context, name string, fn func(io.Writer) error) error {
	m.files++
	if m.files == m.half {
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			_ = m.Place.Write(ctx, name, func(w io.Writer) error {
				_ = fn(w)
				runtime.Goexit()
				return nil
			})
		}()
		<-gone
		m.die = m.calls + 1
	}
	return m.do(func() error { return m.Place.Write(ctx, name, fn) })
}

func (m *mortal) CreateOnce(ctx context.Context, name string, b []byte) error {
	return m.do(func() error { return m.Place.CreateOnce(ctx, name, b) })
}

func (m *mortal) Move(ctx context.Context, from, to string) error {
	return m.do(func() error { return m.Place.Move(ctx, from, to) })
}

func (m *mortal) Remove(ctx context.Context, name string) error {
	return m.do(func() error { return m.Place.Remove(ctx, name) })
}

func (m *mortal) List(ctx context.Context, prefix string) (out []string, err error) {
	err = m.do(func() error { out, err = m.Place.List(ctx, prefix); return err })
	return out, err
}

func (m *mortal) Read(ctx context.Context, name string) (out []byte, err error) {
	err = m.do(func() error { out, err = m.Place.Read(ctx, name); return err })
	return out, err
}

// TestAKillAtAnyInstantLosesAndDoublesNothing kills a process at every call it makes to its
// directory, before and after the call took effect. The next process finishes, and the directory
// holds each record once.
func TestAKillAtAnyInstantLosesAndDoublesNothing(t *testing.T) {
	w := newWorld(t)
	kills := 0
	for _, after := range []bool{false, true} {
		for die := 1; ; die++ {
			dir := t.TempDir()
			if !w.dieAndGoOn(t, dir, die, after) {
				break
			}
			kills++
		}
	}
	if kills < 40 {
		t.Fatalf("only %d instants to kill at", kills)
	}
}

// dieAndGoOn reports whether the first process was killed.
func (w *world) dieAndGoOn(t *testing.T, dir string, die int, after bool) bool {
	t.Helper()
	p, err := place.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	tap := w.tap(t, p, small()) // what is in its sign is not at stake
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := &mortal{Place: p, die: die, after: after, kill: cancel}
	tap.place = m
	err = w.life(ctx, tap)
	if m.calls < die {
		if err != nil {
			t.Fatal(err)
		}
		return false
	}
	if err := w.life(t.Context(), w.tap(t, p, small())); err != nil {
		t.Fatalf("call %d (after %v): %v", die, after, err)
	}
	checkOnce(t, dir, fmt.Sprintf("killed at call %d (after %v)", die, after))
	return true
}

// A process that is killed in the middle of a file leaves a temporary file, which the next one
// deletes; likewise those of notes and of the sign.
func TestTemporaryFilesOfAKilledProcessAreDeleted(t *testing.T) {
	w := newWorld(t)
	kills := 0
	for half := 1; ; half++ {
		dir := t.TempDir()
		p, err := place.Dir(dir)
		if err != nil {
			t.Fatal(err)
		}
		tap := w.tap(t, p, small())
		ctx, cancel := context.WithCancel(t.Context())
		m := &mortal{Place: p, half: half, kill: cancel}
		tap.place = m
		err = w.life(ctx, tap)
		cancel()
		if m.files < half {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		kills++
		if left := leftOvers(t, dir); len(left) == 0 {
			t.Fatalf("killed in file %d: nothing is left", half)
		}
		for _, note := range []string{"000000000001.json", "000000000002.json"} {
			half := filepath.Join(dir, notesDir, topics.Unique().Name, "p00001", "."+note+".12345.tmp")
			if err := os.WriteFile(half, []byte("{"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, left := range []string{".tap.json.6789.tmp", "spool/millrace-tap-123"} {
			if err := os.WriteFile(filepath.Join(dir, "_millrace", left), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.life(t.Context(), w.tap(t, p, small())); err != nil {
			t.Fatalf("killed in file %d: %v", half, err)
		}
		checkOnce(t, dir, fmt.Sprintf("killed in file %d", half))
	}
	if kills < 5 {
		t.Fatalf("only %d files to be killed in", kills)
	}
}

// However long a tap runs, and wherever it is killed, no more notes of a partition are kept than
// Options.Keep.
func TestTheNotesOfATapDoNotGrow(t *testing.T) {
	w := newWorld(t)
	for _, die := range []int{0, 1} {
		dir := t.TempDir()
		p, err := place.Dir(dir)
		if err != nil {
			t.Fatal(err)
		}
		o := small()
		o.RollRecords, o.Keep = 1, 10
		tap := w.tap(t, p, o)
		ctx, cancel := context.WithCancel(t.Context())
		tap.place = &forgetful{Place: p, kill: cancel, die: die}
		if err := w.life(ctx, tap); (err != nil) != (die > 0) {
			t.Fatal(err)
		}
		cancel()
		if err := w.life(t.Context(), w.tap(t, p, o)); err != nil {
			t.Fatal(err)
		}
		checkOnce(t, dir, "many files")
		if n := len(files(t, filepath.Join(dir, notesDir), "")); n != o.Keep {
			t.Errorf("%d notes are kept (killed: %v)", n, die > 0)
		}
	}
}

// forgetful is the place of a process that is killed before it deletes its first note.
type forgetful struct {
	place.Place
	kill context.CancelFunc
	die  int
}

func (f *forgetful) Remove(ctx context.Context, name string) error {
	if f.die > 0 {
		f.kill()
		return errKilled
	}
	return f.Place.Remove(ctx, name)
}

// TestAWriterThatWasReplacedChangesNothing stops a process at every call, lets another one take the
// partition over and write everything, and lets the first one go on.
func TestAWriterThatWasReplacedChangesNothing(t *testing.T) {
	w := newWorld(t)
	stops := 0
	for at := 1; ; at++ {
		dir := t.TempDir()
		p, err := place.Dir(dir)
		if err != nil {
			t.Fatal(err)
		}
		old := w.tap(t, p, small())
		reached := false
		m := &mortal{Place: p, pause: func(call int) {
			if call == at {
				reached = true
				if err := w.life(t.Context(), w.tap(t, p, small())); err != nil {
					t.Error(err)
				}
			}
		}}
		old.place = m
		err = w.life(t.Context(), old)
		var fenced *FencedError
		if err != nil && !errors.As(err, &fenced) {
			t.Fatalf("stopped at call %d: %v", at, err)
		}
		checkOnce(t, dir, fmt.Sprintf("stopped at call %d", at))
		if !reached {
			break
		}
		stops++
	}
	if stops < 20 {
		t.Fatalf("only %d instants to stop at", stops)
	}
}

// checkOnce fails unless the files hold every record of the log once, under names that say so, and
// nothing is left that does not belong there.
func checkOnce(t *testing.T, dir, when string) {
	t.Helper()
	var got []int64
	for _, f := range files(t, dir, ".jsonl.gz") {
		for _, l := range lines(t, f) {
			got = append(got, l.Offset)
		}
	}
	slices.Sort(got)
	want := make([]int64, records)
	for i := range want {
		want[i] = int64(i)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s: offsets %v, want 0 to %d once each", when, got, records-1)
	}
	if left := leftOvers(t, dir); len(left) > 0 && !strings.Contains(when, "stopped") {
		t.Fatalf("%s: left behind: %v", when, left)
	}
}

// leftOvers lists what is in a directory beside whole files, notes and the sign of the tap: also
// what users do not see, as temporary files.
func leftOvers(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		path, err = filepath.Rel(dir, path)
		hidden := strings.HasPrefix(d.Name(), ".")
		switch ours := strings.HasPrefix(path, "_millrace"); {
		case !hidden && !ours && strings.HasSuffix(path, ".jsonl.gz"):
		case !hidden && (path == signName || ours && strings.HasPrefix(path, notesDir)):
		default:
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func files(t *testing.T, dir, ext string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ext) && !strings.HasPrefix(d.Name(), ".") {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func lines(t *testing.T, path string) []line {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []line
	for s := bufio.NewScanner(zip); s.Scan(); {
		var l line
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	return out
}
