package article

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func splitted(t testing.TB, s string) *Page {
	t.Helper()
	root, err := html.Parse(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	return Split(root)
}

// TestSplit protects the blocks: where they end, and what is counted of them.
func TestSplit(t *testing.T) {
	p := splitted(t, `<p>One <b>two</b> <a href=x>three</a>. Four!</p>text<br>goes on<br><br>new one
<ul><li>Item<li><a href=y>Linked item</a></ul><div hidden>gone</div><script>no</script><select><option>no</select>
<p>---</p><p>今天天气很好。我们出去。</p>`)
	want := []struct {
		text                string
		words, links, stops int
		hidden              bool
	}{
		{"One two three. Four!", 4, 1, 2, false},
		{"text goes on", 3, 0, 0, false},
		{"new one", 2, 0, 0, false},
		{"Item", 1, 0, 0, false},
		{"Linked item", 2, 2, 0, false},
		{"今天天气很好。我们出去。", 5, 0, 2, false},
	}
	if len(p.Blocks) != len(want) {
		t.Fatalf("%d blocks: %+v", len(p.Blocks), p.Blocks)
	}
	for i, w := range want {
		b := p.Blocks[i]
		if b.Text != w.text || b.Words != w.words || b.Links != w.links || b.Stops != w.stops || p.Boxes[b.Box].Hidden != w.hidden {
			t.Errorf("block %d: %+v, want %+v", i, b, w)
		}
	}
	for i, b := range p.Boxes {
		if b.Parent >= i || b.First > b.Last || b.Parent >= 0 && (b.First < p.Boxes[b.Parent].First || b.Last > p.Boxes[b.Parent].Last) {
			t.Errorf("box %d lies outside its parent: %+v", i, b)
		}
	}
}

// A page of very many small blocks keeps all its words. Those behind the bound stand in larger
// blocks.
func TestAPageOfVeryManyBlocksIsWhole(t *testing.T) {
	const n = 100_000
	var body, want strings.Builder
	for i := range n {
		fmt.Fprintf(&body, "<p>w%d", i)
		fmt.Fprintf(&want, " w%d", i)
	}
	body.WriteString(`<div id=comments><p>a reader says</div><script>no</script><div hidden>gone</div><p>The <a href=x>end</a> of it.`)
	want.WriteString(" The end of it.")
	p := splitted(t, "<main>"+body.String()+"</main>")
	var got strings.Builder
	words, links, most := 0, 0, 0
	for i := range p.Blocks {
		b := &p.Blocks[i]
		got.WriteString(" " + b.Text)
		words, links, most = words+b.Words, links+b.Links, max(most, len(b.Text))
	}
	if got.String() != want.String() {
		t.Errorf("%d bytes of text, want %d; it ends with %.80q", got.Len(), want.Len(), got.String()[max(0, got.Len()-80):])
	}
	if words != n+4 || links != 1 || most > 2*tailBytes || len(p.Blocks) > maxBlocks+want.Len()/tailBytes+1 {
		t.Errorf("%d words, %d in links, in %d blocks of at most %d bytes", words, links, len(p.Blocks), most)
	}
	for i := range p.Boxes {
		if b := &p.Boxes[i]; b.First > b.Last || b.Last > len(p.Blocks) {
			t.Errorf("box %d: %+v", i, b)
		}
	}
}

// TestFeatureNames protects the model files: a name for every column.
func TestFeatureNames(t *testing.T) {
	if n := len(FeatureNames()); n != int(featureCount) {
		t.Errorf("%d names for %d features", n, featureCount)
	}
	if n := len(SecondNames()); n != int(secondCount) {
		t.Errorf("%d names for %d features of the second reading", n, secondCount)
	}
}

// TestChoose protects the balance: as much as makes the expected F1 greatest, nothing when nothing
// is likely.
func TestChoose(t *testing.T) {
	p := &Page{Blocks: []Block{{Words: 100}, {Words: 10}, {Words: 50}, {Words: 5}}}
	keep := func(caution float64, prob ...float32) string {
		var b strings.Builder
		for _, k := range Choose(p, prob, caution).Keep {
			b.WriteByte("-+"[map[bool]int{true: 1}[k]])
		}
		return b.String()
	}
	for _, c := range []struct{ got, want string }{
		{keep(1, 0.9, 0.9, 0.1, 0.9), "++-+"},
		{keep(1, 0.4, 0.3, 0.4, 0.3), "++++"}, // unsure: better all than nothing
		{keep(1, 0.01, 0.02, 0.01, 0.02), "----"},
		{keep(5, 0.99, 0.6, 0.5, 0.9), "+--+"},
	} {
		if c.got != c.want {
			t.Errorf("kept %s, want %s", c.got, c.want)
		}
	}
}

// TestLoad protects the model that is compiled in: it fits the code, and knows an article from a
// menu.
func TestLoad(t *testing.T) {
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	paragraph := "This is a paragraph of an article, with commas, and with more than one sentence. It goes on for a while, as articles do."
	p := splitted(t, `<div class="navbar menu"><ul><li><a href=a>Home</a><li><a href=b>Sport</a></ul></div><div class="article-content"><h1>Title</h1>
<p>`+strings.Repeat("<p>"+paragraph, 6)+`</div><div class="sidebar related"><a href=c>Read more about other things</a></div><div class=footer>© 2020 All rights reserved</div>`)
	text := p.Text(m.Main(p, Hints{Title: "Title"}, DefaultOptions()).Keep, 1<<20)
	if strings.Count(text, paragraph) != 6 {
		t.Errorf("paragraphs were lost: %q", text)
	}
	for _, boilerplate := range []string{"Sport", "Read more", "rights"} {
		if strings.Contains(text, boilerplate) {
			t.Errorf("%q was kept", boilerplate)
		}
	}
}
