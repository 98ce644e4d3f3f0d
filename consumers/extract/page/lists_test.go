package page

import (
	"fmt"
	"strings"
	"testing"
)

// TestAListThatAPageIsForIsKept: pages of members, staff and suppliers are a list with a sentence
// before and one behind; both were dropped, because lists of links mostly are menus.
func TestAListThatAPageIsForIsKept(t *testing.T) {
	const (
		nav    = `<header><nav><ul><li><a href=/>Home</a><li><a href=/about>About us</a><li><a href=/dates>Dates</a><li><a href=/press>Press</a><li><a href=/shop>Shop</a></ul></nav></header>`
		foot   = `<footer><p>© 2024 Union of Choirs. All rights reserved.</p><ul><li><a href=/privacy>Privacy</a><li><a href=/imprint>Imprint</a></ul></footer>`
		head   = `<h1>Member choirs</h1>`
		before = `<p>The union has these member choirs, each of which sings at least twice a year in its own parish, and all of which take new singers in autumn.</p>`
		behind = `<p>A choir that wishes to join should write to the secretary before the end of March, with a list of its singers and the name of its conductor.</p>`
	)
	names := strings.Fields("Aldham Barton Carlow Denholm Elsdon Farnley Garforth Harwood Ilkley Jarrow Kelso Lanark Malton Norham Otley Penrith Quorn Ripon Selby Thirsk Wetherby Yarm Zennor")
	each := func(format, between string) string {
		var items []string
		for _, n := range names {
			items = append(items, strings.ReplaceAll(format, "$", n))
		}
		return strings.Join(items, between)
	}
	const link = `<a href="https://$.example/">$ Choir</a>`
	list := `<ul>` + each(`<li>`+link, "") + `</ul>`
	x := newExtractor(t)
	read := func(name, page string) string {
		return x.Extract(Input{URL: "https://example.org/members", ContentType: "text/html; charset=utf-8", Body: []byte(`<!doctype html><html lang=en><title>Member choirs</title>` + page)}).Text
	}
	for name, c := range map[string]struct{ page, also string }{
		"in main":               {nav + `<main>` + head + before + list + behind + `</main>` + foot, "wishes to join"},
		"alone on the page":     {`<main>` + head + before + list + behind + `</main>`, "wishes to join"},
		"without a text before": {nav + `<main>` + head + list + behind + `</main>` + foot, "wishes to join"},
		"without any text":      {nav + `<main>` + head + list + `</main>` + foot, ""},
		"in an article":         {nav + `<article>` + head + before + list + behind + `</article>` + foot, "wishes to join"},
		"beside the heading":    {nav + `<div id=content>` + head + before + list + behind + `</div>` + foot, "wishes to join"},
		"in a field":            {nav + `<main><div class=region><h1 class=page-title>Member choirs</h1><div class=field-body>` + before + list + behind + `</div></div></main>` + foot, "wishes to join"},
		"with names":            {nav + `<main>` + head + before + `<ul class="choir-list">` + each(`<li class=choir>`+link, "") + `</ul>` + behind + `</main>` + foot, "wishes to join"},
		"below headings":        {nav + `<main>` + head + before + `<h2>North</h2>` + list + `<h2>South</h2><ul><li><a href=/y>Yeovil Choir</a>` + list[4:] + behind + `</main>` + foot, "Yeovil Choir"},
		"in sections":           {nav + `<main>` + head + before + `<section><h2>North</h2>` + list + `</section><section><h2>South</h2><ul><li><a href=/y>Yeovil Choir</a>` + list[4:] + `</section>` + behind + `</main>` + foot, "Yeovil Choir"},
		"a table":               {nav + `<main>` + head + before + `<table>` + each(`<tr><td>`+link+`<td>since 1950`, "") + `</table>` + behind + `</main>` + foot, "wishes to join"},
		"terms":                 {nav + `<main>` + head + before + `<dl>` + each(`<dt>`+link+`<dd>since 1950`, "") + `</dl>` + behind + `</main>` + foot, "wishes to join"},
		"lines":                 {nav + `<main>` + head + before + `<p>` + each(link, "<br>") + `</p>` + behind + `</main>` + foot, "wishes to join"},
		"boxes":                 {nav + `<main>` + head + before + `<div>` + each(`<div>`+link+`</div>`, "") + `</div>` + behind + `</main>` + foot, "wishes to join"},
	} {
		text := read(name, c.page)
		for _, n := range append(names, c.also) {
			if !strings.Contains(text, n) {
				t.Errorf("%s: %q is lost in %q", name, n, text)
				break
			}
		}
		for _, n := range []string{"About us", "Privacy", "rights"} {
			if strings.Contains(text, n) {
				t.Errorf("%s: %q is kept in %q", name, n, text)
			}
		}
	}
	paragraph := `<p>The water runs over the stones, and the miller, who has lived here for thirty years, keeps the race of his mill clear of weed, of ice and of branches. %s</p>`
	long := ""
	for i := range 8 {
		long += fmt.Sprintf(paragraph, names[i])
	}
	for name, page := range map[string]string{
		"links below an article":       nav + `<main><h1>The old mill</h1>` + long + `<ul>` + each(`<li>`+link, "</li>")[:6*len(`<li><a href="https://Aldham.example/">Aldham Choir</a></li>`)] + `</ul></main>` + foot,
		"articles below a short one":   nav + `<main><h1>The old mill</h1>` + before + `<h2>Latest news</h2>` + list + `</main>` + foot,
		"headlines below a short one":  nav + `<main><h1>The old mill</h1>` + before + `<ul>` + strings.Join(strings.SplitAfterN(each(`<li><a href=/$>The mayor of $ will not be a candidate in the coming year</a>`, "\n"), "\n", 7)[:6], "") + `</ul></main>` + foot,
		"a menu that its name betrays": nav + `<main><h1>The old mill</h1>` + before + `<ul class="nav menu">` + list[4:] + `</main>` + foot,
	} {
		if text := read(name, page); strings.Contains(text, "Barton Choir") || strings.Contains(text, "mayor of Barton") {
			t.Errorf("%s: kept in %q", name, text)
		}
	}
}
