package article

import (
	"slices"
	"strings"
	"testing"
)

// TestOnlyAListThatIsAsLongAsItsTextIsRaised protects articles: a few links below a long text stay
// what they are, also if they stand in lists inside lists.
func TestOnlyAListThatIsAsLongAsItsTextIsRaised(t *testing.T) {
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	paragraph := "<p>This is a paragraph of an article, with commas, and with more than one sentence. It goes on for a while, as articles do.</p>"
	items := strings.Repeat("<li><a href=x>Some Farm</a></li>", 8)
	nested := strings.Repeat("<ul><li>", 5) + "<ul>" + items + "</ul>" + strings.Repeat("</li></ul>", 5)
	for page, raised := range map[string]bool{
		paragraph + "<ul>" + items + "</ul>":                            true,
		strings.Repeat(paragraph, 3) + "<ul>" + items + "</ul>":         false,
		paragraph + nested:                                              true,
		strings.Repeat(paragraph, 3) + nested:                           false,
		paragraph + "<h2>Latest news</h2><ul>" + items + "</ul>":        false,
		paragraph + "<ul class='nav menu'>" + items + "</ul>":           false,
		paragraph + "<nav><ul>" + items + "</ul></nav>":                 false,
		paragraph + "<ul>" + items[:len(items)/2] + "</ul>":             false,
		"<div>" + paragraph + "</div><div><ul>" + items + "</ul></div>": false,
	} {
		p := splitted(t, "<main><h1>Title</h1>"+page+"</main>")
		r := Read(p, Hints{}, m.Lexicon)
		prob := make([]float32, len(p.Blocks))
		for i := range prob {
			prob[i] = 0.9
			if p.Blocks[i].Links > 0 {
				prob[i] = 0.02
			}
		}
		before := slices.Clone(prob)
		after := r.Together(prob)
		if !slices.Equal(prob, before) {
			t.Errorf("%s: the probabilities themselves were changed", page)
		}
		if got := !slices.Equal(after, before); got != raised {
			t.Errorf("%s: raised %v, want %v: %v", page, got, raised, after)
		}
	}
}
