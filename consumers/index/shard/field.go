package shard

import (
	"maps"
	"slices"
	"strings"

	index "github.com/blevesearch/bleve_index_api"

	"millrace/consumers/index/text"
)

// field is one analysed field. It implements index.Field.
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

// EncodedFieldType says text; scorch hands it back with stored values.
func (f *field) EncodedFieldType() byte { return 't' }

// Analyze does nothing: fields are born analysed, because the totals of a batch must be known before scorch sees it.
func (f *field) Analyze() {}

// Options are the indexing options.
func (f *field) Options() index.FieldIndexingOptions { return f.options }

// AnalyzedLength is the number of tokens.
func (f *field) AnalyzedLength() int { return f.length }

// AnalyzedTokenFrequencies are the terms with their occurrences.
func (f *field) AnalyzedTokenFrequencies() index.TokenFrequencies { return f.terms }

// NumPlainTextBytes is only used for scorch's statistics.
func (f *field) NumPlainTextBytes() uint64 { return uint64(len(f.value)) }

// keywords makes a field of terms that are taken as they are.
func keywords(name string, terms []string) *field {
	f := &field{name: name, options: keyword, length: len(terms), terms: make(index.TokenFrequencies, len(terms))}
	for _, t := range terms {
		tf := &index.TokenFreq{Term: []byte(t)}
		tf.SetFrequency(1)
		f.terms[t] = tf
	}
	return f
}

// writing makes the fields of one document and gathers its forms.
type writing struct {
	analyser text.Analyser
	normal   *text.Normaliser
	forms    map[string]struct{}
}

// vocabulary returns the forms of the fields made so far.
func (w *writing) vocabulary() []string { return slices.Collect(maps.Keys(w.forms)) }

// prose makes a field of the terms of a text. A word's spelling is analysed once per text, however often it
// stands there. Byte offsets are not kept: snippets scan the text again, and offsets cost two bytes a token.
func (w *writing) prose(name, value string, positions bool) *field {
	f := &field{name: name, options: proseOptions(positions), value: []byte(value)}
	w.scan(f, value, 1, positions)
	return f
}

// counted makes a field of words that are neither stored nor have places; each counts so many times.
func (w *writing) counted(name, value string, times int) *field {
	f := &field{name: name, options: counted}
	w.scan(f, value, times, false)
	return f
}

// anchors makes the field of the texts of links.
func (w *writing) anchors(all []Anchor) *field {
	f := &field{name: fieldAnchors, options: counted}
	bytes := 0
	for _, a := range all {
		if bytes += len(a.Text); bytes > maxListBytes {
			break
		}
		w.scan(f, a.Text, min(max(1, a.Sites), maxAnchorSites), false)
	}
	return f
}

// scan adds the words of a text to a field.
func (w *writing) scan(f *field, value string, times int, positions bool) {
	spellings := make(map[string]*index.TokenFreq, len(value)/12)
	if f.terms == nil {
		f.terms = make(index.TokenFrequencies, len(value)/14)
	}
	var places []index.TokenLocation
	for scan := text.Scan(value); ; f.length += times {
		span, ok := scan.Next()
		if !ok {
			break
		}
		word := value[span.Start:span.End]
		tf := spellings[word]
		if tf == nil {
			tf = entry(f.terms, w.analyser.Term(w.normal.Stem(word)))
			spellings[word] = tf
			w.form(word, span)
		}
		tf.SetFrequency(tf.Frequency() + times)
		if positions {
			var place *index.TokenLocation
			places, place = next(places)
			place.Position = span.Position
			tf.Locations = append(tf.Locations, place)
		}
	}
	w.cut(value)
}

// form notes a word as it is written.
func (w *writing) form(word string, span text.Span) {
	if span.Pair {
		return
	}
	if form := text.Form(word); form != "" {
		w.forms[form] = struct{}{}
	}
}

// cut notes the words of the parts of a text that are written without spaces.
func (w *writing) cut(value string) {
	for word := range text.Words(value) {
		if _, ok := w.forms[word]; !ok {
			w.forms[strings.Clone(word)] = struct{}{}
		}
	}
}

func entry(terms index.TokenFrequencies, term string) *index.TokenFreq {
	tf := terms[term]
	if tf == nil {
		tf = &index.TokenFreq{Term: []byte(term)}
		terms[term] = tf
	}
	return tf
}

// next returns the next location of a block, beginning a new block when it is full.
func next(block []index.TokenLocation) ([]index.TokenLocation, *index.TokenLocation) {
	if len(block) == cap(block) {
		block = make([]index.TokenLocation, 0, 256)
	}
	block = block[:len(block)+1]
	return block, &block[len(block)-1]
}
