package article

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/plain"
)

// A Block is a run of text without a paragraph boundary in it.
type Block struct {
	Text  string
	Tag   atom.Atom // of the nearest block element
	Box   int       // index of that element in Page.Boxes
	Words int       // words; a CJK character is half of one
	Chars int       // letters and digits
	Links int       // words inside links
	Stops int       // sentence ends: . ! ? and similar signs, before a space or the end
	Comma int
	Upper int // words that start with a capital letter
	Digit int // digits
}

// A Box is a block element that contains blocks.
type Box struct {
	Node        *html.Node
	Parent      int // index, -1 at the root
	Depth       int
	First, Last int // its blocks are Blocks[First:Last]
	Hidden      bool
	Comment     bool // named after comments, or inside such a box
}

// A Page is a tree cut into blocks.
type Page struct {
	Blocks []Block
	Boxes  []Box
}

// maxBlocks bounds the work on one page; the largest of 3,000 measured pages has 9,000. What
// follows is cut into larger blocks, of about tailBytes, whatever elements it stands in; comments
// in it are left out, because nothing would tell them from the text.
const (
	maxBlocks = 20_000
	tailBytes = 1 << 10
)

// Split cuts the tree below root into blocks, as a browser without scripts shows it. Hidden parts
// (hidden.go) are left out, unless the page shows hardly anything else: then a script would have
// shown them.
func Split(root *html.Node) *Page {
	p, hidden := split(root, false)
	if shown := p.Unlinked(); hidden && shown < shellWords {
		if whole, _ := split(root, true); whole.Unlinked() > shellTimes*shown+shellFewest {
			return whole
		}
	}
	return p
}

// split makes the blocks, with or without hidden parts, and reports whether some were left out.
func split(root *html.Node, withHidden bool) (p *Page, hidden bool) {
	s := splitter{page: &Page{}, root: root, withHidden: withHidden}
	s.enter(root, -1, 0)
	s.flush()
	return s.page, s.hidden
}

type splitter struct {
	page       *Page
	root       *html.Node
	withHidden bool // hidden parts become blocks too
	hidden     bool // hidden parts were left out
	mains      map[*html.Node]bool

	box  int
	text plain.Builder
	link int  // how many links are open
	br   bool // the last node was a line break
	cur  Block
	word counter
}

// enter opens a box for n and walks its children.
func (s *splitter) enter(n *html.Node, parent, depth int) {
	s.flush()
	hidden := IsHidden(n) && !isPanel(attr(n, "class")) || parent >= 0 && s.page.Boxes[parent].Hidden
	comment := isComment(n) || parent >= 0 && s.page.Boxes[parent].Comment
	s.page.Boxes = append(s.page.Boxes, Box{Node: n, Parent: parent, Depth: depth, First: len(s.page.Blocks), Hidden: hidden, Comment: comment})
	s.box = len(s.page.Boxes) - 1
	own := s.box
	s.children(n, depth)
	s.flush()
	s.page.Boxes[own].Last = len(s.page.Blocks)
	s.box = parent
}

func (s *splitter) children(n *html.Node, depth int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			s.write(c.Data)
		case html.ElementNode:
			s.element(c, depth+1)
		}
	}
}

func (s *splitter) element(n *html.Node, depth int) {
	hidden := IsHidden(n)
	s.hidden = s.hidden || isFallback(n.DataAtom)
	if hidden && !s.withHidden && !s.isOffered(n) {
		s.hidden = true
		return
	}
	switch {
	case isSkipped(n) && !(s.withHidden && isFallback(n.DataAtom)):
	case len(s.page.Blocks) >= maxBlocks && (isBlock(n.DataAtom) || hidden || isStyledBlock(n)):
		s.join(n, depth)
	case n.DataAtom == atom.Br:
		s.lineBreak()
	case isBlock(n.DataAtom) || hidden:
		s.enter(n, s.box, depth)
	case isStyledBlock(n):
		s.enter(n, s.box, depth)
	case n.DataAtom == atom.Sup && s.isNote(n):
		s.text.Space()
		s.children(n, depth)
	case n.DataAtom == atom.A:
		s.word.end(&s.cur, s.link > 0)
		s.link++
		s.children(n, depth)
		s.word.end(&s.cur, true)
		s.link--
	default:
		s.children(n, depth)
	}
}

// isNote reports whether a superscript behind a word is the mark of a note: digits or signs, behind
// a word that is no unit or symbol, or with a link. Set close to its word it would make another one
// of it, which nobody looks for.
func (s *splitter) isNote(n *html.Node) bool {
	linked, mark := false, ""
	for c := range n.Descendants() {
		if len(mark) > maxMark {
			return false
		}
		switch c.Type {
		case html.TextNode:
			mark += c.Data
		case html.ElementNode:
			linked = linked || c.DataAtom == atom.A
		}
	}
	if strings.Trim(mark, "0123456789,;–-[]() *†‡§¶\u00a0\n") != "" || strings.HasPrefix(strings.TrimSpace(mark), "-") {
		return false
	}
	letters := 0
	for _, r := range s.text.Tail(4 * leastNoted) {
		if letters++; !unicode.IsLetter(r) {
			letters = 0
		}
	}
	return letters >= leastNoted || letters > 0 && linked
}

const (
	maxMark    = 24 // bytes of the mark of a note
	leastNoted = 3  // letters of a word before it: m, kg and CO have fewer
)

// join walks the children of an element of the tail, which begins no block of its own.
func (s *splitter) join(n *html.Node, depth int) {
	if isComment(n) {
		return
	}
	s.part()
	s.children(n, depth)
	s.part()
}

// part ends a word between two elements of the tail, and the block if it is large enough.
func (s *splitter) part() {
	if s.text.Len() >= tailBytes {
		s.flush()
		return
	}
	s.br = false
	s.text.Space()
	s.word.end(&s.cur, s.link > 0)
	s.word.touch = false
}

// lineBreak handles a line break: one is a space, two in a row end a paragraph.
func (s *splitter) lineBreak() {
	if s.br {
		s.flush()
		return
	}
	s.br = true
	s.text.Space()
	s.word.end(&s.cur, s.link > 0)
}

func (s *splitter) write(data string) {
	before := s.text.Len()
	s.text.WriteString(data)
	if s.text.Len() > before {
		s.br = false
	}
	s.word.count(data, &s.cur, s.link > 0)
}

// flush ends the current block. A block without a letter or digit is decoration and is dropped.
func (s *splitter) flush() {
	s.word.end(&s.cur, s.link > 0)
	s.br = false
	if s.cur.Chars > 0 {
		s.cur.Words = max((s.word.halves+1)/2, 1)
		s.cur.Links = min((s.word.linkHalves+1)/2, s.cur.Words)
		s.cur.Text = s.text.String()
		s.cur.Box = s.box
		s.cur.Tag = s.page.Boxes[s.box].Node.DataAtom
		s.page.Blocks = append(s.page.Blocks, s.cur)
	}
	s.cur, s.word = Block{}, counter{}
	s.text.Reset()
}

// A counter counts the words in the text nodes of a block, in halves: see Block.Words.
type counter struct {
	halves, linkHalves int
	inWord, stop       bool
	touch              bool // the character before was part of a word, maybe of one that a link ended
}

func (w *counter) count(data string, b *Block, inLink bool) {
	for i := 0; i < len(data); {
		if n := lowerRun(data[i:]); n > 0 {
			w.letter(false, b)
			b.Chars += n - 1
			i += n
			continue
		}
		r, size := rune(data[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(data[i:])
		}
		i += size
		switch {
		case r < utf8.RuneSelf:
			w.ascii(byte(r), b, inLink)
		case isIdeographic(r):
			w.end(b, inLink)
			b.Chars++
			w.add(1, inLink)
		case unicode.IsLetter(r) || unicode.IsMark(r):
			w.letter(unicode.IsUpper(r), b)
		case r == '。' || r == '！' || r == '？' || r == '…' || r == '।' || r == '؟':
			b.Stops++
			w.end(b, inLink)
		case r == '，' || r == '、' || r == '،':
			b.Comma++
			w.end(b, inLink)
		case unicode.IsSpace(r):
			w.end(b, inLink)
			w.touch = false
		}
	}
}

// lowerRun returns the length of the run of letters from a to z at the beginning of s.
func lowerRun(s string) int {
	for n := range len(s) {
		if s[n] < 'a' || s[n] > 'z' {
			return n
		}
	}
	return len(s)
}

func (w *counter) ascii(c byte, b *Block, inLink bool) {
	switch {
	case 'a' <= c && c <= 'z':
		w.letter(false, b)
	case 'A' <= c && c <= 'Z':
		w.letter(true, b)
	case '0' <= c && c <= '9':
		b.Digit++
		w.letter(false, b)
	case c == '.' || c == '!' || c == '?':
		w.stop = w.touch || w.stop
	case c == ',':
		b.Comma++
	case c <= ' ':
		w.end(b, inLink)
		w.touch = false
	}
}

func (w *counter) letter(upper bool, b *Block) {
	b.Chars++
	if !w.inWord && upper {
		b.Upper++
	}
	w.inWord, w.stop, w.touch = true, false, true
}

// end ends a word; a full stop before it ends a sentence.
func (w *counter) end(b *Block, inLink bool) {
	if w.inWord {
		w.add(2, inLink)
	}
	if w.stop {
		b.Stops++
	}
	w.inWord, w.stop = false, false
}

func (w *counter) add(halves int, inLink bool) {
	w.halves += halves
	if inLink {
		w.linkHalves += halves
	}
}

// isIdeographic reports whether r is of a script without spaces between words: Han, kana, Thai,
// Lao, Khmer, Burmese.
func isIdeographic(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r <= 0x0eff, 0x1000 <= r && r <= 0x109f, 0x1780 <= r && r <= 0x17ff:
		return true
	case 0x3040 <= r && r <= 0x30ff, 0x3400 <= r && r <= 0x4dbf, 0x4e00 <= r && r <= 0x9fff, 0xf900 <= r && r <= 0xfaff:
		return true
	}
	return 0x20000 <= r && r <= 0x3ffff
}
