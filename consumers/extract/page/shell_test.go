package page

import (
	"encoding/json"
	"strings"
	"testing"
)

// sentences are an article of six paragraphs.
var sentences = []string{
	"The old mill stands by the river, and its wheel has been turning since the spring of that year, slowly and without a pause.",
	"Farmers bring their corn in carts, and they wait in the yard until the miller calls them by name, one after the other.",
	"In the evening the gates are closed, the water is led around the wheel, and the stones cool down before the night begins.",
	"Every few years the stones must be dressed again, which takes two people three days, and nobody may speak while they work.",
	"The village has voted to keep the building open for visitors, although the costs of repair have doubled since the flood.",
	"A school class from the next town counted the steps of the tower and found one hundred and twelve, two fewer than the sign says.",
}

func paragraphs() string { return "<p>" + strings.Join(sentences, "</p><p>") + "</p>" }

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// readPage extracts a page of which head and body are given.
func readPage(x *Extractor, head, body string) Result {
	return x.Extract(Input{URL: "https://example.com/mill", ContentType: "text/html; charset=utf-8",
		Body: []byte("<!doctype html><html lang=en><head><title>The mill by the river</title>" + head + "</head><body>" + body)})
}

// wholeArticle fails unless the page has all sentences, no tag, and its title.
func wholeArticle(t *testing.T, name string, r Result) {
	t.Helper()
	for _, s := range sentences {
		if !strings.Contains(r.Text, s) {
			t.Errorf("%s: %q is missing; %d bytes (%s)", name, s, len(r.Text), r.TextBy)
			return
		}
	}
	if r.Title != "The mill by the river" || strings.ContainsAny(r.Text, "<>{}") {
		t.Errorf("%s: title %q, text %q", name, r.Title, r.Text)
	}
}

// TestAShellIsReadFromTheDataOfItsScripts: the kits that build pages in the browser put the text of
// the page into the page in forms of their own. The labels of a page are no text.
func TestAShellIsReadFromTheDataOfItsScripts(t *testing.T) {
	x := newExtractor(t)
	post := func(content any) any {
		return map[string]any{"buildId": "x1", "menu": []string{"Home", "News"}, "terms": "You must accept the terms before you can go on with it.",
			"props": map[string]any{"post": map[string]any{"title": "The mill by the river", "content": content}}}
	}
	var nodes, flight, excerpts []string
	for _, s := range sentences {
		nodes = append(nodes, `{"type":"paragraph","children":[{"text":`+asJSON(s)+`}]}`)
		flight = append(flight, `<script>self.__next_f.push([1,`+asJSON(`7:["$","p",null,{"children":`+asJSON(s)+"}]\n")+`])</script>`)
		excerpts = append(excerpts, `{url: "/a", excerpt: `+asJSON(s)+`}`)
	}
	quoted := asJSON(paragraphs())
	for name, script := range map[string]string{
		"json with html":          `<script id="__NEXT_DATA__" type="application/json">` + asJSON(post(paragraphs())) + `</script>`,
		"json with a list":        `<script type="application/json">` + asJSON(post(sentences)) + `</script>`,
		"json with a rich text":   `<script type="application/json">{"body":[` + strings.Join(nodes, ",") + `]}</script>`,
		"json in json":            `<script>window.__APOLLO_STATE__=JSON.parse(` + asJSON(asJSON(post(paragraphs()))) + `);</script>`,
		"an assignment":           "<script>// the reader's state\nwindow.__INITIAL_STATE__ = " + asJSON(post(paragraphs())) + `; window.foo=1;</script>`,
		"a function":              `<script>window.__NUXT__=(function(a,b){return {data:[{post:{title:"x",content:` + quoted + `,id:a}}]}}(1,"x"));</script>`,
		"a list that has indexes": `<script type="application/json">[["Reactive",1],{"title":2,"body":3},"The mill by the river",` + quoted + `,{}]</script>`,
		"a stream of rows":        strings.Join(flight, ""),
		"a list of news":          `<script>var items = [` + strings.Join(excerpts, ",") + `];</script>`,
	} {
		wholeArticle(t, name, readPage(x, "", `<div id="root"><p>Loading …</p></div>`+script))
	}
	labels := map[string]string{}
	for i := range 60 {
		labels["label"+string(rune('A'+i))] = "You must accept the terms before you can go on, number " + strings.Repeat("x", i%9) + "."
	}
	if r := readPage(x, "", `<div id=root></div><script type="application/json">`+asJSON(labels)+`</script>`); r.Drop != Empty {
		t.Errorf("labels became a text: %q", r.Text)
	}
	if r := readPage(x, "", filler+`<script>var x = `+asJSON(post(paragraphs()+"<p>Not shown here at all, says the data of the page.</p>"))+`</script>`); strings.Contains(r.Text, "Not shown") {
		t.Errorf("the data of a page that shows its text was taken: %q", r.Text)
	}
}

// TestAnArticleOfWhichAPartIsShownIsReadWhole: JSON-LD has what the page shows to those who paid.
// Another text there is not taken.
func TestAnArticleOfWhichAPartIsShownIsReadWhole(t *testing.T) {
	x := newExtractor(t)
	shown := "<article><h1>The mill by the river</h1><p>" + sentences[0] + "</p><div><h2>Subscribe to read on</h2><p>Get unlimited access for one coin a week, and cancel at any time.</p></div></article>"
	ld := func(text string) string {
		return `<script type="application/ld+json">{"@type":"NewsArticle","headline":"The mill by the river","articleBody":` + asJSON(text) + `,}</script>`
	}
	wholeArticle(t, "a part", readPage(x, ld(strings.Join(sentences, "\n\n")), shown))
	if r := readPage(x, ld(strings.Repeat("Buy our watches at once. ", 20)), shown); strings.Contains(r.Text, "watches") {
		t.Errorf("another text was taken: %q", r.Text)
	}
}

// TestAPageWithoutTextIsFoundByItsDescriptions: of its pictures, else its own. Else it is no
// document.
func TestAPageWithoutTextIsFoundByItsDescriptions(t *testing.T) {
	x := newExtractor(t)
	for name, c := range map[string]struct{ head, body, want string }{
		"pictures": {`<meta name=description content="All about mills and those who live beside them.">`, `<img src=/a.png alt="The old mill in the morning"><img src=/b.png alt="Its wheel"><img src=/c.png alt=logo>`, "The old mill in the morning\nIts wheel"},
		"itself":   {`<meta name=description content="All about mills and those who live beside them.">`, `<div id=root></div>`, "All about mills and those who live beside them."},
		"nothing":  {`<meta name=description content="Mills">`, `<img src=/c.png alt=logo>`, ""},
	} {
		if r := readPage(x, c.head, c.body); r.Text != c.want || (r.Drop == Empty) != (c.want == "") {
			t.Errorf("%s: %q, drop %q", name, r.Text, r.Drop)
		}
	}
}

// TestADayThatAPageTellsOfIsNotItsOwn: of an event or of history. The same day beside a word of
// publication, or set apart, is.
func TestADayThatAPageTellsOfIsNotItsOwn(t *testing.T) {
	x := newExtractor(t)
	for line, want := range map[string]string{
		"On 4 July 1996 the mill burned down.":                              "",
		"The festival takes place on 12 May 2021 in the yard.":              "",
		"Sale ends 12 May 2021 while supplies last. One coupon a purchase.": "",
		"Published on 12 May 2021 by Ann Miller. All rights are with her.":  "2021-05-12",
		"Berlin, 12 May 2021 (own report). The mill has a new wheel.":       "2021-05-12",
		"12 May 2021": "2021-05-12",
	} {
		r := readPage(x, "", "<article><h1>The mill by the river</h1><p>"+line+"</p>"+paragraphs()+"</article>")
		got := ""
		if !r.Published.Time.IsZero() {
			got = r.Published.Time.Format("2006-01-02")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
