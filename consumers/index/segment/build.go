package segment

import (
	"bytes"
	"slices"
	"strings"
)

// Build makes a segment of documents, which have different keys. With places the entries of words
// have positions.
func Build(docs []*Document, places bool) ([]byte, error) {
	docs = slices.Clone(docs)
	ordered(docs)
	var out bytes.Buffer
	w, err := newWriter(fileWriter{w: &out}, places)
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		w.document(d.Mark, &d.Lengths)
		if err := w.stored.add(d.Page, d.Title, d.Text); err != nil {
			return nil, err
		}
	}
	if err := w.documents(); err != nil {
		return nil, err
	}
	in := inversion{}
	for f := range Fields {
		in.reset()
		for n, d := range docs {
			in.document(f, uint32(n), d)
		}
		w.beginField(f)
		if err := in.write(w); err != nil {
			return nil, err
		}
	}
	if err := w.finish(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// inversion collects the postings of one field.
type inversion struct {
	ids   map[string]uint32 // of the terms
	terms []string
	count []uint32 // postings of each term
	last  []uint32 // the document that had the term last, and one
	all   []posting
}

// posting is a term of a document.
type posting struct {
	term, doc uint32
	entry     []byte // nil if the field is not Words
}

func (in *inversion) reset() {
	if in.ids == nil {
		in.ids = map[string]uint32{}
	}
	clear(in.ids)
	in.terms, in.count, in.last, in.all = in.terms[:0], in.count[:0], in.last[:0], in.all[:0]
}

func (in *inversion) document(f Field, n uint32, d *Document) {
	switch f {
	case Key:
		in.add(d.Key, n, nil)
	case Words:
		for _, w := range d.Words {
			in.add(w.Term, n, w.Entry)
		}
	default:
		for _, t := range d.Terms[f] {
			in.add(t, n, nil)
		}
	}
}

// add notes a posting, once for each document.
func (in *inversion) add(term string, doc uint32, entry []byte) {
	id, ok := in.ids[term]
	if !ok {
		id = uint32(len(in.terms))
		in.ids[term] = id
		in.terms, in.count, in.last = append(in.terms, term), append(in.count, 0), append(in.last, 0)
	}
	if in.last[id] == doc+1 {
		return
	}
	in.last[id] = doc + 1
	in.count[id]++
	in.all = append(in.all, posting{id, doc, entry})
}

// write writes the terms in order. The postings are sorted by counting; those of a term stay in the
// order of their documents.
func (in *inversion) write(w *writer) error {
	order := make([]uint32, len(in.terms))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return strings.Compare(in.terms[x], in.terms[y]) })
	place := in.last // not needed any more: where the next posting of a term goes
	at := uint32(0)
	for _, id := range order {
		place[id] = at
		at += in.count[id]
	}
	sorted := make([]uint32, len(in.all))
	for i := range in.all {
		id := in.all[i].term
		sorted[place[id]] = uint32(i)
		place[id]++
	}
	for _, id := range order {
		for _, i := range sorted[:in.count[id]] {
			in.write1(w, &in.all[i])
		}
		sorted = sorted[in.count[id]:]
		if err := w.endTerm(in.terms[id]); err != nil {
			return err
		}
	}
	return w.endField()
}

func (in *inversion) write1(w *writer, p *posting) {
	if p.entry == nil {
		w.posting(p.doc, 0, nil, nil)
		return
	}
	code, freqs, places := split(p.entry)
	w.posting(p.doc, code, freqs, places)
}
