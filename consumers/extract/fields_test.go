package extract

import (
	"testing"

	"millrace/consumers/extract/page"
	"millrace/schema"
	"millrace/schema/filltest"
)

// A new field of Doc that extract does not fill is empty in every document.
func TestEveryFieldOfADocIsFilled(t *testing.T) {
	p, r := &schema.Page{}, &page.Result{}
	filltest.Fill(t, p)
	filltest.Fill(t, r)
	p.RowKey = "test.a:https/x"
	r.Same.Text = "a text of five words" // a shorter one has no sketch
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err == nil {
		r.Canonical, err = canon.Parse("https://a.test/y")
	}
	if err != nil {
		t.Fatal(err)
	}
	w := &Worker{opts: DefaultOptions()}
	w.opts.Edition = 1
	if empty := filltest.Empty(w.doc(p, r)); len(empty) > 0 {
		t.Errorf("%v is empty: fill it in doc (work.go)", empty)
	}
}
