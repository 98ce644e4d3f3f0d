package shard

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/segment"
)

// Dump writes everything that a query can see, in canonical form: the position without its time,
// every document by key with its mark and stored fields, every term of every field with its pages
// by key. Two shards with the same documents have the same dump, whatever their history (I8). It
// keeps the dump in memory.
func (s *Snapshot) Dump(w io.Writer) error {
	if !s.of.Searchable() {
		return errFormat
	}
	var lines []string
	for _, view := range s.segments {
		keys, err := dumpDocuments(view, &lines)
		if err != nil {
			return err
		}
		for field := range segment.Fields {
			dumpField(view, field, keys, &lines)
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
			if name == storedKey {
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

// dumpField appends a line per posting, of words one for each part of the page.
func dumpField(view *segmentView, field segment.Field, keys map[uint64]string, lines *[]string) {
	for terms := view.seg.Dictionary(field).All(); terms.Next(); {
		l := list{List: terms.List(), of: view}
		if field != segment.Words {
			for it := l.pages().Iterator(); it.HasNext(); {
				*lines = append(*lines, fmt.Sprintf("posting %s %q %q", field, terms.Term(), keys[uint64(it.Next())]))
			}
			continue
		}
		for c := l.Cursor(); c.Doc != segment.AtEnd; c.Next() {
			if view.deleted == nil || !view.deleted.Contains(c.Doc) {
				dumpWord(view, terms.Term(), keys[uint64(c.Doc)], c, lines)
			}
		}
	}
}

func dumpWord(view *segmentView, term []byte, key string, c *segment.Cursor, lines *[]string) {
	var freqs segment.Frequencies
	c.Frequencies(&freqs)
	var at [rank.Fields][]uint32
	at[rank.Title], at[rank.Body] = c.Positions(nil, nil)
	for p, n := range freqs {
		if n > 0 {
			*lines = append(*lines, fmt.Sprintf("posting %q of %q %q freq=%d length=%d at=%v",
				rank.Field(p), term, key, n, view.seg.Length(segment.Part(p), c.Doc), at[p]))
		}
	}
}
