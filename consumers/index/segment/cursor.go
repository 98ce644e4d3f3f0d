package segment

// AtEnd is the document number of an exhausted cursor.
const AtEnd = 1<<32 - 1

// Cursor walks over a list. Only lists of Words have frequencies and positions.
type Cursor struct {
	Doc uint32 // the current document, or AtEnd

	blocks blocks
	docs   [blockDocs]uint32 // of the block
	n, i   int               // how many, and which one is current
	placed bool              // the list has positions
	size   int               // documents of the list
	postings
}

// postings are what the block has beside the documents. It is read as far as it is asked for.
type postings struct {
	codes  []byte // two bits each
	freqs  []byte // spelled out
	places []byte

	fi, pi int // postings of the block whose frequencies and places are behind fAt and pAt
	fAt    int
	pAt    int
	pf     int // the place in freqs that belongs to pi
}

// Cursor returns a cursor at the first document.
func (l *List) Cursor() *Cursor {
	c := &Cursor{}
	c.Open(l)
	return c
}

// Open puts the cursor at the first document of another list.
func (c *Cursor) Open(l *List) {
	c.Doc, c.placed, c.size = AtEnd, l.places, l.count
	c.n, c.i = 0, 0
	switch {
	case l.count == 0:
	case l.count == 1:
		c.single(l)
	default:
		c.blocks = l.blocks()
		c.enter()
	}
}

// Count is the number of documents of the list.
func (c *Cursor) Count() int { return c.size }

func (c *Cursor) single(l *List) {
	doc, at := uvarint(l.data)
	c.blocks = blocks{}
	c.docs[0], c.n = uint32(doc), 1
	c.Doc = c.docs[0]
	if !l.words {
		c.postings = postings{}
		return
	}
	c.postings = postings{codes: l.data[at : at+1], places: l.data[at+1:]}
	if c.code(0) == spelled {
		n := spelledOut(c.places)
		c.freqs, c.places = c.places[:n], c.places[n:]
	}
}

// enter reads the next block.
func (c *Cursor) enter() {
	if !c.blocks.next() {
		c.Doc = AtEnd
		return
	}
	c.load()
}

func (c *Cursor) load() {
	freqs, rest := c.blocks.read(c.docs[:])
	c.n, c.i, c.Doc = c.blocks.count, 0, c.docs[0]
	if !c.blocks.words {
		c.postings = postings{}
		return
	}
	codes := (c.n + 3) / 4
	c.postings = postings{codes: rest[:codes], freqs: rest[codes : codes+freqs], places: rest[codes+freqs:]}
}

// Next moves to the next document.
func (c *Cursor) Next() {
	if c.i++; c.i < c.n {
		c.Doc = c.docs[c.i]
		return
	}
	c.enter()
}

// Block returns the documents of the block from the current one on, until the cursor moves.
func (c *Cursor) Block() []uint32 { return c.docs[c.i:c.n] }

// NextBlock moves to the first document of the next block.
func (c *Cursor) NextBlock() {
	c.i = c.n
	c.enter()
}

// Advance moves to the first document at or after doc.
func (c *Cursor) Advance(doc uint32) {
	if c.Doc >= doc {
		return
	}
	if next := c.i + 1; next < c.n && c.docs[next] >= doc { // often it is the next one
		c.i, c.Doc = next, c.docs[next]
		return
	}
	if c.n == 0 || c.docs[c.n-1] < doc {
		if !c.skip(doc) {
			return
		}
	}
	i := c.i
	if i+8 < c.n && c.docs[i+8] < doc {
		i = c.gallop(doc)
	}
	for c.docs[i] < doc {
		i++
	}
	c.i, c.Doc = i, c.docs[i]
}

// skip reads the block that has doc, or the first one behind it; false if there is none.
func (c *Cursor) skip(doc uint32) bool {
	for {
		if !c.blocks.next() {
			c.Doc = AtEnd
			return false
		}
		if c.blocks.last >= int64(doc) {
			c.load()
			return true
		}
	}
}

// gallop returns a place before or at the first document that is not before doc, by halves.
func (c *Cursor) gallop(doc uint32) int {
	low, high := c.i+8, c.n-1 // docs[low] < doc <= docs[high]
	for high-low > 1 {
		if mid := (low + high) / 2; c.docs[mid] < doc {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

func (p *postings) code(i int) byte { return p.codes[i/4] >> (2 * (i % 4)) & 3 }

// Body is how often the word is in the body; all is false if it is in other parts too: then
// Frequencies says how often.
func (c *Cursor) Body() (n uint32, all bool) { return c.BodyOf(0) }

// BodyOf is Body of the document with a number in Block.
func (c *Cursor) BodyOf(n int) (times uint32, all bool) {
	code := c.code(c.i + n)
	return uint32(code) + 1, code != spelled
}

// Frequencies reads how often the word is in each part of the current document.
func (c *Cursor) Frequencies(into *Frequencies) { c.FrequenciesOf(0, into) }

// FrequenciesOf is Frequencies of the document with a number in Block; numbers must not fall.
func (c *Cursor) FrequenciesOf(n int, into *Frequencies) {
	i := c.i + n
	if code := c.code(i); code != spelled {
		*into = Frequencies{Body: uint32(code) + 1}
		return
	}
	for ; c.fi < i; c.fi++ {
		if c.code(c.fi) == spelled {
			c.fAt += spelledOut(c.freqs[c.fAt:])
		}
	}
	readSpelled(c.freqs[c.fAt:], into)
}

// Positions appends the positions of the word in title and body of the current document.
func (c *Cursor) Positions(title, body []uint32) (inTitle, inBody []uint32) {
	if !c.placed {
		return title, body
	}
	var f Frequencies
	c.pass()
	c.at(c.i, c.pf, &f)
	at := c.pAt
	title, at = readPlaces(c.places, at, int(f[Title]), title)
	body, _ = readPlaces(c.places, at, int(f[Body]), body)
	return title, body
}

// pass moves pf and pAt to the current posting.
func (c *Cursor) pass() {
	var f Frequencies
	places := 0
	for ; c.pi < c.i; c.pi++ {
		if code := c.code(c.pi); code != spelled {
			places += int(code) + 1
			continue
		}
		c.pf += readSpelled(c.freqs[c.pf:], &f)
		places += int(f[Title] + f[Body])
	}
	if c.placed && places > 0 {
		c.pAt += skipVarints(c.places[c.pAt:], places)
	}
}

// at reads the frequencies of posting i, which begin at place pf if they are spelled out; it
// returns their length.
func (p *postings) at(i, pf int, f *Frequencies) int {
	if code := p.code(i); code != spelled {
		*f = Frequencies{Body: uint32(code) + 1}
		return 0
	}
	return readSpelled(p.freqs[pf:], f)
}

func readPlaces(b []byte, at, n int, into []uint32) ([]uint32, int) {
	last := uint32(0)
	for range n {
		v, size := uvarint(b[at:])
		at += size
		last += uint32(v)
		into = append(into, last)
	}
	return into, at
}

// raw returns the current posting as it is stored: the code, the frequencies and the positions.
func (c *Cursor) raw() (code byte, freqs, places []byte) {
	var f Frequencies
	c.pass()
	n := c.at(c.i, c.pf, &f)
	if c.placed {
		places = c.places[c.pAt:]
		places = places[:skipVarints(places, int(f[Title]+f[Body]))]
	}
	return c.code(c.i), c.freqs[c.pf : c.pf+n], places
}
