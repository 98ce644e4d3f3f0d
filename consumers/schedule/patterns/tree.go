package patterns

import (
	"fmt"
	"strings"

	"millrace/schema"
)

// MaxBytes is the most that an encoded row takes.
const MaxBytes = 20 << 10

// Tree counts what the URLs of one host brought, by shape. All of its state is in the row that it
// was made from.
type Tree struct {
	row    *schema.PatternsRow
	shapes trie
	texts  texts
	budget budget
	history
	parameters
	copies
	inventions
}

// New returns a tree on a stored row, which the tree changes from then on; nil begins a new one.
func New(row *schema.PatternsRow) *Tree {
	if row == nil {
		row = &schema.PatternsRow{}
	}
	if row.Root == nil {
		row.Root = &schema.PatternNode{}
	}
	t := &Tree{row: row, shapes: newTrie(row.Root), texts: texts{row}, history: history{row}}
	t.budget = budget{t.history}
	t.copies = copies{row}
	t.inventions = inventions{row: row, shapes: &t.shapes, history: t.history}
	t.parameters = parameters{row: row, shapes: &t.shapes, history: t.history}
	return t
}

// Row returns the row to store.
func (t *Tree) Row() *schema.PatternsRow { return t.row }

// grow returns the nodes of a path's shape, root first, and creates those that are missing.
func (t *Tree) grow(path string) []*schema.PatternNode {
	way, merged := t.shapes.grow(Tokens(path))
	if merged {
		t.turn()
	}
	return way
}

// String prints a tree for tests.
func (t *Tree) String() string {
	var b strings.Builder
	t.Each(func(s Shape) {
		fmt.Fprintf(&b, "%s useful %d of %d left %d\n", s.Name, s.Useful, s.Fetched, s.Left)
	})
	return b.String()
}
