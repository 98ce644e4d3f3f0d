package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// IsHidden reports whether the page hides an element by attributes or its own style; style sheets
// are not read. A dialog is hidden until it is opened, and so is a popover.
func IsHidden(n *html.Node) bool {
	closed := n.DataAtom == atom.Dialog
	for i := range n.Attr {
		a := &n.Attr[i]
		switch a.Key {
		case "open":
			closed = false
		case "popover":
			return true
		case "hidden":
			if !strings.EqualFold(a.Val, "until-found") && !isStreamed(n) {
				return true
			}
		case "aria-hidden", "aria-modal":
			if strings.EqualFold(strings.TrimSpace(a.Val), "true") {
				return true
			}
		case "style":
			if isStyledAway(a.Val) {
				return true
			}
		}
	}
	return closed
}

// isStreamed reports parts that React's server sends at the end of the page, and a small script
// moves to their place: <div hidden id="S:0">. They are part of the page.
func isStreamed(n *html.Node) bool {
	rest, ok := strings.CutPrefix(attr(n, "id"), "S:")
	return ok && rest != "" && len(rest) <= 8
}

// isStyledAway reports whether a style attribute hides the element.
func isStyledAway(style string) bool {
	if len(style) > 2000 || !hasAny(strings.ToLower(style), "none", "hidden") {
		return false
	}
	away := false
	for declaration := range strings.SplitSeq(strings.ToLower(style), ";") {
		name, value, _ := strings.Cut(declaration, ":")
		value, _, _ = strings.Cut(value, "!")
		switch value = strings.TrimSpace(value); strings.TrimSpace(name) {
		case "display":
			away = value == "none" // of several the last one counts
		case "visibility":
			if value == "hidden" {
				return true
			}
		}
	}
	return away
}

// isOffered reports whether a hidden part is part of the page all the same: a panel with a tab or a
// heading on the page, or the part with the page's main element, hidden while a notice is in front.
func (s *splitter) isOffered(n *html.Node) bool {
	switch attr(n, "role") {
	case "tabpanel":
		return true
	case "dialog", "alertdialog", "menu", "listbox", "tooltip":
		return false
	}
	if n.DataAtom == atom.Dialog {
		return false
	}
	if attr(n, "id") != "" && attr(n, "aria-labelledby") != "" {
		return true
	}
	if s.mains == nil {
		s.mains = aboveMain(s.root)
	}
	return s.mains[n]
}

// aboveMain returns the main elements and all elements around them.
func aboveMain(root *html.Node) map[*html.Node]bool {
	above := map[*html.Node]bool{}
	for n := range root.Descendants() {
		if n.DataAtom == atom.Main || n.Type == html.ElementNode && attr(n, "role") == "main" {
			for ; n != nil && !above[n]; n = n.Parent {
				above[n] = true
			}
		}
	}
	return above
}

// A page is a shell for scripts if it shows fewer than shellWords words outside links, and hides
// more than shellTimes as many plus shellFewest.
const (
	shellWords  = 300
	shellTimes  = 3
	shellFewest = 40
)

// unlinked counts the words outside links.
func (p *Page) unlinked() int {
	n := 0
	for i := range p.Blocks {
		n += p.Blocks[i].Words - p.Blocks[i].Links
	}
	return n
}
