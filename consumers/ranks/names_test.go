package ranks

import (
	"context"
	"fmt"
	"testing"

	"millrace/schema"
)

// asked is a graph of pages with even ids that counts what is read.
type asked struct {
	Graph
	reads int
}

func (a *asked) Page(_ context.Context, id uint64) (*schema.PageLinksRow, error) {
	if a.reads++; id%2 == 1 {
		return nil, nil
	}
	return &schema.PageLinksRow{RowKey: fmt.Sprint("page ", id), Site: "site"}, nil
}

// The name of a page that is published again and again is read once; a page that is not there is
// asked for again, and memory is bounded.
func TestANameIsReadOnce(t *testing.T) {
	var k names
	g := &asked{}
	ask := func(id uint64) string {
		n, err := k.of(t.Context(), g, id)
		if err != nil {
			t.Fatal(err)
		}
		return n.rowKey + " " + n.site
	}
	for range 3 {
		for id := range uint64(20) {
			if got, want := ask(2*id), fmt.Sprint("page ", 2*id, " site"); got != want {
				t.Fatalf("%q, want %q", got, want)
			}
		}
	}
	if g.reads != 20 {
		t.Errorf("%d reads of 20 names", g.reads)
	}
	if ask(1) != " " || ask(1) != " " || g.reads != 22 {
		t.Errorf("a page that is not there: %d reads, want 22", g.reads)
	}
	for id := range uint64(3 * mostNames) {
		ask(2 * id)
		ask(4) // it stays
	}
	if got := len(k.young) + len(k.old); got > 2*mostNames {
		t.Errorf("%d names are kept", got)
	}
	before := g.reads
	if ask(4); g.reads != before {
		t.Error("a name in use was dropped")
	}
}
