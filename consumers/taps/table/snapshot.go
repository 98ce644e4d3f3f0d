package table

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"millrace/consumers/taps/place"
)

// done is the name of the file that says that all files were written, as in Hadoop and Spark.
const done = "_SUCCESS"

// Folded says how much Snapshot read and wrote.
type Folded struct {
	Files int   `json:"files"`
	Rows  int64 `json:"rows"` // read
	Kept  int64 `json:"kept"` // written
}

// Snapshot reads the files of a tap and writes the current documents into an empty place: one file
// for each partition, without deletions.
func Snapshot(ctx context.Context, from, to place.Place) (Folded, error) {
	var sum Folded
	parts, err := tables(ctx, from)
	if err != nil {
		return sum, err
	}
	if err := begin(ctx, to, "documents-p*.parquet"); err != nil {
		return sum, err
	}
	for _, p := range slices.Sorted(maps.Keys(parts)) {
		newest, err := newestRows(ctx, from, parts[p], &sum)
		if err != nil {
			return sum, err
		}
		err = to.Write(ctx, fmt.Sprintf("documents-p%05d.parquet", p), func(w io.Writer) error {
			return copyNewest(ctx, from, parts[p], newest, w, &sum)
		})
		if err != nil {
			return sum, err
		}
	}
	if err := to.CreateOnce(ctx, done, nil); err != nil {
		return sum, err
	}
	return sum, to.Remove(ctx, unfinished)
}

// errOtherTap says that files are not of the tap whose files are to be folded.
var errOtherTap = errors.New("a snapshot is made of the files of consume parquet, a graph of those of consume links")

var errNoTables = errors.New("there are no Parquet files of a tap")

// tables lists the files of a tap by partition, in the order of the log.
func tables(ctx context.Context, from place.Place) (map[int][]string, error) {
	named := regexp.MustCompile(`-p(\d+)-e(\d+)-(\d+)-(\d+)\.parquet$`)
	names, err := from.List(ctx, "")
	if err != nil {
		return nil, err
	}
	out := map[int][]string{}
	for _, name := range names {
		if m := named.FindStringSubmatch(name); m != nil && !strings.HasPrefix(name, "_") {
			p, err := strconv.Atoi(m[1])
			if err != nil {
				return nil, err
			}
			out[p] = append(out[p], name)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: %w", from, errNoTables)
	}
	for _, files := range out {
		slices.SortFunc(files, func(a, b string) int { return strings.Compare(path.Base(a), path.Base(b)) })
	}
	return out, nil
}

// hash identifies a key in memory: 128 bits of SHA-256.
type hash [16]byte

func hashOf(key string) hash {
	sum := sha256.Sum256([]byte(key))
	return hash(sum[:16])
}

// stamp orders the rows of a key.
type stamp struct {
	era    int32
	offset int64
}

func (s stamp) after(o stamp) bool { return s.era > o.era || s.era == o.era && s.offset > o.offset }

// keyRow has the columns that tell which row of a key is the newest.
type keyRow struct {
	Key    string `parquet:"key"`
	Op     string `parquet:"op"`
	Era    int32  `parquet:"log_era"`
	Offset int64  `parquet:"log_offset"`
}

// newestRows returns the newest row of each key of a partition.
func newestRows(ctx context.Context, from place.Place, names []string, sum *Folded) (map[hash]stamp, error) {
	newest := map[hash]stamp{}
	for _, name := range names {
		sum.Files++
		err := eachRow(ctx, from, name, func(r keyRow) error {
			sum.Rows++
			k, s := hashOf(r.Key), stamp{r.Era, r.Offset}
			if s.after(newest[k]) {
				newest[k] = s
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return newest, nil
}

// eachRow calls fn for the rows of a file. Only the columns of T are read.
func eachRow[T any](ctx context.Context, from place.Place, name string, fn func(T) error) error {
	return withFile(ctx, from, name, func(f *parquet.File) error {
		for _, column := range parquet.SchemaOf(new(T)).Columns() {
			if _, ok := f.Schema().Lookup(column...); !ok {
				return fmt.Errorf("it has no column %s: %w", strings.Join(column, "."), errOtherTap)
			}
		}
		in := parquet.NewGenericReader[T](f)
		defer in.Close()
		buf := make([]T, 256)
		for {
			n, err := in.Read(buf)
			for _, r := range buf[:n] {
				if err := fn(r); err != nil {
					return err
				}
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err = errors.Join(err, ctx.Err()); err != nil {
				return err
			}
		}
	})
}

func withFile(ctx context.Context, from place.Place, name string, fn func(*parquet.File) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	raw, size, err := from.Open(ctx, name)
	if err != nil {
		return err
	}
	defer raw.Close()
	f, err := parquet.OpenFile(raw, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err == nil {
		err = fn(f)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// copyNewest writes the newest row of each key, unless it is a deletion, in the columns that this
// program knows.
func copyNewest(ctx context.Context, from place.Place, names []string, newest map[hash]stamp, w io.Writer, sum *Folded) error {
	t := NewDocuments().table
	out := t.writer(w)
	at := func(name string) int { leaf, _ := t.schema.Lookup(name); return leaf.ColumnIndex }
	key, op, era, offset := at("key"), at("op"), at("log_era"), at("log_offset")
	keep := func(row parquet.Row) error {
		var k string
		var s stamp
		put, size := false, 0
		for _, v := range row {
			switch v.Column() {
			case key:
				k = v.String()
			case op:
				put = v.String() == "put"
			case era:
				s.era = v.Int32()
			case offset:
				s.offset = v.Int64()
			}
			if v.Kind() == parquet.ByteArray {
				size += len(v.ByteArray())
			}
		}
		if !put || newest[hashOf(k)] != s {
			return nil
		}
		sum.Kept++
		return out.raw(row, size)
	}
	for _, name := range names {
		err := withFile(ctx, from, name, func(f *parquet.File) error { return eachRaw(ctx, f, t.schema, keep) })
		if err != nil {
			return err
		}
	}
	return out.close()
}

// eachRaw calls fn for the rows of a file, converted to a schema.
func eachRaw(ctx context.Context, f *parquet.File, to *parquet.Schema, fn func(parquet.Row) error) error {
	convert, err := parquet.Convert(to, f.Schema())
	if err != nil {
		return err
	}
	buf := make([]parquet.Row, 64)
	for _, group := range f.RowGroups() {
		rows := parquet.ConvertRowGroup(group, convert).Rows()
		for err = nil; err == nil; {
			var n int
			n, err = rows.ReadRows(buf)
			for _, row := range buf[:n] {
				if err := fn(row); err != nil {
					return errors.Join(err, rows.Close())
				}
			}
			if err == nil {
				err = ctx.Err()
			}
		}
		if closed := rows.Close(); !errors.Is(err, io.EOF) || closed != nil {
			return errors.Join(err, closed)
		}
	}
	return nil
}
