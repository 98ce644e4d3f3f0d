package page

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPartsOfPagesAsSitesWriteThem: what a reader sees is in the text, what he does not see is not.
func TestPartsOfPagesAsSitesWriteThem(t *testing.T) {
	const secret = "The secret paragraph says that nobody should ever read this sentence, and so it goes on for a while."
	x := newExtractor(t)
	for name, c := range map[string]struct {
		body  string
		shown bool
	}{
		"inert":                   {`FILL<div inert><p>SECRET</p></div>`, true},
		"details":                 {`FILL<details><summary>More</summary><p>SECRET</p></details>`, true},
		"slot fallback shown":     {`FILL<div><template shadowrootmode="open"><p><slot name=x>SECRET</slot></p></template></div>`, true},
		"video":                   {`FILL<video src=a><p>SECRET</p></video>`, false},
		"audio":                   {`FILL<audio src=a><p>SECRET</p></audio>`, false},
		"canvas":                  {`FILL<canvas><p>SECRET</p></canvas>`, false},
		"datalist":                {`FILL<datalist><option>SECRET</option></datalist>`, false},
		"noembed":                 {`FILL<noembed>SECRET</noembed>`, false},
		"off screen":              {`FILL<div style="position:absolute; left:-9999px"><p>SECRET</p></div>`, false},
		"off screen top":          {`FILL<div style="position: fixed;top:-5000px"><p>SECRET</p></div>`, false},
		"collapse":                {`FILL<p style="visibility:collapse">SECRET</p>`, false},
		"content-visibility":      {`FILL<div style="content-visibility:hidden"><p>SECRET</p></div>`, false},
		"content-visibility auto": {`FILL<div style="content-visibility:auto"><p>SECRET</p></div>`, true},
		"search":                  {`FILL<search><form><label>Find</label><input></form></search><p>SECRET</p>`, true},
		"xmp":                     {`FILL<xmp>SECRET</xmp>`, true},
		"plaintext":               {`FILL<plaintext>SECRET`, true},
		"center font":             {`FILL<center><font color=red>SECRET</font></center>`, true},
		"custom element":          {`FILL<my-article><my-p>SECRET</my-p></my-article>`, true},
		"popover in p":            {`FILL<div popover="manual"><p>SECRET</p></div>`, false},
		"details open":            {`FILL<details open><summary>SECRET</summary></details>`, true},
		"dialog open":             {`FILL<dialog open><p>SECRET</p></dialog>`, true},
		"hidden empty":            {`FILL<div hidden=""><p>SECRET</p></div>`, false},
		"noscript in p":           {`FILL<p>The wheel <noscript>SECRET</noscript></p>`, true},
		"cdata":                   {`FILL<![CDATA[SECRET]]>`, false},
		"conditional":             {`FILL<!--[if IE]>SECRET<![endif]-->`, false},
		"conditional revealed":    {`FILL<!--[if !IE]><!--><p>SECRET</p><!--<![endif]-->`, true},
		"svg text":                {`FILL<svg><text>SECRET</text></svg>`, false},
		"in a table layout":       {`<table><tr><td>FILL</td><td><p>SECRET</p></td></tr></table>`, true},
		"body twice":              {`FILL</body><body><p>SECRET</p></body>`, true},
		"after html":              {`FILL</body></html><p>SECRET</p>`, true},
		"rt":                      {`FILL<p>The wheel <ruby>x<rp>(</rp><rt>SECRET</rt><rp>)</rp></ruby> turns slowly in the water all day and night.</p>`, false},
		"display contents":        {`FILL<div style="display:contents"><p>SECRET</p></div>`, true},
		"aria-hidden + tab":       {`FILL<section role=tabpanel aria-hidden=true><p>SECRET</p></section>`, true},
		"amp sidebar":             {`FILL<amp-sidebar hidden><p>SECRET</p></amp-sidebar>`, false},
		"script template":         {`FILL<script type="text/template"><p>SECRET</p></script>`, false},
		"cut tag":                 {`FILL<p>SECRET</p><p cla`, true},
	} {
		body := strings.NewReplacer("FILL", filler, "SECRET", secret).Replace(c.body)
		r := x.Extract(Input{URL: "https://example.com/mill", ContentType: "text/html; charset=utf-8",
			Body: []byte("<!doctype html><html lang=en><head><title>The mill</title></head><body>" + body + "</body></html>")})
		if got := strings.Contains(r.Text, secret); got != c.shown {
			t.Errorf("%s: in the text %v, want %v", name, got, c.shown)
		}
	}
}

// TestAddressesAsSitesWriteThem: odd bases, refreshes and references lead where browsers go.
func TestAddressesAsSitesWriteThem(t *testing.T) {
	x := newExtractor(t)
	for name, c := range map[string]struct{ head, body, want string }{
		"base relative":        {`<base href="/sub/">`, `<a href=a>a</a>`, "/sub/a"},
		"base target first":    {`<base target=_blank><base href="/sub/">`, `<a href=a>a</a>`, "/sub/a"},
		"base in body":         {``, `<a href=a>a</a><base href="/sub/">`, "/sub/a"},
		"base data":            {`<base href="data:text/html,x">`, `<a href=a>a</a>`, "/dir/a"},
		"base js":              {`<base href="javascript:x">`, `<a href=a>a</a>`, "/dir/a"},
		"base empty":           {`<base href=""><base href=/sub/>`, `<a href=a>a</a>`, "/dir/a"},
		"base template":        {`<template><base href="/sub/"></template>`, `<a href=a>a</a>`, "/dir/a"},
		"refresh only url":     {`<meta http-equiv=refresh content="url=/a">`, "", ""},
		"refresh frac":         {`<meta http-equiv=refresh content=".5;url=/a">`, "", "/a"},
		"refresh URL =":        {`<meta http-equiv="refresh" content="0;  UrL  =  '/a' ; x">`, "", "/a"},
		"refresh in body":      {``, `<meta http-equiv=refresh content="0;/a">`, "/a"},
		"refresh unquoted end": {`<meta http-equiv=refresh content="0;url='/a">`, "", "/a"},
		"refresh url name":     {`<meta http-equiv=refresh content="0;urls/a">`, "", "/dir/urls/a"},
		"white space":          {"", "<a href=' /a\n/b\t '>a</a>", "/a/b"},
		"svg a":                {"", `<svg><a xlink:href="/a"><text>x</text></a><a href="/b"></a></svg>`, "/a /b"},
		"area":                 {"", `<map><area href=/a alt=x></map>`, "/a"},
		"query":                {"", `<a href="?q=1&amp;r=2">x</a><a href="?q=1&copy=2">x</a>`, "/dir/page?q=1&copy=2 /dir/page?q=1&r=2"},
		"backslash":            {"", `<a href="\a\b">x</a>`, "/a/b"},
		"details link":         {"", `<details><a href=/a>a</a></details><dialog><a href=/b>b</a></dialog>`, "/a /b"},
		"shadow link":          {"", `<div><template shadowrootmode=open><a href=/a>a</a></template></div>`, "/a"},
		"lazy frame":           {"", `<iframe data-src=/a loading=lazy></iframe>`, ""},
		"next":                 {`<link rel="next" href=/a><link rel=prerender href=/b>`, ``, "/a"},
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

// TestAuthorsAndDaysAsSitesWriteThem: JSON-LD with its common errors, microdata, RDFa,
// microformats; numbers that are no days.
func TestAuthorsAndDaysAsSitesWriteThem(t *testing.T) {
	x := newExtractor(t)
	for name, c := range map[string]struct{ head, body, author, day string }{
		"graph":             {`<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":"WebSite","name":"S"},{"@type":"NewsArticle","headline":"The mill","author":{"@id":"#p"},"datePublished":"2024-01-31"},{"@type":"Person","@id":"#p","name":"Ada Writer"}]}</script>`, "", "Ada Writer", "2024-01-31"},
		"two types":         {`<script type="application/ld+json">{"@type":["WebPage","NewsArticle"],"headline":"The mill","author":[{"@type":"Person","name":"Ada Writer"}],"datePublished":"2024-01-31T10:00:00+02:00"}</script>`, "", "Ada Writer", "2024-01-31"},
		"type url":          {`<script type="application/ld+json">{"@type":"http://schema.org/BlogPosting","headline":"The mill","author":"Ada Writer","datePublished":"2024-01-31"}</script>`, "", "Ada Writer", "2024-01-31"},
		"type schema:":      {`<script type="application/ld+json">{"@type":"schema:BlogPosting","headline":"The mill","author":"Ada Writer","datePublished":"2024-01-31"}</script>`, "", "Ada Writer", "2024-01-31"},
		"list of scripts":   {`<script type="application/ld+json">[{"@type":"BreadcrumbList"},[{"@type":"BlogPosting","headline":"The mill","author":"Ada Writer","datePublished":"2024-01-31"}]]</script>`, "", "Ada Writer", "2024-01-31"},
		"bom in json":       {"<script type=\"application/ld+json\">\ufeff{\"@type\":\"BlogPosting\",\"author\":\"Ada Writer\",\"datePublished\":\"2024-01-31\"}</script>", "", "Ada Writer", "2024-01-31"},
		"two objects":       {`<script type="application/ld+json">{"@type":"BlogPosting","author":"Ada Writer","datePublished":"2024-01-31"}{"@type":"WebSite"}</script>`, "", "Ada Writer", "2024-01-31"},
		"cdata":             {"<script type=\"application/ld+json\">/*<![CDATA[*/{\"@type\":\"BlogPosting\",\"author\":\"Ada Writer\",\"datePublished\":\"2024-01-31\"}/*]]>*/</script>", "", "Ada Writer", "2024-01-31"},
		"microdata":         {"", `<article itemscope itemtype="https://schema.org/Article"><span itemprop="author" itemscope><span itemprop="name">Ada Writer</span></span><meta itemprop=datePublished content="2024-01-31">FILL</article>`, "Ada Writer", "2024-01-31"},
		"microdata content": {"", `<article itemscope itemtype="https://schema.org/Article"><span itemprop="author">Ada Writer</span><span itemprop=datePublished content="2024-01-31">yesterday</span>FILL</article>`, "Ada Writer", "2024-01-31"},
		"rdfa":              {"", `<article vocab="https://schema.org/" typeof="Article"><span property="author">Ada Writer</span><time property="datePublished" datetime="2024-01-31">x</time>FILL</article>`, "Ada Writer", "2024-01-31"},
		"hentry":            {"", `<article class="hentry"><span class="vcard author"><a class="fn">Ada Writer</a></span><abbr class="published" title="2024-01-31">x</abbr>FILL</article>`, "Ada Writer", "2024-01-31"},
		"dl":                {`<meta name="DC.date.issued" content="2024-01-31"><meta name="DC.creator" content="Ada Writer">`, "", "Ada Writer", "2024-01-31"},
		"citation":          {`<meta name="citation_author" content="Ada Writer"><meta name="citation_publication_date" content="2024/01/31">`, "", "Ada Writer", "2024-01-31"},
		"parsely":           {`<meta name="parsely-author" content="Ada Writer"><meta name="parsely-pub-date" content="2024-01-31T00:00:00Z">`, "", "Ada Writer", "2024-01-31"},
		"sailthru":          {`<meta name="sailthru.author" content="Ada Writer"><meta name="sailthru.date" content="2024-01-31 10:00:00">`, "", "Ada Writer", "2024-01-31"},
		"future":            {`<meta property="article:published_time" content="2094-01-31">`, "", "", ""},
		"epoch":             {`<meta property="article:published_time" content="1970-01-01T00:00:00Z">`, "", "", ""},
		"zero":              {`<meta property="article:published_time" content="0001-01-01T00:00:00Z">`, "", "", ""},
		"unix":              {`<meta property="article:published_time" content="1706702400">`, "", "", "2024-01-31"},
		"unixms":            {`<meta property="article:published_time" content="1706702400000">`, "", "", "2024-01-31"},
		"version":           {"", `FILL<h2>4.2.10 Wheels</h2><p>Version 2.4.10 of the wheel turns.</p>`, "", ""},
		"ip":                {"", `FILL<p>The host 10.12.20.21 answers, and 2001:10:11 too.</p>`, "", ""},
		"isbn phone":        {"", `FILL<p>ISBN 978-3-16-148410-0, phone 2010-11-12-13, room 12/10/08/4.</p>`, "", ""},
		"event":             {"", `FILL<p>The fair takes place on 31 January 2024 in the yard.</p>`, "", ""},
	} {
		body := c.body
		if !strings.Contains(body, "FILL") {
			body += "FILL"
		}
		r := x.Extract(Input{URL: "https://example.com/mill", ContentType: "text/html; charset=utf-8", FetchedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
			Body: []byte("<!doctype html><html lang=en><head><title>The mill</title>" + c.head + "</head><body>" + strings.ReplaceAll(body, "FILL", filler) + "</body></html>")})
		day := ""
		if !r.Published.Time.IsZero() {
			day = r.Published.Time.Format(time.DateOnly)
		}
		if r.Author != c.author || day != c.day {
			t.Errorf("%s: author %q day %q, want %q %q", name, r.Author, day, c.author, c.day)
		}
	}
}
