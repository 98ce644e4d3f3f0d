package shard

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// Dump writes everything that a query can see, in canonical form: the position without its time,
// every document by key with its mark and stored fields, every term of every field with its pages
// by key. Two shards with the same documents have the same dump, whatever their history (I8). It
// keeps the dump in memory.
func (s *Snapshot) Dump(w io.Writer) error {
	var lines []string
	for _, view := range s.segments {
		keys, err := dumpDocuments(view, &lines)
		if err != nil {
			return err
		}
		for _, field := range indexed() {
			if err := dumpField(view, field, keys, &lines); err != nil {
				return err
			}
		}
	}
	slices.Sort(lines)
	out := bufio.NewWriter(w)
	p := s.position
	fmt.Fprintf(out, "shape=%s offset=%d docs=%d digest=%s\n", p.Shape, p.Offset, p.Docs, p.Digest)
	for _, a := range slices.SortedFunc(slices.Values(s.Analysers()), cmp.Compare) {
		fmt.Fprintf(out, "analyser=%q %+v\n", a, p.Totals[a])
	}
	for _, l := range lines {
		fmt.Fprintln(out, l)
	}
	return out.Flush()
}

// dumpDocuments appends a line per document and returns the keys by document number.
func dumpDocuments(view *segmentView, lines *[]string) (map[uint64]string, error) {
	keys := map[uint64]string{}
	for it := view.snap.DocNumbersLive().Iterator(); it.HasNext(); {
		doc := uint64(it.Next())
		var line strings.Builder
		err := view.snap.VisitDocument(doc, func(name string, _ byte, value []byte, _ []uint64) bool {
			if name == fieldKey {
				keys[doc] = string(value)
			}
			fmt.Fprintf(&line, " %s=%q", name, value)
			return true
		})
		if err != nil {
			return nil, err
		}
		*lines = append(*lines, "document"+line.String())
	}
	return keys, nil
}

// dumpField appends a line per posting.
func dumpField(view *segmentView, field string, keys map[uint64]string, lines *[]string) error {
	dict, err := view.dict(field)
	if err != nil {
		return err
	}
	terms := dict.AutomatonIterator(nil, nil, nil)
	for {
		entry, err := terms.Next()
		if err != nil {
			return err
		}
		if entry == nil {
			return nil
		}
		l, err := view.list(field, entry.Term)
		if err != nil {
			return err
		}
		c, err := l.cursor(true)
		for ; err == nil && c.doc != atEnd; err = c.advance(c.doc + 1) {
			*lines = append(*lines, fmt.Sprintf("posting %s %q %q freq=%g length=%g at=%v",
				field, entry.Term, keys[c.doc], c.freq, c.length, places(c.where)))
		}
		if err != nil {
			return err
		}
	}
}

func places(where []segment.Location) []uint64 {
	var at []uint64
	for _, l := range where {
		at = append(at, l.Pos())
	}
	return at
}
