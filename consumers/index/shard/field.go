package shard

import (
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

// analyse makes a field of the terms of a text. A word's spelling is analysed once per text, however often it
// stands there. Byte offsets are not kept: snippets scan the text again, and offsets cost two bytes a token.
func analyse(name, value string, a text.Analyser, normal *text.Normaliser, positions bool) *field {
	spellings := make(map[string]*index.TokenFreq, len(value)/12)
	terms := make(index.TokenFrequencies, len(value)/14)
	var places []index.TokenLocation
	length := 0
	for scan := text.Scan(value); ; length++ {
		span, ok := scan.Next()
		if !ok {
			break
		}
		word := value[span.Start:span.End]
		tf := spellings[word]
		if tf == nil {
			tf = entry(terms, a.Term(normal.Stem(word)))
			spellings[word] = tf
		}
		tf.SetFrequency(tf.Frequency() + 1)
		if positions {
			var place *index.TokenLocation
			places, place = next(places)
			place.Position = span.Position
			tf.Locations = append(tf.Locations, place)
		}
	}
	return &field{name: name, options: proseOptions(positions), value: []byte(value), length: length, terms: terms}
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
