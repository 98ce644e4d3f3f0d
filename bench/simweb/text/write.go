package text

import (
	"strconv"
	"unicode"
	"unicode/utf8"

	"millrace/bench/simweb/draw"
)

// Title appends the title that belongs to a seed.
func (m *Model) Title(dst []byte, seed uint64, topic int) []byte {
	s := draw.NewStream(seed)
	return m.fill(dst, m.titles[s.Below(uint64(len(m.titles)))], &s, topic)
}

// Sentence appends the sentence that belongs to a seed: seven of eight times a
// ready one, which costs a copy, else one made for it alone.
func (m *Model) Sentence(dst []byte, seed uint64, topic int) []byte {
	if bits := draw.Mix(seed); bits>>61 != 0 {
		return append(dst, m.pool[topic%len(m.pool)][bits%poolSize]...)
	}
	return m.compose(dst, seed, topic)
}

func (m *Model) compose(dst []byte, seed uint64, topic int) []byte {
	s := draw.NewStream(seed)
	return m.fill(dst, m.sentences[s.Below(uint64(len(m.sentences)))], &s, topic)
}

func (m *Model) fillPool(seed uint64) {
	m.pool = make([][]string, len(m.topics))
	for topic := range m.pool {
		m.pool[topic] = make([]string, poolSize)
		for i := range m.pool[topic] {
			h := draw.Hash(seed, uint64(m.lang), uint64(topic), uint64(i))
			m.pool[topic][i] = string(m.compose(nil, h, topic))
		}
	}
}

// Gap is what stands between two sentences.
func (m *Model) Gap() string { return m.gap }

func (m *Model) fill(dst []byte, t []piece, s *draw.Stream, topic int) []byte {
	start := len(dst)
	for _, p := range t {
		dst = append(dst, p.literal...)
		switch p.slot {
		case 'n':
			dst = append(dst, m.word(s.Next(), topic)...)
		case 'x':
			dst = append(dst, m.names[m.nameRank[s.Next()%zipfSteps]]...)
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
	return list[int(m.wordRank[bits%zipfSteps])%len(list)]
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
