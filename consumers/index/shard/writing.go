package shard

import (
	"math"
	"strings"

	"millrace/consumers/index/segment"
	"millrace/consumers/index/text"
)

// writing collects the words of one document: how often each is in each part, and where it is in
// title and body.
//
// The rules are applied to a spelling once, as long as the normaliser remembers it, and its term is
// looked up once per document: the remembered Word keeps the number of its entry (Text and Note).
type writing struct {
	normal    *text.Normaliser
	analyser  text.Analyser
	positions bool
	document  uint64 // number of this document, to tell whether a Word was met here
	entries   []entry
	byTerm    map[string]int32
	forms     []string
	collect   bool // forms are collected
	lengths   [segment.Parts]uint32
	order     [2][]met // the words of title and body in order, if positions are kept
}

// entry is a term of the document.
type entry struct {
	term  string
	freqs segment.Frequencies
	last  placed // where it was met last
}

// met is an occurrence of a word.
type met struct{ entry, position int32 }

// newWriting begins a document whose text has about this many bytes.
func newWriting(n *text.Normaliser, a text.Analyser, positions bool, bytes int) *writing {
	few := min(int(8*math.Sqrt(float64(bytes)/6)), bytes/6) + 16 // texts repeat their words
	w := &writing{
		normal: n, analyser: a, positions: positions, document: n.Text(), collect: true,
		entries: make([]entry, 0, few), byTerm: make(map[string]int32, few), forms: make([]string, 0, few),
	}
	if positions {
		w.order[segment.Body] = make([]met, 0, bytes/6)
	}
	return w
}

// takeForms returns the forms of the words that were met, some of them twice, and ends the
// collecting.
func (w *writing) takeForms() []string {
	forms := w.forms
	w.forms, w.collect = nil, false
	return forms
}

// anchors adds the texts of links.
func (w *writing) anchors(all []Anchor) {
	bytes := 0
	for _, a := range all {
		if bytes += len(a.Text); bytes > maxListBytes {
			return
		}
		w.scan(segment.Anchors, a.Text, uint32(min(max(1, a.Sites), maxAnchorSites)))
	}
}

// authors sets the terms of the author's name.
func (w *writing) authors(name string, d *segment.Document) {
	for scan := text.Scan(name); ; {
		span, ok := scan.Next()
		if !ok {
			return
		}
		d.Terms[segment.Author] = append(d.Terms[segment.Author], w.normal.Word(name[span.Start:span.End]).Term)
	}
}

// scan adds the words of a part; each occurrence counts times times.
func (w *writing) scan(part segment.Part, value string, times uint32) {
	pairs := false
	placed := w.positions && part <= segment.Body
	joining := text.Join(value, w.analyser)
	for scan := text.Scan(value); ; w.lengths[part] += times {
		span, ok := scan.Next()
		if !ok {
			break
		}
		if one, whole := joining.Next(span); one != "" {
			w.joined(part, one, whole, times)
		}
		pairs = pairs || span.Pair
		word := w.normal.Word(value[span.Start:span.End])
		if word.Text != w.document {
			w.meet(word, span.Pair)
		}
		w.entries[word.Note].freqs[part] += times
		if placed {
			w.order[part] = append(w.order[part], met{int32(word.Note), int32(span.Position)})
			w.entries[word.Note].last = place(part, span.Position)
		}
		for _, term := range word.Also {
			w.further(part, term, span.Position, times)
		}
		if acronym := text.Acronym(value, span); acronym != "" {
			w.further(part, w.analyser.Term(acronym), span.Position, times)
		}
	}
	if one, whole := joining.End(); one != "" {
		w.joined(part, one, whole, times)
	}
	if pairs && w.collect {
		w.cut(value)
	}
}

// joined adds words that are one: email for e-mail, at the place of the first of them. It is no
// word of the vocabulary, and the part is not longer for it. An acronym is its own term.
func (w *writing) joined(part segment.Part, one string, whole text.Span, times uint32) {
	term := w.analyser.Term(text.JoinedStem(w.normal.Word(one).Stem))
	if text.IsAcronym(one) {
		term = w.analyser.Term(one)
	}
	w.further(part, term, whole.Position, times)
}

// further adds a further term of a word; nothing if the term is at that place already.
func (w *writing) further(part segment.Part, term string, position int, times uint32) {
	n, ok := w.byTerm[term]
	if !ok {
		n = int32(len(w.entries))
		w.entries = append(w.entries, entry{term: term})
		w.byTerm[term] = n
	}
	e := &w.entries[n]
	if w.positions && part <= segment.Body {
		at := place(part, position)
		if e.last.part == at.part && e.last.position >= at.position {
			return
		}
		e.last = at
		w.order[part] = append(w.order[part], met{n, int32(position)})
	}
	e.freqs[part] += times
}

// placed is a part of the document and a position there.
type placed struct{ part, position int32 }

func place(part segment.Part, position int) placed { return placed{int32(part) + 1, int32(position)} }

// meet adds the entry of a spelling that was not met in this document before.
func (w *writing) meet(word *text.Word, pair bool) {
	n, ok := w.byTerm[word.Term]
	if !ok {
		n = int32(len(w.entries))
		w.entries = append(w.entries, entry{term: word.Term})
		w.byTerm[word.Term] = n
	}
	word.Text, word.Note = w.document, int(n)
	if !pair && word.Form != "" && w.collect {
		w.forms = append(w.forms, word.Form)
	}
}

// cut collects the words of the parts of a text that are written without spaces.
func (w *writing) cut(value string) {
	for word := range text.Words(value) {
		w.forms = append(w.forms, strings.Clone(word))
	}
}

// words encodes the entries.
func (w *writing) words() []segment.Word {
	title, body := w.places(segment.Title), w.places(segment.Body)
	all := make([]byte, 0, 3*len(w.entries)+2*len(w.order[segment.Body]))
	ends := make([]int, len(w.entries))
	for i := range w.entries {
		e := &w.entries[i]
		var inTitle, inBody []uint32
		if w.positions {
			inTitle, title = title[:e.freqs[segment.Title]], title[e.freqs[segment.Title]:]
			inBody, body = body[:e.freqs[segment.Body]], body[e.freqs[segment.Body]:]
		}
		all = segment.AppendEntry(all, &e.freqs, inTitle, inBody)
		ends[i] = len(all)
	}
	words, from := make([]segment.Word, len(w.entries)), 0
	for i, end := range ends {
		words[i] = segment.Word{Term: w.entries[i].term, Entry: all[from:end:end]}
		from = end
	}
	return words
}

// places returns the positions in a part: those of the first entry, those of the second, and so on.
func (w *writing) places(part segment.Part) []uint32 {
	next := make([]uint32, len(w.entries))
	at := uint32(0)
	for i := range w.entries {
		next[i] = at
		at += w.entries[i].freqs[part]
	}
	places := make([]uint32, len(w.order[part]))
	for _, m := range w.order[part] {
		places[next[m.entry]] = uint32(m.position)
		next[m.entry]++
	}
	return places
}
