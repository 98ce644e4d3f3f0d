package page

import (
	"slices"
	"strings"
	"testing"
)

// filler is an article around a case, so that the page is none of scripts.
var filler = "<h1>The mill</h1>" + strings.Repeat("<p>The old mill stands by the river, and its wheel has been turning since the spring of that year, slowly. "+
	"Farmers bring their corn in carts, and they wait in the yard until the miller calls them.</p>", 4)

// TestAPageIsReadAsABrowserWithoutScriptsShowsIt: what such a browser shows is in text and links,
// what it hides is in neither titles nor text.
func TestAPageIsReadAsABrowserWithoutScriptsShowsIt(t *testing.T) {
	const secret = "The secret paragraph says that nobody should ever read this sentence, and so it goes on for a while."
	x := newExtractor(t)
	for name, c := range map[string]struct {
		body  string // FILL is the filler, SECRET the sentence
		shown bool   // whether the sentence must be in the text, else it must not
	}{
		"plain":                      {`FILL<p>SECRET</p>`, true},
		"hidden":                     {`FILL<div hidden><p>SECRET</p></div>`, false},
		"hidden until found":         {`FILL<div hidden="until-found"><p>SECRET</p></div>`, true},
		"aria-hidden":                {`FILL<div aria-hidden="TRUE"><p>SECRET</p></div>`, false},
		"aria-hidden is false":       {`FILL<div aria-hidden="false"><p>SECRET</p></div>`, true},
		"display none":               {`FILL<div style="color:red; DISPLAY : none !important"><p>SECRET</p></div>`, false},
		"display none, then block":   {`FILL<div style="display:none;display:block"><p>SECRET</p></div>`, true},
		"a picture called none":      {`FILL<div style="background-image:none"><p>SECRET</p></div>`, true},
		"visibility":                 {`FILL<p style="visibility:hidden">SECRET</p>`, false},
		"overflow is not visibility": {`FILL<p style="overflow:hidden">SECRET</p>`, true},
		"hidden in a paragraph":      {`FILL<p>The wheel turns slowly, <span hidden>SECRET</span> and the stones grind the corn all day.</p>`, false},
		"template":                   {`FILL<template><p>SECRET</p></template>`, false},
		"shadow root":                {`FILL<div><template shadowrootmode="open"><p>SECRET</p></template></div>`, true},
		"closed dialog":              {`FILL<dialog><p>SECRET</p></dialog>`, false},
		"modal":                      {`FILL<div role="dialog" aria-modal="true"><p>SECRET</p></div>`, false},
		"popover":                    {`FILL<div popover><p>SECRET</p></div>`, false},
		"noscript":                   {`<h1>The mill</h1><noscript>` + strings.TrimPrefix(filler, "<h1>The mill</h1>") + `<p>SECRET</p></noscript>`, true},
		"noscript that asks":         {`FILL<noscript>Please enable JavaScript in your browser: SECRET</noscript>`, false},
		"streamed by React":          {`<div id="app"><!--$?--><template id="B:0"></template></div><div hidden id="S:0">FILL<p>SECRET</p></div>`, true},
		"only hidden text":           {`<div id="app" style="display:none">FILL<p>SECRET</p></div>`, true},
		"tab panel":                  {`FILL<div role="tabpanel" id="t2" aria-labelledby="tab2" hidden><p>SECRET</p></div>`, true},
		"tab pane of a kit":          {`FILL<div class="tab-content"><div class="tab-pane fade" id="spec" style="display:none"><p>SECRET</p></div></div>`, true},
		"accordion of a kit":         {`FILL<div id="c1" class="panel-collapse collapse" aria-hidden="true"><p>SECRET</p></div>`, true},
		"menu that unfolds":          {`FILL<div class="accordion-content mobile-menu" style="display:none"><p>SECRET</p></div>`, false},
		"tab pane in a closed modal": {`FILL<div class="modal" aria-hidden="true"><div class="tab-pane"><p>SECRET</p></div></div>`, false},
		"main behind a notice":       {`<main aria-hidden="true">FILL<p>SECRET</p></main><div role="dialog">We use cookies.</div>`, true},
		"a script":                   {`FILL<script>SECRET</script>`, false},
		"a comment":                  {`FILL<!-- SECRET -->`, false},
		"iframe's own document":      {`FILL<iframe srcdoc="SECRET">SECRET</iframe>`, false},
		"noframes":                   {`FILL<noframes>SECRET</noframes>`, false},
	} {
		body := strings.NewReplacer("FILL", filler, "SECRET", secret).Replace(c.body)
		r := x.Extract(Input{URL: "https://example.com/mill", ContentType: "text/html; charset=utf-8",
			Body: []byte("<!doctype html><html lang=en><head><title>The mill</title></head><body>" + body + "</body></html>")})
		if got := strings.Contains(r.Text, secret); got != c.shown {
			t.Errorf("%s: in the text %v, want %v:\n%s", name, got, c.shown, r.Text)
		}
		if r.Title != "The mill" {
			t.Errorf("%s: title %q", name, r.Title)
		}
	}
}

// TestLinksOfABrowserWithoutScripts: frames, files shown in the page, redirects of noscript; not
// those of templates and counters.
func TestLinksOfABrowserWithoutScripts(t *testing.T) {
	x := newExtractor(t)
	for name, c := range map[string]struct{ head, body, want string }{
		"noscript":           {"", `<noscript><a href=/a>a</a></noscript>`, "/a"},
		"refresh":            {`<meta http-equiv=refresh content="0;url=/a">`, "", "/a"},
		"refresh, quoted":    {`<meta http-equiv=Refresh content='5; URL = "/a" '>`, "", "/a"},
		"refresh, blank":     {`<meta http-equiv=refresh content="0 /a">`, "", "/a"},
		"refresh of itself":  {`<meta http-equiv=refresh content="30">`, "", ""},
		"refresh, noscript":  {`<noscript><meta http-equiv=refresh content="0;url=/a"></noscript>`, "", "/a"},
		"iframe":             {"", `<iframe src=/a></iframe>`, "/a"},
		"counter":            {"", `<iframe src=/a width=0 height=0></iframe><iframe src=/b style="display:none"></iframe>`, ""},
		"pdf in the page":    {"", `<object data=/a type=application/pdf></object><embed src=/b type=application/pdf><embed src=/c type=image/png>`, "/a /b"},
		"template":           {"", `<template><a href=/a>a</a></template>`, ""},
		"hidden menu":        {"", `<div hidden><a href=/a>a</a></div>`, "/a"},
		"frameset":           {`</head><frameset><frame src=/a><frame src=/b></frameset>`, "", "/a /b"},
		"refresh to a trick": {`<meta http-equiv=refresh content="0;url=javascript:alert(1)">`, "", ""},
	} {
		page := "<!doctype html><html lang=en><head><title>t</title>" + c.head
		if c.body != "" {
			page += "</head><body>" + c.body + "<p>Some text.</p></body>"
		}
		r := x.Extract(Input{URL: "https://example.com/dir/page", ContentType: "text/html; charset=utf-8", Body: []byte(page)})
		var got []string
		for _, l := range r.Links {
			got = append(got, strings.TrimPrefix(l.URL.String(), "https://example.com"))
		}
		slices.Sort(got)
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: links %q, want %q", name, s, c.want)
		}
	}
}

// TestAShellIsReadFromItsJSON: what JSON-LD states is the text of a page that shows none, and of no
// other.
func TestAShellIsReadFromItsJSON(t *testing.T) {
	sentence := "The bridge over the river was opened on Monday, after three years of work, and the first carts crossed it at noon. "
	ld := func(body string) string {
		return `<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","headline":"The bridge","articleBody":"` + body + `"}</script>`
	}
	x := newExtractor(t)
	for name, c := range map[string]struct{ body, want, not string }{
		"shell":        {`<div id=root></div><noscript>Enable JavaScript.</noscript>` + ld(strings.Repeat(sentence, 6)), "opened on Monday", "Enable"},
		"html in it":   {`<div id=root></div>` + ld("<p>One &amp; two.<\\/p><p>"+strings.Repeat(sentence, 6)+"<\\/p>"), "One & two.\nThe bridge", "<p>"},
		"page of text": {filler + ld(strings.Repeat(sentence, 6)), "old mill", "opened on Monday"},
		"short":        {`<p>Loading, please wait a moment.</p>` + ld("The bridge is open."), "Loading", "bridge"},
	} {
		r := x.Extract(Input{URL: "https://example.com/bridge", ContentType: "text/html; charset=utf-8",
			Body: []byte("<!doctype html><html lang=en><head><title>The bridge</title></head><body>" + c.body + "</body></html>")})
		if !strings.Contains(r.Text, c.want) || strings.Contains(r.Text, c.not) {
			t.Errorf("%s: text %q (%s)", name, r.Text, r.TextBy)
		}
		if name == "shell" && !r.Useful {
			t.Error("an article of a shell is not useful")
		}
	}
}
