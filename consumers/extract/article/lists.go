package article

import (
	"golang.org/x/net/html/atom"
)

// Pages of associations, departments and shops have lists as what they are for: members, staff,
// courses, with a sentence before and one behind. By its own numbers such a list is a menu, because
// nearly all lists of links on the pages of the training sets are; and the sentence behind it
// stands where pages have notices. What tells it apart is where it stands and how much of the text
// it is: inside the page's main element, or beside the page's heading, and about as long as the
// paragraphs around it. Links to other articles are a few below a long text.
const (
	fewestItems = 5    // blocks of such a list
	listShare   = 2    // its words, times this, are no fewer than those of the text beside it
	fewestLinks = 10   // words in links of a paragraph that is such a list
	textShare   = 2    // the text beside it, times this, is no less than all text of the page, by probability
	longItem    = 6    // words: links of more in a list are headlines of other pages
	textSurely  = 0.2  // probability of the text beside it, by words
	badNames    = -2   // weight of the names (Lexicon) of a list that is a menu or leads elsewhere
	badWord     = -0.4 // weight of a word in the heading above such a list: news, posts, share
	listWraps   = 4    // elements without text of their own that may lie between the list and the text
)

// beside is the text that stands directly in a box: headings of the page and paragraphs.
type beside struct {
	words  int
	mass   float32 // probability times words
	lists  int     // words of the lists that belong to it
	seen   int     // blocks before it are in lists
	raised bool
}

// Together returns the probabilities with those of such lists, and of what stands between and
// behind them, raised to that of the text beside them: these are kept or dropped together. It
// returns prob itself if there is no such list.
func (r *Reading) Together(prob []float32) []float32 {
	var lists []int
	for i := range r.boxes {
		if r.isList(i) {
			lists = append(lists, i)
		}
	}
	if len(lists) == 0 {
		return prob
	}
	texts, all := r.texts(prob)
	owners := make([]int, len(lists))
	seen := 0 // blocks before it are in lists that were added up; a list may be inside another
	for k, list := range lists {
		owners[k] = r.owner(list, texts)
		if owners[k] < 0 {
			continue
		}
		l, t := &r.p.Boxes[list], &texts[owners[k]]
		for i := max(l.First, t.seen); i < l.Last; i++ {
			t.lists += r.p.Blocks[i].Words
		}
		for i := max(l.First, seen); i < l.Last; i++ {
			all -= prob[i] * float32(r.p.Blocks[i].Words)
		}
		t.seen, seen = max(t.seen, l.Last), max(seen, l.Last)
	}
	var out []float32
	for k, list := range lists {
		if owners[k] < 0 {
			continue
		}
		t := &texts[owners[k]]
		if likely := t.mass / float32(t.words); likely >= textSurely && t.lists*listShare >= t.words && t.mass*textShare >= all {
			if out == nil {
				out = append(out, prob...)
			}
			r.raiseList(out, list, likely)
			if !t.raised {
				t.raised = true
				r.raiseText(out, owners[k], likely)
			}
		}
	}
	if out == nil {
		return prob
	}
	return out
}

// isList reports whether a box is a list that the model takes for a menu, with names that do not
// say so.
func (r *Reading) isList(i int) bool {
	b := &r.p.Boxes[i]
	if b.Last == b.First || b.Parent < 0 || b.Hidden || b.Comment {
		return false
	}
	switch f := &r.boxes[i]; {
	case f.aside || f.form || f.link:
		return false
	case !f.main && r.h1 < 0:
		return false
	}
	switch b.Node.DataAtom {
	case atom.Ul, atom.Ol, atom.Dl, atom.Table:
		if b.Last-b.First < fewestItems {
			return false
		}
	case atom.Div:
		if b.Last-b.First < fewestItems || !r.isRow(i) {
			return false
		}
	case atom.P:
		if one := &r.p.Blocks[b.First]; b.Last-b.First > 1 || one.Links < fewestLinks || one.Links*2 <= one.Words {
			return false
		}
	default:
		return false
	}
	if s := r.box(i); s.links*2 > s.words && s.words > longItem*s.blocks && b.Node.DataAtom != atom.P {
		return false
	}
	if r.boxes[i].name-r.lex.Names["<"+b.Node.Data] < badNames {
		return false
	}
	return b.First == 0 || !r.leadsElsewhere(&r.p.Blocks[b.First-1])
}

// leadsElsewhere reports whether a block is a heading of the page's lists of other pages.
func (r *Reading) leadsElsewhere(b *Block) bool {
	if headingLevel(b.Tag) < 2 {
		return false
	}
	_, least, _ := r.lex.wordWeights(b)
	return least < badWord
}

// isRow reports whether a box holds nothing but like boxes, of one or two blocks each.
func (r *Reading) isRow(i int) bool {
	b := &r.p.Boxes[i]
	at := b.First
	for k := i + 1; k < len(r.p.Boxes) && r.p.Boxes[k].First < b.Last; k++ {
		c := &r.p.Boxes[k]
		if c.Parent != i {
			continue
		}
		if c.First != at || c.Last-c.First > 2 || c.Last == c.First || r.signs[k] != r.signs[i+1] {
			return false
		}
		at = c.Last
	}
	return at == b.Last
}

// texts sums up, for each box, the paragraphs and the page's heading directly in it; all is that of
// the page.
func (r *Reading) texts(prob []float32) (texts []beside, all float32) {
	texts = make([]beside, len(r.p.Boxes))
	for i := range r.p.Blocks {
		b := &r.p.Blocks[i]
		all += prob[i] * float32(b.Words)
		if box := r.p.Boxes[b.Box].Parent; box >= 0 && (b.Tag == atom.P && b.Links*2 <= b.Words || b.Tag == atom.H1) {
			texts[box].words += b.Words
			texts[box].mass += prob[i] * float32(b.Words)
		}
	}
	return texts, all
}

// owner returns the box around a list with the text that it belongs to; -1 if there is none.
func (r *Reading) owner(list int, texts []beside) int {
	box := r.p.Boxes[list].Parent
	for range listWraps {
		if box < 0 {
			return -1
		}
		if texts[box].words > 0 {
			if r.boxes[box].main || r.h1 >= 0 && r.p.Boxes[r.p.Blocks[r.h1].Box].Parent == box {
				return box
			}
			return -1
		}
		if r.boxes[box].name < badNames {
			return -1
		}
		box = r.p.Boxes[box].Parent
	}
	return -1
}

// raiseList gives the blocks of a list, and the heading above it, at least a probability.
func (r *Reading) raiseList(prob []float32, list int, likely float32) {
	l := &r.p.Boxes[list]
	from := l.First
	if from > 0 && headingLevel(r.p.Blocks[from-1].Tag) > 0 {
		from--
	}
	for i := from; i < l.Last; i++ {
		prob[i] = max(prob[i], likely)
	}
}

// raiseText gives the paragraphs directly in a box, and the page's heading, at least a probability.
func (r *Reading) raiseText(prob []float32, box int, likely float32) {
	for i := r.p.Boxes[box].First; i < r.p.Boxes[box].Last; i++ {
		if b := &r.p.Blocks[i]; b.Tag == atom.P && r.p.Boxes[b.Box].Parent == box {
			prob[i] = max(prob[i], likely)
		}
	}
	if r.h1 >= 0 {
		prob[r.h1] = max(prob[r.h1], likely)
	}
}
