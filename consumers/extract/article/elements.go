package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isSkipped reports whether the element's text is never part of what a reader reads.
func isSkipped(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Noscript:
		return !isPart(n)
	case atom.Template:
		return !IsShadow(n)
	case atom.Script, atom.Style, atom.Iframe, atom.Object, atom.Embed, atom.Svg, atom.Canvas,
		atom.Audio, atom.Video, atom.Select, atom.Option, atom.Datalist, atom.Textarea, atom.Head, atom.Title, atom.Map,
		atom.Rp, atom.Rt, atom.Progress, atom.Meter, atom.Noframes, atom.Noembed, atom.Applet,
		atom.Annotation, atom.AnnotationXml: // of a formula: the source in TeX of what is shown
		return true
	}
	return false
}

// isFallback reports elements whose content stands in for what a browser cannot show. If the rest
// of the page is hardly anything, it was meant for more: the end tag is missing.
func isFallback(a atom.Atom) bool {
	switch a {
	case atom.Object, atom.Audio, atom.Video, atom.Canvas, atom.Applet:
		return true
	}
	return false
}

// IsShadow reports whether a template is a declarative shadow root: a browser shows what is in it
// without a script (HTML standard, 4.12.3), and keeps every other template out of the page.
func IsShadow(template *html.Node) bool {
	mode := attr(template, "shadowrootmode")
	if mode == "" {
		mode = attr(template, "shadowroot") // its first name, in browsers of 2021
	}
	return strings.EqualFold(mode, "open") || strings.EqualFold(mode, "closed")
}

// A noscript element with noscriptWords or more is part of the page: some forum programs serve
// their threads there. A shorter one may ask for scripts to be enabled, or hold a picture.
const (
	noscriptWords  = 60
	noscriptFewest = 5
)

// isPart reports whether the content of a noscript element is text of the page.
func isPart(noscript *html.Node) bool {
	words, asks := 0, false
	var count func(*html.Node)
	count = func(n *html.Node) {
		for c := n.FirstChild; c != nil && words < noscriptWords; c = c.NextSibling {
			switch {
			case c.Type == html.TextNode:
				EachWord(c.Data, func(string) { words++ })
				asks = asks || SpeaksOfScripts(c.Data)
			case c.DataAtom != atom.Script && c.DataAtom != atom.Style:
				count(c)
			}
		}
	}
	count(noscript)
	return words >= noscriptWords || words >= noscriptFewest && !asks
}

// SpeaksOfScripts reports whether a text is about scripts, cookies or browsers.
func SpeaksOfScripts(s string) bool {
	return hasAny(strings.ToLower(s), "script", "скрипт", "脚本", "スクリプト", "스크립트", "cookie", "browser", "браузер", "浏览器", "瀏覽器")
}

// isBlock reports whether the element begins and ends a paragraph.
func isBlock(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Button, atom.Caption, atom.Center, atom.Dd,
		atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure,
		atom.Footer, atom.Form, atom.Frameset, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header,
		atom.Hgroup, atom.Hr, atom.Html, atom.Label, atom.Legend, atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P,
		atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr,
		atom.Ul, atom.Search, atom.Noscript:
		return true
	}
	return false
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
