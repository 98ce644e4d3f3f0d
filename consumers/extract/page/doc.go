// Package page turns an answer of a web server into what is worth keeping of it: Input into Result.
//
// HTML, XHTML, plain text and XML are read; everything else ends with a Drop reason. One decoding,
// one parse; every reader of the tree shares it. The result is a pure function of Input and
// Options: no clock, no state, no I/O; the same input gives the same result for ever.
//
// Reading order: Extract (extract.go), then metadata (jsonld.go, titles.go, days.go, when.go,
// author.go), directives.go, links.go, and package article for the main text.
//
// Failure: none. Whatever the bytes are, there is a Result; its Drop says why there is no document.
// Malformed HTML is what the HTML standard makes of it; a tree deeper than x/net/html's 512 is
// built flat from its tokenizer.
//
// Caveats: nothing is rendered: no scripts, no style sheets, no frames. Every text in Result is
// clean as package plain has it and cut to its cap in Options.
package page
