package article

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// The mark of a note is set apart from its word; a power, a formula, an ordinal is not.
func TestTheMarkOfANoteIsNoPartOfItsWord(t *testing.T) {
	for body, want := range map[string]string{
		`The treatment<sup>12</sup> was good`:                        "The treatment 12 was good",
		`see the study<sup><a href="#a">3,4</a></sup>.`:              "see the study 3,4.",
		`in Köln<sup>[1]</sup>`:                                      "in Köln [1]",
		`of the <b>law</b><sup>*</sup>`:                              "of the law *",
		`by us<sup><a href="#n">1</a></sup>`:                         "by us 1",
		`20 m<sup>2</sup>, 10<sup>6</sup> kg<sup>-1</sup>`:           "20 m2, 106 kg-1",
		`CO<sub>2</sub> and x<sup>2</sup>, min<sup>-1</sup>`:         "CO2 and x2, min-1",
		`the 1<sup>st</sup>, M<sup>me</sup>, e<sup><i>x</i>+1</sup>`: "the 1st, Mme, ex+1",
		`a long<sup>this is no mark of a note at all, is it</sup>`:   "a longthis is no mark of a note at all, is it",
	} {
		root, err := html.Parse(strings.NewReader("<p>" + body))
		if err != nil {
			t.Fatal(err)
		}
		p, _ := split(root, false)
		if got := p.Blocks[0].Text; got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
