package segment

import (
	"bytes"
	"encoding/binary"
	"sort"

	api "github.com/blevesearch/scorch_segment_api/v2"
)

// blockTerms is the number of terms of a block of a dictionary.
const blockTerms = 16

// dictionaryWriter encodes the terms of a field and where their lists are.
type dictionaryWriter struct {
	out   []byte
	index []byte // the place of each block, 4 bytes each
	terms int
	last  []byte
	at    uint64 // where the lists of the next term begin, from the first list of the field
}

func (w *dictionaryWriter) reset() {
	w.out, w.index, w.last = w.out[:0], w.index[:0], w.last[:0]
	w.terms, w.at = 0, 0
}

// add appends a term, whose list has so many documents and bytes. Terms ascend.
func (w *dictionaryWriter) add(term string, docs, size int) {
	shared := 0
	if w.terms%blockTerms == 0 {
		w.index = binary.LittleEndian.AppendUint32(w.index, uint32(len(w.out)))
		w.out = binary.AppendUvarint(w.out, w.at)
	} else {
		for shared < len(term) && shared < len(w.last) && term[shared] == w.last[shared] {
			shared++
		}
	}
	w.out = appendLengths(w.out, shared, len(term)-shared)
	w.out = append(w.out, term[shared:]...)
	if docs == 1 {
		w.out = binary.AppendUvarint(w.out, uint64(size)<<1)
	} else {
		w.out = binary.AppendUvarint(w.out, uint64(size)<<1|1)
		w.out = binary.AppendUvarint(w.out, uint64(docs))
	}
	w.last = append(w.last[:0], term...)
	w.terms++
	w.at += uint64(size)
}

// appendLengths encodes two lengths in one byte if both are below 15.
func appendLengths(b []byte, shared, rest int) []byte {
	b = append(b, byte(min(shared, 15)|min(rest, 15)<<4))
	if shared >= 15 {
		b = binary.AppendUvarint(b, uint64(shared-15))
	}
	if rest >= 15 {
		b = binary.AppendUvarint(b, uint64(rest-15))
	}
	return b
}

// Dictionary has the terms of a field.
type Dictionary struct {
	field Field
	terms int
	docs  uint32 // of the segment
	body  []byte // the blocks
	index []byte
	lists []byte // from the first list to the end of the file
	words bool
	place bool
}

// Len is the number of terms.
func (d *Dictionary) Len() int { return d.terms }

// Find returns the list of a term; empty if there is none.
func (d *Dictionary) Find(term string) List {
	t := d.seek(term)
	if !t.Next() || string(t.term) != term {
		return List{}
	}
	return t.List()
}

// blocks is the number of blocks.
func (d *Dictionary) blocks() int { return len(d.index) / 4 }

func (d *Dictionary) block(i int) []byte {
	return d.body[binary.LittleEndian.Uint32(d.index[4*i:]):]
}

// first returns the first term of a block.
func (d *Dictionary) first(i int) []byte {
	b := d.block(i)
	b = b[varintLen(b):]
	_, rest, n := readLengths(b)
	return b[n : n+rest]
}

func readLengths(b []byte) (shared, rest, n int) {
	shared, rest, n = int(b[0]&15), int(b[0]>>4), 1
	if shared == 15 {
		v, size := uvarint(b[n:])
		shared, n = 15+int(v), n+size
	}
	if rest == 15 {
		v, size := uvarint(b[n:])
		rest, n = 15+int(v), n+size
	}
	return shared, rest, n
}

// seek returns an iterator whose next term is the first one that is not before term.
func (d *Dictionary) seek(term string) Terms {
	after := sort.Search(d.blocks(), func(i int) bool { return string(d.first(i)) > term })
	t := Terms{dict: d, next: max(0, after-1) * blockTerms}
	for t.next < d.terms {
		if t.read(); string(t.term) >= term {
			t.held = true
			break
		}
	}
	return t
}

// Terms iterates over terms in order. It begins before its first term.
type Terms struct {
	dict *Dictionary
	next int // number of the term that is read next
	b    []byte
	term []byte
	at   uint64 // where the list of the term begins
	docs int
	size int
	held bool   // the current term was not returned yet
	end  string // the first term that is not wanted any more; "" = none

	auto   api.Automaton
	states []int // after each byte of the term, auto.Start first
}

// term returns the term with this number.
func (d *Dictionary) term(n int) []byte {
	b := d.block(n / blockTerms)
	b = b[varintLen(b):]
	term := make([]byte, 0, 96)
	for n %= blockTerms; ; n-- {
		shared, rest, at := readLengths(b)
		term = append(term[:shared], b[at:at+rest]...)
		if n == 0 {
			return term
		}
		b = b[at+rest:]
		size := varintLen(b)
		if b[0]&1 != 0 { // the number of documents follows
			size += varintLen(b[size:])
		}
		b = b[size:]
	}
}

// All iterates over every term.
func (d *Dictionary) All() Terms { return Terms{dict: d} }

// Prefix iterates over the terms that begin with prefix.
func (d *Dictionary) Prefix(prefix string) Terms {
	t := d.seek(prefix)
	t.end = prefix + "\xff" // 0xff is in no UTF-8
	return t
}

// Matching iterates over the terms that an automaton accepts.
func (d *Dictionary) Matching(a api.Automaton) Terms {
	return Terms{dict: d, auto: a, states: []int{a.Start()}}
}

// Next moves to the next term; false at the end.
func (t *Terms) Next() bool {
	for {
		switch {
		case t.held:
			t.held = false
		case t.next >= t.dict.terms:
			return false
		default:
			t.read()
		}
		if t.end != "" && string(t.term) >= t.end {
			t.next = t.dict.terms
			return false
		}
		if t.auto == nil || t.accepted() {
			return true
		}
	}
}

// Term is the current term, until Next.
func (t *Terms) Term() []byte { return t.term }

// List is the list of the current term.
func (t *Terms) List() List {
	return List{data: t.dict.lists[t.at:], count: t.docs, words: t.dict.words, places: t.dict.place}
}

// read decodes the term with the number next.
func (t *Terms) read() {
	if t.next%blockTerms == 0 || t.b == nil {
		t.b = t.dict.block(t.next / blockTerms)
		at, n := uvarint(t.b)
		t.b, t.at, t.size, t.term = t.b[n:], at, 0, t.term[:0]
	}
	shared, rest, n := readLengths(t.b)
	t.term = append(t.term[:shared], t.b[n:n+rest]...)
	t.b = t.b[n+rest:]
	t.at += uint64(t.size)
	size, n := uvarint(t.b)
	t.b, t.size, t.docs = t.b[n:], int(size>>1), 1
	if size&1 != 0 {
		docs, n := uvarint(t.b)
		if docs > uint64(t.dict.docs) {
			n = len(t.b) + 1 // it is damaged, which ends the reading
		}
		t.b, t.docs = t.b[n:], int(docs)
	}
	t.next++
	t.states = t.states[:min(len(t.states), shared+1)]
}

// accepted runs the automaton over the term. It goes on where the term differs from the one before.
// If it cannot match any term with this beginning, the blocks of such terms are skipped.
func (t *Terms) accepted() bool {
	for len(t.states) <= len(t.term) {
		n := len(t.states)
		state := t.auto.Accept(t.states[n-1], t.term[n-1])
		if !t.auto.CanMatch(state) {
			t.skip(t.term[:n])
			return false
		}
		t.states = append(t.states, state)
	}
	return t.auto.IsMatch(t.states[len(t.term)])
}

// skip goes on at the last block that begins with prefix, if there is one ahead.
func (t *Terms) skip(prefix []byte) {
	d := t.dict
	from := (t.next + blockTerms - 1) / blockTerms // the next block to be entered
	if from >= d.blocks() || !bytes.HasPrefix(d.first(from), prefix) {
		return
	}
	n := sort.Search(d.blocks()-from, func(i int) bool { return !bytes.HasPrefix(d.first(from+i), prefix) })
	t.next, t.b = (from+n-1)*blockTerms, nil
	t.states = t.states[:1]
}
