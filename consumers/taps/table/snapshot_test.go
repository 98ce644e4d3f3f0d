package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"millrace/consumers/taps"
	"millrace/consumers/taps/place"
	"millrace/schema"
)

func directory(t *testing.T) place.Place {
	t.Helper()
	p, err := place.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestASnapshotIsTheFoldOfTheFiles compares it with a map, over random documents, deletions and
// eras, in files whose order on disk is not that of the log.
func TestASnapshotIsTheFoldOfTheFiles(t *testing.T) {
	from, to := directory(t), directory(t)
	random := rand.New(rand.NewPCG(1, 2))
	want := map[string]int64{}
	offset := int64(0)
	for file := range 12 {
		var records []*taps.Record
		first := offset
		for range 40 {
			key := fmt.Sprintf("test.a:https/%d", random.IntN(30))
			r := deletion(offset, key)
			delete(want, key)
			if random.IntN(3) > 0 {
				r = put(offset, &schema.Doc{RowKey: key, Rev: offset, Title: "t", Headings: []string{"a", "b"}})
				want[key] = offset
			}
			r.Era = int64(1 + file/8)
			records = append(records, r)
			if offset++; file == 7 && len(records) == 40 { // another log
				offset = 0
			}
		}
		name := fmt.Sprintf("day=2026-01-%02d/lang=en/docs.unique-p00003-e%02d-%012d-%012d.parquet", 28-file, 1+file/8, first, first+39)
		write(t, from, name, encode(t, NewDocuments(), records...))
	}
	sum, err := Snapshot(t.Context(), from, to)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	err = eachRow(t.Context(), to, "documents-p00003.parquet", func(r keyRow) error {
		if _, twice := got[r.Key]; twice || r.Op != "put" {
			t.Errorf("%+v does not belong there", r)
		}
		got[r.Key] = r.Offset
		return nil
	})
	if err != nil || len(got) != len(want) || sum.Kept != int64(len(want)) || sum.Rows != 480 || sum.Files != 12 {
		t.Fatalf("%d documents, want %d: %+v, %v", len(got), len(want), sum, err)
	}
	for k, o := range want {
		if got[k] != o {
			t.Errorf("%s: record %d, want %d", k, got[k], o)
		}
	}
	if _, err := Snapshot(t.Context(), from, to); err == nil {
		t.Error("a second fold went into the same directory")
	}
}

func write(t *testing.T, p place.Place, name string, b []byte) {
	t.Helper()
	if err := p.Write(context.Background(), name, func(w io.Writer) error { _, err := w.Write(b); return err }); err != nil {
		t.Fatal(err)
	}
}

// A fold that was ended before it was done is begun again in the same place by the same call,
// whatever it had written; in a place that holds something else none begins.
func TestAFoldThatWasEndedIsBegunAgain(t *testing.T) {
	from := directory(t)
	for p := range 3 {
		name := fmt.Sprintf("day=2026-01-01/lang=en/docs.unique-p%05d-e01-000000000000-000000000000.parquet", p)
		write(t, from, name, encode(t, NewDocuments(), put(0, &schema.Doc{RowKey: fmt.Sprintf("test.a:https/%d", p), Rev: 1})))
	}
	links := directory(t)
	write(t, links, "day=2026-01-01/urls.discovered-p00000-e01-000000000000-000000000000.parquet",
		encode(t, NewLinks(), says("test.a:https/", 1, "test.a", ":https/x")))
	for name, fold := range map[string]func(context.Context, place.Place) error{
		"snapshot": func(ctx context.Context, to place.Place) error { _, err := Snapshot(ctx, from, to); return err },
		"graph": func(ctx context.Context, to place.Place) error {
			_, err := Graph(ctx, links, to, DefaultGraphOptions())
			return err
		},
	} {
		whole := directory(t)
		if err := fold(t.Context(), whole); err != nil {
			t.Fatal(name, err)
		}
		want, err := whole.List(t.Context(), "")
		if err != nil || len(want) < 3 {
			t.Fatal(name, want, err)
		}
		ends := 0
		for at := 1; ; at++ {
			dir := t.TempDir()
			to, err := place.Dir(dir)
			if err != nil {
				t.Fatal(err)
			}
			if fold(t.Context(), &ended{Place: to, at: at}) == nil {
				break
			}
			ends++
			if err := fold(t.Context(), to); err != nil {
				t.Errorf("%s, ended at call %d: %v", name, at, err)
			}
			var got []string
			entries, err := os.ReadDir(dir)
			for _, e := range entries {
				got = append(got, e.Name())
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, ended at call %d: %q, want %q, %v", name, at, got, want, err)
			}
		}
		if ends < 8 {
			t.Errorf("%s: only %d instants to end it at", name, ends)
		}
		other := directory(t)
		write(t, other, "mine.parquet", nil)
		if err := fold(t.Context(), other); err == nil || !strings.Contains(err.Error(), "is not empty") {
			t.Errorf("%s in a place with other files: %v", name, err)
		}
	}
}

// A fold of the files of another tap is refused, not an empty result.
func TestAFoldOfAnotherTapIsRefused(t *testing.T) {
	documents, links := directory(t), directory(t)
	write(t, documents, "day=2026-01-01/lang=en/docs.unique-p00000-e01-000000000000-000000000000.parquet",
		encode(t, NewDocuments(), put(0, &schema.Doc{RowKey: "test.a:https/", Rev: 1})))
	write(t, links, "day=2026-01-01/urls.discovered-p00000-e01-000000000000-000000000000.parquet",
		encode(t, NewLinks(), says("test.a:https/", 1, "test.a", ":https/x")))
	if _, err := Snapshot(t.Context(), links, directory(t)); !errors.Is(err, errOtherTap) {
		t.Errorf("a snapshot of links: %v", err)
	}
	if _, err := Graph(t.Context(), documents, directory(t), DefaultGraphOptions()); !errors.Is(err, errOtherTap) {
		t.Errorf("a graph of documents: %v", err)
	}
}

// ended is a place of a process that is killed at one of its calls: before it, or, of Write and
// every other call, in its middle.
type ended struct {
	place.Place
	at, calls int
}

var errEnded = errors.New("ended")

func (e *ended) do(before, after func() error) error {
	for _, fn := range []func() error{before, after} {
		if e.calls++; e.calls >= e.at {
			return errEnded
		}
		if err := fn(); err != nil {
			return err
		}
	}
	return nil
}

func nothing() error { return nil }

// Write implements place.Place. The goroutine that ends in the middle leaves what a killed process
// leaves.
func (e *ended) Write(ctx context.Context, name string, fn func(io.Writer) error) error {
	return e.do(func() error {
		if e.calls+1 < e.at {
			return e.Place.Write(ctx, name, fn)
		}
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			_ = e.Place.Write(ctx, name, func(w io.Writer) error {
				_, _ = io.WriteString(w, "half")
				runtime.Goexit()
				return nil
			})
		}()
		<-gone
		return nil
	}, nothing)
}

func (e *ended) CreateOnce(ctx context.Context, name string, b []byte) error {
	return e.do(nothing, func() error { return e.Place.CreateOnce(ctx, name, b) })
}

func (e *ended) Remove(ctx context.Context, name string) error {
	return e.do(nothing, func() error { return e.Place.Remove(ctx, name) })
}
