package text

import (
	"embed"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"millrace/ops/simweb/draw"
)

//go:embed words/*.txt
var words embed.FS

// Lang is a language of the model.
type Lang uint8

// The languages.
const (
	English Lang = iota
	Russian
	Chinese
	langs
)

// Code returns the language's BCP 47 code.
func (l Lang) Code() string { return [...]string{"en", "ru", "zh"}[l] }

// A language has a tail of NameCount rare words, and topics of about 2^4 words.
const (
	nameOctaves = 12
	wordOctaves = 4
	NameCount   = 1<<nameOctaves - 1
)

// poolSize is how many ready sentences a topic has: 70 KB, so that a host's
// topic stays in the processor's cache. A page of 20 KB takes about 200 of them,
// so that two pages of one topic share about a fifth of their sentences, far
// below any threshold of near-duplicates.
const poolSize = 1 << 10

// piece is a literal and the slot after it (0 at a template's end).
type piece struct {
	literal string
	slot    byte
}

// Model writes one language.
type Model struct {
	lang      Lang
	gap       string // between sentences
	sentences [][]piece
	titles    [][]piece
	topics    [][]string // words by rank
	names     []name
	pool      []pool // by topic
}

// Models holds the loaded languages; the others are nil.
type Models [langs]*Model

// Load reads the word models of some languages; names are invented from the seed.
func Load(seed uint64, wanted ...Lang) (Models, error) {
	var all Models
	for _, l := range wanted {
		m, err := load(l, seed)
		if err != nil {
			return all, fmt.Errorf("word model %s: %w", l.Code(), err)
		}
		all[l] = m
	}
	return all, nil
}

func load(l Lang, seed uint64) (*Model, error) {
	file, err := words.ReadFile("words/" + l.Code() + ".txt")
	if err != nil {
		return nil, err
	}
	m := &Model{lang: l, gap: " "}
	var syllables []string
	section := ""
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case line[0] == '[':
			section = line
		case section == "[join]" && line == "none":
			m.gap = ""
		case section == "[templates]":
			m.sentences = append(m.sentences, compile(line))
		case section == "[title]":
			m.titles = append(m.titles, compile(line))
		case section == "[topic]":
			_, list, _ := strings.Cut(line, ": ")
			m.topics = append(m.topics, strings.Fields(list))
		case section == "[names]":
			syllables = strings.Fields(line)
		}
	}
	if len(m.sentences) == 0 || len(m.titles) == 0 || len(m.topics) == 0 || len(syllables) == 0 {
		return nil, fmt.Errorf("a section is empty")
	}
	m.names = inventNames(syllables, draw.Hash(seed, uint64(l)))
	m.fillPool(seed)
	return m, nil
}

func compile(line string) []piece {
	var t []piece
	for {
		i := strings.IndexByte(line, '{')
		if i < 0 {
			return append(t, piece{literal: line})
		}
		t = append(t, piece{literal: line[:i], slot: line[i+1]})
		line = line[i+3:]
	}
}

// name is a word of up to 31 bytes and, last, its length. Names are read at
// random: this way one costs one line of the processor's cache.
type name [32]byte

func (n *name) set(s string) { n[len(n)-1] = byte(copy(n[:len(n)-1], s)) }

func (n *name) text() []byte { return n[:n[len(n)-1]] }

func inventNames(syllables []string, h uint64) []name {
	names := make([]name, NameCount)
	s := draw.NewStream(h)
	for i := range names {
		var b strings.Builder
		for range 2 + s.Below(2) {
			b.WriteString(syllables[s.Below(uint64(len(syllables)))])
		}
		names[i].set(capital(b.String()))
	}
	return names
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// zipf draws a rank of about n = 2^k ranks by Zipf's law with exponent 1: every
// octave of ranks is equally likely, and every rank within its octave. No table
// is needed, and the ranks drawn most stay in the processor's cache.
func zipf(bits uint64, octaves uint64) int {
	k := bits % octaves
	return 1<<k + int(bits>>8&(1<<k-1)) - 1
}

// Topics is the number of topics of a language.
func (m *Model) Topics() int { return len(m.topics) }
