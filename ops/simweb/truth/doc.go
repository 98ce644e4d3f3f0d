// Package truth turns a web and the rules of a crawl into what the crawl must find: every URL
// within reach and what stands there, and the unique documents with the URL that should stand for
// each.
//
// # Goals
//
// A crawl is held against an answer that no crawler computed.
//
// # How it works
//
// It walks the model of the web, not its HTML, and applies rules of its own (robots matching,
// ranking of duplicates).
//
// Pages of one site with the same title and text are one document. For it stands the page that was
// found first, or the page of the same text that this one names as canonical, if that names no
// other page. Which page is found first is up to the crawl: the truth lists the ones that may stand
// (Doc.Stands), and exactly one of them must.
//
// A page that names as canonical a live page of its site with another text is an alias and no
// document, unless the target names a third page of the site, live or not: chains are not followed,
// so a page falls by what it says itself, and by one other page at most. Of two that name each
// other https stands, then the shorter URL, then the lesser one in byte order. A page that names
// the home page, but is no home page, names nothing: that is a mistake of a template. noindex pages
// are no documents.
//
// Versions of a page in other languages, named by rel=alternate hreflang, are ordinary pages and
// documents of their own. They are within reach only if Rules.Alternates is set.
//
// Near-duplicates are documents of their own: Truth.NearDuplicates lists them beside the page each
// was made from. HistoryOf says when a page appears, changes and disappears.
//
// # Promises
//
// The same web, rules and time give the same truth. Traps are entered but not walked, so the walk
// ends.
//
// # On failure
//
// Rules that are wrong are an error.
//
// # Limits
//
// Pages whose answer is damaged (cut, wrong length, charset or type, broken gzip) are Doubtful: a
// crawler may index them or not. The walk holds every URL within reach in memory.
package truth
