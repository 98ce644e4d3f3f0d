package tree

import (
	"strings"

	"golang.org/x/net/html"
)

// doctype returns the node of a doctype and whether it asks for quirks mode (HTML standard,
// 13.2.6.4.1). data is what is between <!doctype and >.
func (b *builder) doctype(data string) (n *html.Node, quirks bool) {
	name, rest := data, ""
	if i := strings.IndexAny(data, " \t\n\f\r"); i >= 0 {
		name, rest = data[:i], trimSpace(data[i:])
	}
	n = b.node(html.DoctypeNode, 0, strings.ToLower(name), nil)
	if rest == "" {
		return n, name != "html"
	}
	whole := false
	if len(rest) >= len("public") {
		n.Attr, whole = identifiers(strings.ToLower(rest[:len("public")]), rest[len("public"):])
	}
	return n, name != "html" || !whole || quirky(n.Attr)
}

// identifiers reads those of a doctype that follow a key word; whole says that a system identifier
// is the end of the doctype.
func identifiers(key, rest string) (ids []html.Attribute, whole bool) {
	for key == "public" || key == "system" {
		rest = trimSpace(rest)
		if rest == "" || rest[0] != '"' && rest[0] != '\'' {
			return ids, false
		}
		var id string
		id, rest, _ = strings.Cut(rest[1:], rest[:1])
		ids = append(ids, html.Attribute{Key: key, Val: id})
		if key == "system" {
			return ids, rest == ""
		}
		key = "system"
	}
	return ids, false
}

func trimSpace(s string) string { return strings.TrimLeft(s, " \t\n\f\r") }

// quirky reports whether the identifiers of a doctype are those of pages for old browsers. Those of
// HTML 4.01 that count only without a system identifier are not whole without it.
func quirky(ids []html.Attribute) bool {
	var public, system string
	for _, a := range ids {
		if a.Key == "public" {
			public = strings.ToLower(a.Val)
		} else {
			system = strings.ToLower(a.Val)
		}
	}
	switch public {
	case "-//w3o//dtd w3 html strict 3.0//en//", "-/w3d/dtd html 4.0 transitional/en", "html":
		return true
	}
	for p := range strings.SplitSeq(oldIDs, "\n") {
		if strings.HasPrefix(public, p) {
			return true
		}
	}
	return system == "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"
}

// oldIDs are the beginnings of public identifiers that the standard names, in lower case.
const oldIDs = `+//silmaril//dtd html pro v0r11 19970101//
-//as//dtd html 3.0 aswedit + extensions//
-//advasoft ltd//dtd html 3.0 aswedit + extensions//
-//ietf//dtd html 2.0 level 1//
-//ietf//dtd html 2.0 level 2//
-//ietf//dtd html 2.0 strict level 1//
-//ietf//dtd html 2.0 strict level 2//
-//ietf//dtd html 2.0 strict//
-//ietf//dtd html 2.0//
-//ietf//dtd html 2.1e//
-//ietf//dtd html 3.0//
-//ietf//dtd html 3.2 final//
-//ietf//dtd html 3.2//
-//ietf//dtd html 3//
-//ietf//dtd html level 0//
-//ietf//dtd html level 1//
-//ietf//dtd html level 2//
-//ietf//dtd html level 3//
-//ietf//dtd html strict level 0//
-//ietf//dtd html strict level 1//
-//ietf//dtd html strict level 2//
-//ietf//dtd html strict level 3//
-//ietf//dtd html strict//
-//ietf//dtd html//
-//metrius//dtd metrius presentational//
-//microsoft//dtd internet explorer 2.0 html strict//
-//microsoft//dtd internet explorer 2.0 html//
-//microsoft//dtd internet explorer 2.0 tables//
-//microsoft//dtd internet explorer 3.0 html strict//
-//microsoft//dtd internet explorer 3.0 html//
-//microsoft//dtd internet explorer 3.0 tables//
-//netscape comm. corp.//dtd html//
-//netscape comm. corp.//dtd strict html//
-//o'reilly and associates//dtd html 2.0//
-//o'reilly and associates//dtd html extended 1.0//
-//o'reilly and associates//dtd html extended relaxed 1.0//
-//sq//dtd html 2.0 hotmetal + extensions//
-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//
-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//
-//spyglass//dtd html 2.0 extended//
-//sun microsystems corp.//dtd hotjava html//
-//sun microsystems corp.//dtd hotjava strict html//
-//w3c//dtd html 3 1995-03-24//
-//w3c//dtd html 3.2 draft//
-//w3c//dtd html 3.2 final//
-//w3c//dtd html 3.2//
-//w3c//dtd html 3.2s draft//
-//w3c//dtd html 4.0 frameset//
-//w3c//dtd html 4.0 transitional//
-//w3c//dtd html experimental 19960712//
-//w3c//dtd html experimental 970421//
-//w3c//dtd w3 html//
-//w3o//dtd w3 html 3.0//
-//webtechs//dtd mozilla html 2.0//
-//webtechs//dtd mozilla html//`
