package text

import (
	"bytes"
	"sort"
	"strings"
	"testing"
	"unicode/utf8"

	"millrace/ops/simweb/draw"
)

func models(t testing.TB) Models {
	m, err := Load(1, English, Russian, Chinese)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSameSeedSameText(t *testing.T) {
	a, b := models(t), models(t)
	for l := range langs {
		for i := range uint64(200) {
			x, y := a[l].Paragraph(nil, i, int(i)), b[l].Paragraph(nil, i, int(i))
			if !bytes.Equal(x, y) || !utf8.Valid(x) || bytes.ContainsAny(x, "{}<>&") {
				t.Fatalf("%q %q", x, y)
			}
		}
	}
}

// Search over the web looks sensible only if common words are common and there
// is a long tail of rare ones.
func TestWordsFollowAZipfLikeLaw(t *testing.T) {
	m := models(t)[English]
	count := map[string]int{}
	var buf []byte
	for i := range uint64(20000) {
		buf = m.compose(buf[:0], draw.Hash(5, i), int(i%12))
		for _, w := range strings.FieldsFunc(string(buf), func(r rune) bool { return r == ' ' || r == '.' || r == ',' || r == '?' }) {
			count[w]++
		}
	}
	var by []int
	for _, n := range count {
		by = append(by, n)
	}
	sort.Sort(sort.Reverse(sort.IntSlice(by)))
	if len(by) < 2000 || by[0] < 50*by[500] || by[500] < 3*by[1900] {
		t.Fatalf("%d words; frequency of ranks 1, 501, 1901: %d %d %d", len(by), by[0], by[500], by[1900])
	}
}

func BenchmarkParagraphs20KB(b *testing.B) {
	m := models(b)[English]
	buf := make([]byte, 0, 32<<10)
	for i := uint64(0); b.Loop(); i++ {
		s := draw.NewStream(i)
		for buf = buf[:0]; len(buf) < 20<<10; {
			buf = m.Paragraph(buf, s.Next(), 3)
		}
	}
	b.SetBytes(20 << 10)
}
