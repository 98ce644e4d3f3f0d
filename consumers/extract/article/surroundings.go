package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// boxFacts are the features that a block inherits from the elements around it.
//
// It is large because each fact is a feature of the model, read by name.
type boxFacts struct {
	path     uint64  // hash of the tags and classes of the box and three ancestors
	name     float32 // weight of its own names: see Lexicon
	min, max float32 // of the weights of all boxes from here to the root
	total    float32
	article  bool
	main     bool
	aside    bool // nav, aside, footer, header outside an article
	list     bool
	table    bool
	form     bool
	quote    bool
	link     bool // the whole box is in a link
	same     int  // children of the parent with the same signature
}

// describeBoxes fills boxes in one pass: a parent always comes before its children.
func (r *Reading) describeBoxes() {
	boxes := r.p.Boxes
	r.boxes = make([]boxFacts, len(boxes))
	r.signs = make([]uint64, len(boxes))
	own, seen := r.signs, make(map[dress]worn, 64)
	type family struct {
		parent    int
		signature uint64
	}
	same := make(map[family]int, len(boxes))
	for i := range boxes {
		f := &r.boxes[i]
		n := boxes[i].Node
		parent := boxes[i].Parent
		if parent >= 0 {
			*f = r.boxes[parent]
		}
		w := r.lex.wear(n, seen)
		own[i], f.name = w.sign, w.name
		f.path = r.path(own, i)
		f.min, f.max = min(f.min, f.name), max(f.max, f.name)
		f.total = f.total*0.8 + f.name
		f.tag(n)
		if n.DataAtom == atom.Article {
			r.articles++
		}
		f.link = f.link || insideLink(n, parent, boxes)
		same[family{parent, own[i]}]++
	}
	for i := range boxes {
		r.boxes[i].same = same[family{boxes[i].Parent, own[i]}]
	}
}

// dress is what most elements are told apart by; worn are the signature and weight that it gives.
type (
	dress struct{ tag, class string }
	worn  struct {
		sign uint64
		name float32
	}
)

// wear returns the signature of an element and the weight of its names. Pages have few kinds of
// elements: those without names of their own are remembered in seen.
func (l *Lexicon) wear(n *html.Node, seen map[dress]worn) worn {
	key := dress{tag: n.Data}
	for i := range n.Attr {
		switch n.Attr[i].Key {
		case "class":
			if key.class != "" {
				return worn{signature(n), l.nameWeight(n)}
			}
			key.class = n.Attr[i].Val
		case "id", "role", "itemprop":
			return worn{signature(n), l.nameWeight(n)}
		}
	}
	w, known := seen[key]
	if !known {
		w = worn{signature(n), l.nameWeight(n)}
		seen[key] = w
	}
	return w
}

func (r *Reading) path(own []uint64, i int) uint64 {
	h := own[i]
	for k := 0; k < 3; k++ {
		if i = r.p.Boxes[i].Parent; i < 0 {
			break
		}
		h = h*1099511628211 ^ own[i]
	}
	return h
}

func (f *boxFacts) tag(n *html.Node) {
	switch n.DataAtom {
	case atom.Article:
		f.article, f.aside = true, false
	case atom.Main:
		f.main = true
	case atom.Nav, atom.Aside, atom.Footer:
		f.aside = true
	case atom.Header:
		f.aside = f.aside || !f.article
	case atom.Ul, atom.Ol, atom.Dl:
		f.list = true
	case atom.Table:
		f.table = true
	case atom.Form:
		f.form = true
	case atom.Blockquote:
		f.quote = true
	}
}

// insideLink reports whether an inline element between a box and its parent is a link.
func insideLink(n *html.Node, parent int, boxes []Box) bool {
	if parent < 0 {
		return false
	}
	for p := n.Parent; p != nil && p != boxes[parent].Node; p = p.Parent {
		if p.DataAtom == atom.A {
			return true
		}
	}
	return false
}

// signature is a hash (FNV-1a) of an element's tag and classes, without digits, because those are
// mostly ids.
func signature(n *html.Node) uint64 {
	h := uint64(14695981039346656037)
	h = (h ^ uint64(n.DataAtom)) * 1099511628211
	for _, c := range []byte(attr(n, "class")) {
		if c < '0' || c > '9' {
			h = (h ^ uint64(c)) * 1099511628211
		}
	}
	return h
}

// around sets the features of the boxes around the block.
func (r *Reading) around(i int, row []float32) {
	b := &r.p.Blocks[i]
	f := &r.boxes[b.Box]
	row[fDepth] = float32(min(r.p.Boxes[b.Box].Depth, 60))
	row[fInArticle], row[fInMain], row[fInAside] = boolean(f.article), boolean(f.main), boolean(f.aside)
	row[fInList], row[fInTable], row[fInForm], row[fInQuote] = boolean(f.list), boolean(f.table), boolean(f.form), boolean(f.quote)
	row[fInLink] = boolean(f.link)
	row[fSiblings] = logOf(f.same)
	row[fInComment] = boolean(r.p.Boxes[b.Box].Comment)
	all := r.sums[len(r.p.Blocks)]

	parent := r.parentOf(b.Box)
	grand := r.parentOf(parent)
	great := r.parentOf(grand)
	s := r.box(parent)
	row[fParentWords], row[fParentLinks], row[fParentBlocks] = logOf(s.words), s.linkShare(), logOf(s.blocks)
	row[fParentShare] = float32(s.words) / float32(all.words)
	s = r.box(grand)
	row[fGrandWords], row[fGrandLinks], row[fGrandBlocks] = logOf(s.words), s.linkShare(), logOf(s.blocks)
	s = r.box(great)
	row[fGreatWords], row[fGreatLinks] = logOf(s.words), s.linkShare()

	s = r.widest(b.Box, all.words)
	row[fBoxWords], row[fBoxLinks] = float32(s.words)/float32(all.words), s.linkShare()
	row[fBoxParagraphs] = float32(s.paragraphs) / float32(max(s.words, 1))

	row[fTopDistance], row[fTopShare] = r.fromTop(i)

	row[fPostShare] = r.postShare(b.Box)

	g := r.groups[f.path]
	row[fRepeats] = logOf(g.blocks)
	row[fRepeatWords] = float32(g.words) / float32(max(g.blocks, 1))
	row[fRepeatLinks] = g.linkShare()
}

// parentOf returns the next box up that has more blocks than i; boxes that only wrap another one
// are skipped.
func (r *Reading) parentOf(i int) int {
	if i < 0 {
		return -1
	}
	boxes := r.p.Boxes
	n := boxes[i].Last - boxes[i].First
	for p := boxes[i].Parent; p >= 0; p = boxes[p].Parent {
		if boxes[p].Last-boxes[p].First > n {
			return p
		}
	}
	return -1
}

// postShare returns the share of the page's text that is in the family of like boxes around i: near
// 1 in a thread, small in a list of teasers beside an article.
func (r *Reading) postShare(i int) float32 {
	best := 0
	for ; i >= 0; i = r.p.Boxes[i].Parent {
		if f := r.boxes[i].same; f >= 3 && r.p.Boxes[i].Last-r.p.Boxes[i].First > 1 {
			best = max(best, r.box(r.p.Boxes[i].Parent).paragraphs)
		}
	}
	return float32(best) / float32(max(r.sums[len(r.p.Blocks)].paragraphs, 1))
}

// widest returns the sum of the largest box around i that has less than three quarters of the
// page's words.
func (r *Reading) widest(i, words int) sum {
	s := r.box(i)
	for p := r.p.Boxes[i].Parent; p >= 0; p = r.p.Boxes[p].Parent {
		if next := r.box(p); next.words*4 < words*3 {
			s = next
			continue
		}
		break
	}
	return s
}

// findTop finds the box that looks most like the article: each box is scored by the running text
// directly in it and in its children, as readability tools do.
func (r *Reading) findTop() {
	score := make([]float32, len(r.p.Boxes))
	for i := range r.p.Blocks {
		b := &r.p.Blocks[i]
		if b.Words < 6 || r.p.Boxes[b.Box].Hidden {
			continue
		}
		points := (1 + float32(b.Comma) + float32(b.Stops) + min(float32(b.Words)/15, 5)) * (1 - float32(b.Links)/float32(b.Words))
		share := float32(1)
		for box, k := b.Box, 0; box >= 0 && k < 4; box, k = r.p.Boxes[box].Parent, k+1 {
			score[box] += points * share
			share *= 0.6
		}
	}
	r.top = 0
	for i := range score {
		score[i] *= 1 - max(r.box(i).linkShare(), 0)
		if score[i] > score[r.top] {
			r.top = i
		}
	}
}

// fromTop returns how many levels above the top box the first common box is, and the share of that
// box's words that is in the top box.
func (r *Reading) fromTop(i int) (distance, share float32) {
	top := r.box(r.top)
	for box := r.top; box >= 0; box = r.p.Boxes[box].Parent {
		if b := &r.p.Boxes[box]; b.First <= i && i < b.Last {
			return distance, float32(top.words) / float32(max(r.box(box).words, 1))
		}
		distance++
	}
	return distance, 0
}

// findWindow finds the run of blocks with the most unlinked text, where every block costs as much
// as twelve words.
func (r *Reading) findWindow() {
	const cost = 12
	best, here, start := 0, 0, 0
	for i := range r.p.Blocks {
		b := &r.p.Blocks[i]
		if here <= 0 {
			here, start = 0, i
		}
		if !r.p.Boxes[b.Box].Hidden {
			here += b.Words - 2*b.Links - cost
		}
		if here > best {
			best, r.window = here, [2]int{start, i + 1}
		}
	}
}

// named sets the features of the names of elements and the words of the block.
func (r *Reading) named(i int, row []float32) {
	b := &r.p.Blocks[i]
	f := &r.boxes[b.Box]
	row[fNameOwn], row[fNameMin], row[fNameMax], row[fNameSum] = f.name, f.min, f.max, f.total
	if p := r.p.Boxes[b.Box].Parent; p >= 0 {
		row[fNameParent] = r.boxes[p].name
	}
	row[fWordMean], row[fWordMin], row[fWordFirst] = r.lex.wordWeights(b)
}

// elementNames calls f with every name of an element: its tag, role, itemprop, and the words of
// class and id.
func elementNames(n *html.Node, f func(string)) {
	f("<" + n.Data)
	for i := range n.Attr {
		a := &n.Attr[i]
		switch a.Key {
		case "class", "id":
			if len(a.Val) < 300 {
				classWords(a.Val, f)
			}
		case "role":
			f("role=" + strings.ToLower(a.Val))
		case "itemprop":
			f("itemprop=" + strings.ToLower(a.Val))
		}
	}
}

// classWords splits names at capital letters and at everything that is not a letter: entry-content,
// entryContent.
func classWords(s string, f func(string)) {
	var buf [32]byte
	n := 0
	upper := true
	for i := 0; i <= len(s); i++ {
		var c byte
		if i < len(s) {
			c = s[i]
		}
		isUpper := 'A' <= c && c <= 'Z'
		isLower := 'a' <= c && c <= 'z'
		if !isUpper && !isLower || isUpper && !upper || n == len(buf) {
			if n > 1 {
				f(string(buf[:n]))
			}
			n = 0
		}
		if isUpper || isLower {
			if n < len(buf) {
				buf[n] = c | 0x20
				n++
			}
		}
		upper = isUpper || !isLower
	}
}

func hasAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
