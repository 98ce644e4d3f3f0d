package shard

import (
	"math"
	"strings"
	"sync"

	index "github.com/blevesearch/bleve_index_api"

	"millrace/consumers/index/text"
)

// field is one analysed field of a document. It implements index.Field.
type field struct {
	name    string
	options index.FieldIndexingOptions
	value   []byte
	length  int // tokens
	terms   index.TokenFrequencies
}

// Name implements index.Field, as do the methods after it.
func (f *field) Name() string { return f.name }

// Value is what is stored.
func (f *field) Value() []byte { return f.value }

// ArrayPositions are always absent.
func (f *field) ArrayPositions() []uint64 { return nil }

// EncodedFieldType returns the type text; scorch returns it with stored values.
func (f *field) EncodedFieldType() byte { return 't' }

// Analyze does nothing: the analysis is done before, because the totals of a batch must be known
// before scorch gets it.
func (f *field) Analyze() {}

// Options are the indexing options.
func (f *field) Options() index.FieldIndexingOptions { return f.options }

// AnalyzedLength is the number of tokens.
func (f *field) AnalyzedLength() int { return f.length }

// AnalyzedTokenFrequencies are the terms with their occurrences.
func (f *field) AnalyzedTokenFrequencies() index.TokenFrequencies { return f.terms }

// NumPlainTextBytes is only used for scorch's statistics.
func (f *field) NumPlainTextBytes() uint64 { return uint64(len(f.value)) }

// keywords makes a field whose terms are taken as they are.
func keywords(name string, terms []string) *field {
	f := &field{name: name, options: keyword, length: len(terms), terms: make(index.TokenFrequencies, len(terms))}
	for _, t := range terms {
		f.terms[t] = once()
	}
	return f
}

// once is the entry of a term with frequency 1 and no positions. All such terms share it: scorch
// takes the term from the map's key, and only reads the entry.
var once = sync.OnceValue(func() *index.TokenFreq {
	tf := &index.TokenFreq{}
	tf.SetFrequency(1)
	return tf
})

// location returns the entry for a position in a text, counted from 1. The entries of the first
// 65,535 positions are shared by all words of all documents: otherwise they would be half of the
// memory allocated for a batch. Scorch only reads them.
func location(position int) *index.TokenLocation {
	if shared := locations(); position < len(shared) {
		return &shared[position]
	}
	return &index.TokenLocation{Position: position}
}

// locations are 3.6 MB: room for most texts.
var locations = sync.OnceValue(func() []index.TokenLocation {
	all := make([]index.TokenLocation, 1<<16)
	for i := range all {
		all[i].Position = i
	}
	return all
})

// writing makes the fields of one document and collects its forms.
type writing struct {
	normal *text.Normaliser
	forms  index.TokenFrequencies // nil: they are not collected any more
	room   []index.TokenFreq      // memory for entries
}

// vocabulary returns the field of the forms that were collected, and ends the collecting.
func (w *writing) vocabulary() *field {
	f := &field{name: fieldForm, options: keyword, length: len(w.forms), terms: w.forms}
	w.forms = nil
	return f
}

// prose returns a field of the terms of a text. Byte offsets are not kept, because snippets scan
// the text again, and offsets cost two bytes a token.
func (w *writing) prose(name, value string, positions bool) *field {
	f := &field{name: name, options: proseOptions(positions), value: []byte(value)}
	c := w.counting(f, len(value))
	c.positions = positions
	c.scan(value, 1)
	c.place()
	return f
}

// counted returns a field of words that are not stored and have no positions; each occurrence
// counts times times.
func (w *writing) counted(name, value string, times int) *field {
	f := &field{name: name, options: counted}
	c := w.counting(f, len(value))
	c.scan(value, times)
	return f
}

// anchors returns the field of the texts of links.
func (w *writing) anchors(all []Anchor) *field {
	f := &field{name: fieldAnchors, options: counted}
	bytes := 0
	c := w.counting(f, 0)
	for _, a := range all {
		if bytes += len(a.Text); bytes > maxListBytes {
			break
		}
		c.scan(a.Text, min(max(1, a.Sites), maxAnchorSites))
	}
	return f
}

// counting counts the words of a field. The rules are applied to a spelling once, as long as the
// normaliser remembers it, and its term is looked up once per field: the remembered Word keeps the
// index of its entry (Text and Note).
type counting struct {
	*writing
	field     *field
	text      uint64             // number of this field, to tell whether a Word was met here
	entries   []*index.TokenFreq // of the spellings in this field so far
	positions bool
	order     []met // the words of the text in order, if positions are kept
}

// met is an occurrence of a word.
type met struct{ entry, position int32 }

// counting begins a field whose text has about this many bytes.
func (w *writing) counting(f *field, bytes int) counting {
	few := int(8 * math.Sqrt(float64(bytes)/6)) // texts repeat their words
	f.terms = make(index.TokenFrequencies, min(few, bytes/6))
	return counting{writing: w, field: f, text: w.normal.Text()}
}

// scan adds the words of a text to the field.
func (c *counting) scan(value string, times int) {
	pairs := false
	for scan := text.Scan(value); ; c.field.length += times {
		span, ok := scan.Next()
		if !ok {
			break
		}
		pairs = pairs || span.Pair
		word := c.normal.Word(value[span.Start:span.End])
		if word.Text != c.text {
			c.meet(word, span.Pair)
		}
		tf := c.entries[word.Note]
		tf.SetFrequency(tf.Frequency() + times)
		if c.positions {
			c.order = append(c.order, met{int32(word.Note), int32(span.Position)})
		}
	}
	if pairs && c.forms != nil {
		c.cut(value)
	}
}

// meet adds the entry of a spelling that was not met in this field before.
func (c *counting) meet(word *text.Word, pair bool) {
	tf := c.field.terms[word.Term]
	if tf == nil {
		tf = c.entry()
		c.field.terms[word.Term] = tf
	}
	word.Text, word.Note = c.text, len(c.entries)
	c.entries = append(c.entries, tf)
	if !pair && word.Form != "" && c.forms != nil {
		c.forms[word.Form] = once()
	}
}

// place sets the positions of every entry, in the order of the text.
func (c *counting) place() {
	room := make([]*index.TokenLocation, len(c.order))
	for _, m := range c.order {
		tf := c.entries[m.entry]
		if tf.Locations == nil {
			n := tf.Frequency()
			tf.Locations, room = room[:0:n], room[n:]
		}
		tf.Locations = append(tf.Locations, location(int(m.position)))
	}
}

// cut collects the words of the parts of a text that are written without spaces.
func (w *writing) cut(value string) {
	for word := range text.Words(value) {
		if _, ok := w.forms[word]; !ok {
			w.forms[strings.Clone(word)] = once()
		}
	}
}

// entry returns a new entry. They are allocated in blocks of 128.
func (w *writing) entry() *index.TokenFreq {
	if len(w.room) == 0 {
		w.room = make([]index.TokenFreq, 128)
	}
	tf := &w.room[0]
	w.room = w.room[1:]
	return tf
}
