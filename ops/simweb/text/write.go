package text

import (
	"strconv"
	"unicode"
	"unicode/utf8"

	"millrace/ops/simweb/draw"
)

// Title appends the title that belongs to a seed.
func (m *Model) Title(dst []byte, seed uint64, topic int) []byte {
	s := draw.NewStream(seed)
	return m.fill(dst, m.titles[s.Below(uint64(len(m.titles)))], &s, topic)
}

// runLength is how many ready sentences a paragraph takes in one copy.
const runLength = 10

// Paragraph appends the paragraph that belongs to a seed: a run of ready
// sentences, which costs one copy of some 700 bytes, and one made for it alone.
func (m *Model) Paragraph(dst []byte, seed uint64, topic int) []byte {
	p := &m.pool[topic%len(m.pool)]
	first := draw.Mix(seed) % (poolSize - runLength)
	dst = append(dst, p.text[p.starts[first]:p.starts[first+runLength]]...)
	return m.compose(dst, seed, topic)
}

func (m *Model) compose(dst []byte, seed uint64, topic int) []byte {
	s := draw.NewStream(seed)
	return m.fill(dst, m.sentences[s.Below(uint64(len(m.sentences)))], &s, topic)
}

// pool holds the ready sentences of a topic, one behind the other, so that a run
// of them is read by the processor in one go.
type pool struct {
	text   []byte
	starts []uint32
}

func (m *Model) fillPool(seed uint64) {
	m.pool = make([]pool, len(m.topics))
	for topic := range m.pool {
		p := &m.pool[topic]
		for i := range uint64(poolSize) {
			p.starts = append(p.starts, uint32(len(p.text)))
			p.text = m.compose(p.text, draw.Hash(seed, uint64(m.lang), uint64(topic), i), topic)
			p.text = append(p.text, m.gap...)
		}
	}
}

func (m *Model) fill(dst []byte, t []piece, s *draw.Stream, topic int) []byte {
	start := len(dst)
	for _, p := range t {
		dst = append(dst, p.literal...)
		switch p.slot {
		case 'n':
			dst = append(dst, m.word(s.Next(), topic)...)
		case 'x':
			dst = append(dst, m.names[zipf(s.Next(), nameOctaves)].text()...)
		case 'd':
			dst = strconv.AppendUint(dst, 2+s.Below(900), 10)
		}
	}
	capitalise(dst[start:])
	return dst
}

// word draws a word of the topic, or in one of eight cases of another one.
func (m *Model) word(bits uint64, topic int) string {
	if bits>>61 == 0 {
		topic = int(bits >> 32 % uint64(len(m.topics)))
	}
	list := m.topics[topic%len(m.topics)]
	return list[zipf(bits, wordOctaves)%len(list)]
}

// capitalise changes the first letter in place, if that keeps its length.
func capitalise(s []byte) {
	if len(s) > 0 && s[0] >= 'a' && s[0] <= 'z' {
		s[0] -= 'a' - 'A'
		return
	}
	r, n := utf8.DecodeRune(s)
	if up := unicode.ToUpper(r); up != r && utf8.RuneLen(up) == n {
		utf8.EncodeRune(s, up)
	}
}
