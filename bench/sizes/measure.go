package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"millrace/topics"
)

// measure prints what a crawl of so many pages left on disk, by page: its data directory must have
// been closed. Of the store the keys and values count, not the files: in a small store most of
// these is room that is kept for the next writes.
func measure(w io.Writer, dir string, pages int) error {
	if pages < 1 {
		return errors.New("-fetched says of how many pages the crawl was")
	}
	var c costs
	for _, s := range topics.All() {
		n, err := bytesBelow(filepath.Join(dir, "log", "partitions"), func(folder string) bool {
			name, _, _ := cutLast(folder, "-")
			return name == s.Name
		})
		if err != nil {
			return err
		}
		each := float64(n) / float64(pages)
		switch {
		case s.Name == topics.Pages().Name:
			c.pages = each
		case s.Retention > 0:
			c.passing += each
		default:
			c.tables += each
			if s.Name == topics.Unique().Name {
				c.unique = each
			}
		}
		fmt.Fprintf(w, "%-16s %8.0f bytes a page\n", s.Name, each)
	}
	index, err := bytesBelow(filepath.Join(dir, "index"), func(string) bool { return true })
	if err != nil {
		return err
	}
	byURL, rows, err := rowBytes(filepath.Join(dir, "state"))
	if err != nil {
		return err
	}
	each := func(n int64) float64 { return float64(n) / float64(pages) }
	c.index, c.urlRows, c.rows = each(index), each(byURL), each(rows)
	_, err = fmt.Fprintf(w, "\npages: %.0f, passing: %.0f, tables: %.0f, unique: %.0f, urlRows: %.0f, rows: %.0f, index: %.0f,\n",
		c.pages, c.passing, c.tables, c.unique, c.urlRows, c.rows, c.index)
	return err
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// bytesBelow adds the sizes of the files in the folders right below dir that are wanted.
func bytesBelow(dir string, wanted func(folder string) bool) (sum int64, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if folder, _, _ := strings.Cut(rel, string(filepath.Separator)); !wanted(folder) {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		sum += info.Size()
		return nil
	})
	return sum, err
}

// rowBytes adds the keys and values of a store: those of the tables that have a row for each known
// URL (that crawl fetched all it knew), and those of the others. A key begins with its table's
// name.
func rowBytes(dir string) (byURL, rest int64, err error) {
	merger := *pebble.DefaultMerger
	merger.Name = "millrace.row.1"
	db, err := pebble.Open(dir, &pebble.Options{ReadOnly: true, Merger: &merger, Logger: quiet{}})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	it, err := db.NewIter(nil)
	if err != nil {
		return 0, 0, err
	}
	for it.First(); it.Valid(); it.Next() {
		n := int64(len(it.Key()) + len(it.Value()))
		if slices.ContainsFunc([]string{"url", "later", "todo"}, func(t string) bool { return bytes.HasPrefix(it.Key(), []byte(t)) }) {
			byURL += n
		} else {
			rest += n
		}
	}
	return byURL, rest, it.Close()
}

// quiet drops what Pebble says.
type quiet struct{}

// Infof drops a line.
func (quiet) Infof(string, ...any) {}

// Errorf drops a line.
func (quiet) Errorf(string, ...any) {}

// Fatalf drops a line; the error is returned too.
func (quiet) Fatalf(string, ...any) {}
