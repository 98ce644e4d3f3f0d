package search

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

func needlesOf(words ...string) *needles {
	c := &compiled{}
	var weights []float64
	normal := text.NewNormaliser("")
	for _, w := range words {
		c.words = append(c.words, rank.Word{Typed: w, Terms: []rank.Term{{Name: normal.Stem(w)}}})
		c.scored, weights = append(c.scored, true), append(weights, 1)
	}
	return newNeedles("", normal, c, weights)
}

func marked(pieces []Piece) string {
	var all []string
	for _, p := range pieces {
		if p.Match {
			all = append(all, p.Text)
		}
	}
	return strings.Join(all, " ")
}

// A snippet is where all words are, however late in the text, and not where only some are.
func TestASnippetIsWhereAllWordsAre(t *testing.T) {
	filler := strings.Repeat("Reeds grow along the water. ", 1500)
	p := &rank.Page{Text: "A heron. " + filler + "The heron caught a pike." + filler}
	if got := marked(piecesOf(p, needlesOf("herons", "pike"), 240, 64<<10)); got != "heron pike" {
		t.Errorf("marked %q", got)
	}
	if got := marked(piecesOf(p, needlesOf("heron", "absent"), 240, 64<<10)); got != "heron" {
		t.Errorf("marked %q", got)
	}
}

// Words whose stem has another second letter are found too.
func TestASnippetMarksWordsWhoseStemBeginsOtherwise(t *testing.T) {
	for query, word := range map[string]string{"die": "dying", "lie": "lying", "sky": "skies", "running": "Runs", "cats": "CAT", "ox": "oxes"} {
		p := &rank.Page{Text: "There is one word, " + word + ", to be marked."}
		normal := text.NewNormaliser("")
		want := word
		if normal.Stem(query) != normal.Stem(word) {
			want = ""
		}
		if got := marked(piecesOf(p, needlesOf(query), 240, 64<<10)); got != want {
			t.Errorf("%s: marked %q, want %q", query, got, want)
		}
	}
}

// In scripts without spaces a word is marked where all of it is, and no letter loses its marks: not
// at the ends of a snippet, not at the ends of what is marked.
func TestASnippetOfAScriptWithoutSpaces(t *testing.T) {
	long := strings.Repeat("การเดินทางด้วยรถไฟฟ้าเป็นที่นิยมมากในหมู่คนทำงานเพราะรวดเร็วและหลีกเลี่ยงการจราจรที่ติดขัด", 3)
	for _, c := range []struct{ text, query, want string }{
		{long + "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย" + long, "กรุงเทพมหานคร", "กรุงเทพมหานคร"},
		{long + "สวนจตุจักรเป็นตลาดนัดขนาดใหญ่" + long, "ตลาดนัด", "ตลาดนัด"},
		{"コンピュータにインストールする。データベースの検索", "データベース", "データベース"},
		{"南京市长江大桥和市长", "市长", "市长 市长"},
	} {
		normal := text.NewNormaliser("")
		var pairs []string
		for scan := text.Scan(c.query); ; {
			span, ok := scan.Next()
			if !ok || span.Last {
				break
			}
			pairs = append(pairs, normal.Stem(c.query[span.Start:span.End]))
		}
		for size := 200; size < 212; size++ {
			pieces := piecesOf(&rank.Page{Text: c.text}, needlesOf(pairs...), size, 64<<10)
			if got := marked(pieces); got != c.want {
				t.Errorf("%s in %d bytes: marked %q, want %q", c.query, size, got, c.want)
			}
			for _, p := range pieces {
				if r, _ := utf8.DecodeRuneInString(p.Text); unicode.IsMark(r) {
					t.Errorf("%s in %d bytes: %q begins with a mark", c.query, size, p.Text)
				}
			}
		}
	}
}

func piecesOf(p *rank.Page, n *needles, size, scan int) []Piece {
	pieces, _ := snippet(p, n, size, scan)
	return pieces
}

func TestASnippetKnowsThePageOfTheFileItIsFrom(t *testing.T) {
	text := strings.Repeat("The river rose. ", 40) + "\nThe heron waits. " + strings.Repeat("The river fell. ", 40) + "\nThe pike hides."
	second, third := int32(strings.Index(text, "The heron")), int32(strings.Index(text, "The pike"))
	p := &rank.Page{Text: text, PageStarts: []int32{0, second, third}}
	for query, want := range map[string]int{"rose": 1, "heron": 2, "fell": 2, "pike": 3, "absent": 0} {
		_, at := snippet(p, needlesOf(query), 240, 64<<10)
		if got := filePage(p.PageStarts, at); got != want {
			t.Errorf("%s: page %d, want %d", query, got, want)
		}
	}
	// a word far behind the beginning that is searched first
	for query, want := range map[string]int{"rose": 1, "heron": 2, "pike": 3} {
		pieces, at := snippet(p, needlesOf(query), 60, 200)
		if got := filePage(p.PageStarts, at); got != want || !slices.ContainsFunc(pieces, func(p Piece) bool { return p.Match }) {
			t.Errorf("%s, far: page %d, want %d, shown %+v", query, got, want, pieces)
		}
	}
	// pages without text begin where the next one does: the last of them has the text
	if got := filePage([]int32{0, 0, 0}, 0); got != 3 {
		t.Errorf("page %d, want 3", got)
	}
	if got := filePage(nil, 5); got != 0 {
		t.Errorf("a file without pages has page %d", got)
	}
}
