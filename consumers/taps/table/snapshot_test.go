package table

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
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
