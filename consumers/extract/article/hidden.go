package article

import (
	"strconv"
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
		case "role":
			if a.Val == "dialog" || a.Val == "alertdialog" { // questions about cookies and newsletters
				return true
			}
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
	if len(style) > 2000 || !hasAny(strings.ToLower(style), "none", "hidden", "collapse", "-9", "000px") {
		return false
	}
	away, floats, far := false, false, false
	for declaration := range strings.SplitSeq(strings.ToLower(style), ";") {
		name, value, _ := strings.Cut(declaration, ":")
		value, _, _ = strings.Cut(value, "!")
		switch value = strings.TrimSpace(value); strings.TrimSpace(name) {
		case "display":
			away = value == "none" // of several the last one counts
		case "visibility", "content-visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		case "position":
			floats = value == "absolute" || value == "fixed"
		case "left", "top", "right", "bottom":
			far = far || isFarOff(value)
		}
	}
	return away || floats && far
}

// isFarOff reports whether a place is outside every screen: thousands of pixels before its edge.
func isFarOff(place string) bool {
	pixels, ok := strings.CutSuffix(place, "px")
	n, err := strconv.Atoi(pixels)
	return ok && err == nil && n <= -1000
}

// isStyledBlock reports whether a style attribute makes an element a paragraph of its own that is
// none by its name.
func isStyledBlock(n *html.Node) bool {
	style := attr(n, "style")
	if style == "" || len(style) > 2000 {
		return false
	}
	block := false
	for declaration := range strings.SplitSeq(strings.ToLower(style), ";") {
		name, value, _ := strings.Cut(declaration, ":")
		if strings.TrimSpace(name) != "display" {
			continue
		}
		value, _, _ = strings.Cut(value, "!")
		switch strings.TrimSpace(value) {
		case "block", "flex", "grid", "flow-root", "list-item", "table", "table-row", "table-cell":
			block = true
		default:
			block = false
		}
	}
	return block
}

// isOffered reports whether a hidden part is part of the page all the same: a panel with a tab or a
// heading on the page (isPanel), or the part with the page's main element, hidden while a notice is
// in front.
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
	if attr(n, "id") != "" && attr(n, "aria-labelledby") != "" || isPanel(attr(n, "class")) {
		return true
	}
	if s.mains == nil {
		s.mains = aboveMain(s.root)
	}
	return s.mains[n]
}

// isPanel reports whether a class is what the common kits of page design give to the panel of a tab
// or of an accordion. Menus unfold by the same class as accordions in some of them, with another
// one that says so.
func isPanel(class string) bool {
	panel := false
	for name := range strings.FieldsSeq(strings.ToLower(class)) {
		switch name {
		case "tab-pane", "tabpane", "tab-panel", "tabpanel", "tabs-panel", "tab-content", "tabcontent", "tab_content", "ui-tabs-panel", "woocommerce-tabs-panel",
			"accordion-content", "accordion-body", "accordion-panel", "accordion-collapse", "panel-collapse", "accordion__content", "accordion__panel", "ui-accordion-content":
			panel = true
		}
		if hasAny(name, "nav", "menu", "modal", "popup", "cart", "login") {
			return false
		}
	}
	return panel
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

// Unlinked counts the words outside links.
func (p *Page) Unlinked() int {
	n := 0
	for i := range p.Blocks {
		n += p.Blocks[i].Words - p.Blocks[i].Links
	}
	return n
}
