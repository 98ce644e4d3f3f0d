// Package page extracts from an answer of a web server what is worth keeping: it turns an Input
// into a Result.
//
// # Goals
//
// The title, main text, date, author and links of a page, without what surrounds them, in any
// language and from any markup.
//
// # How it works
//
// HTML, XHTML, plain text and XML are read; everything else ends with a Drop reason. The body is
// decoded once and parsed once; all readers share the tree. Read Extract (extract.go) first, then
// the metadata (jsonld.go, titles.go, days.go, when.go, author.go), directives.go, links.go, and
// package article for the main text.
//
// # Promises
//
// The result is a pure function of Input and Options: no clock, no state, no I/O. Every text in a
// Result is clean (package plain) and at most as long as Options say.
//
// # On failure
//
// There is a Result for any bytes; its Drop says why there is no document. Malformed HTML is read
// as the HTML standard says, but a title, script, comment or value that is not ended does not take
// the rest of the page (unended.go). A tree deeper than the 512 elements of x/net/html is built
// flat from the tokenizer.
//
// # Limits
//
// Nothing is rendered: no scripts, no style sheets, no frames. A page that shows hardly a sentence
// is read from the data that it gives to its scripts (shell.go), else from what it says of itself
// and its pictures (witness.go). Of each kind of element (links,
// headings, times and so on) the first 5,000 of a page are read (scan.go).
package page
