// Package tree builds the tree of an HTML page, as html.Parse of golang.org/x/net does, in less
// time and with a fraction of its allocations.
//
// # Goals
//
// The largest part of the cost of a page was to build its tree: a string for each name, key and
// value, a map for each tag, an object for each node.
//
// # How it works
//
// The tokenizer (tokenizer.go, tag.go, raw.go, markup.go) reads a string, and every name, value and
// text is a part of that string where nothing has to be unescaped. The builder (tree.go) makes a
// tree of its tokens by the rules of the HTML standard, 13.2.4 to 13.2.6: a method for each
// insertion mode (head.go, body.go, bodyend.go, table.go, template.go, after.go, foreign.go), which
// work on the stack of open elements (stack.go) and the list of active formatting elements
// (formatting.go). Elements are told apart by the numbers of package atom; what the standard says
// of kinds of elements is bits (category.go) that each open element has with it. Nodes and
// attributes are taken from slabs (insert.go). The types are those of golang.org/x/net/html.
//
// # Promises
//
// The tree is equal to that of html.Parse with scripting disabled, for any bytes: names,
// namespaces, attributes, texts, order. Tests compare them on markup made at random and by hand,
// bench/extract on the suites of html5lib and the open pages. A difference is a defect of this
// package. So Parse differs from the standard where html.Parse does:
//
//   - The attributes of formatting elements (a, b, ...) are sorted by their keys.
//   - A doctype asks for quirks mode if its name has capital letters, if it has no system
//     identifier after a public one, or if anything follows; of the identifiers that ask for it,
//     -/W3C/DTD HTML 4.0 Transitional/EN is written -/W3D.
//   - Text in a noscript of the head is part of it only if all of it is white space.
//   - A template in SVG or MathML makes the rest of the page be left out, but for foreign elements.
//   - A frameset may follow a template in the head and content without text.
//   - The start tag th does not end a caption.
//   - A doctype after the body opens the body again.
//   - The line end that is dropped from the beginning of pre, listing and textarea may come late,
//     be written as a reference, and be CR LF.
//   - Misplaced text of a template's rows stays in pieces.
//   - Where end tags are implied, where the stack is cleared back to a part of a table, where the
//     insertion mode is reset, and for the template that takes misplaced content, elements of SVG
//     and MathML count as those of HTML with their names.
//   - The end tag of a paragraph in SVG or MathML leaves these only where the paragraph is in
//     scope, or has to be opened.
//   - The adoption agency puts before a table what it would put into one, misplaced or not.
//
// # On failure
//
// Where html.Parse returns an error (elements nested deeper than 512), Parse does too.
//
// # Limits
//
// The tree refers to the page's text: as long as one node is used, all of it stays in memory.
// Fragments of pages, and pages with scripts, are for html.Parse.
package tree
