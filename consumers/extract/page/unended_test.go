package page

import (
	"bytes"
	"strings"
	"testing"
)

// TestMarkupWithoutAnEndDoesNotTakeThePage: a title, a script, a comment, a value that its author
// did not end. A page that was cut in a script shows no code.
func TestMarkupWithoutAnEndDoesNotTakeThePage(t *testing.T) {
	x := newExtractor(t)
	whole := `<nav><a href=/a>Home</a></nav><main><h1>The mill by the river</h1>` + paragraphs() + `</main></body></html>`
	const title = "<html><head><title>The mill by the river</title></head><body>"
	pages := map[string]string{
		"title":                "<html><head><title>The mill by the river\n<meta name=author content=x></head><body>" + whole,
		"title with title":     "<html><head><title>The mill by the river<title></head><body>" + whole,
		"title with a slip":    "<html><head><title>The mill by the river</tittle></head><body>" + whole,
		"script in the head":   "<html><head><title>The mill by the river</title><script>var x = 1;\n</head><body>" + whole,
		"script of a file":     title + "<script src=a.js>" + whole,
		"script, then lines":   title + "<SCRIPT>\nvar x = '<b>';\n" + whole,
		"script in a comment":  title + "<script><!-- <script> x() </script>" + whole,
		"style":                "<html><head><title>The mill by the river</title><style>p { color: red }\n</head><body>" + whole,
		"textarea":             title + "<textarea>" + whole,
		"iframe":               title + "<iframe src=/x>" + whole,
		"noframes":             title + "<noframes>" + whole,
		"comment":              title + "<!-- header >" + whole,
		"comment, half ended":  title + "<!-- header ->" + whole,
		"comment of a browser": title + "<!--[if IE]><![endif]" + whole,
		"value":                title + `<div class="x>` + whole,
		"value, single":        title + `<a href='/x>x</a>` + whole,
		"video":                title + "<video src=x>" + whole,
		"frames":               "<html><head><title>The mill by the river</title></head><frameset cols=1,2><frame src=/menu><noframes><body>" + whole + "</noframes></frameset></html>",
	}
	for name, body := range pages {
		wholeArticle(t, name, x.Extract(Input{URL: "https://example.com/mill", ContentType: "text/html; charset=utf-8", Body: []byte(body)}))
	}
	for name, body := range map[string]string{
		"cut in a script":  title + "<h1>The mill by the river</h1>" + paragraphs() + "<script>\n" + strings.Repeat("let y = `\n<b>code of the script</b>\n`;\n", 200),
		"cut in a comment": title + "<h1>The mill by the river</h1>" + paragraphs() + "<!-- <p>code of the script</p>",
	} {
		r := x.Extract(Input{URL: "https://example.com/mill", ContentType: "text/html; charset=utf-8", Body: []byte(body)})
		if wholeArticle(t, name, r); strings.Contains(r.Text, "code of") {
			t.Errorf("%s: %q", name, r.Text)
		}
	}
}

// FuzzEndRunning: ends are put in, nothing is taken away, and a page is not gone over without end.
func FuzzEndRunning(f *testing.F) {
	for _, s := range []string{"<title>a<p>b", "<!-- a>b", `<a b="c>d`, "<script>x\n<p>y</body>", "<script><!--<script></script>x", "<a =' = \"", "<title><title><title>"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		out := endRunning(body)
		for _, c := range out {
			if len(body) > 0 && body[0] == c {
				body = body[1:]
			}
		}
		if len(body) > 0 {
			t.Fatalf("%q lost %q", bytes.Clone(out), body)
		}
	})
}
