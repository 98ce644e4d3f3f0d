// Package query turns what a person types into a tree that says what a page must hold.
//
//	kafka streams            both words (a page may lack one when too few have both; see package search)
//	"exactly these words"    a phrase
//	-word  -"a phrase"       not on the page
//	a OR b                   one of both; binds weaker than a space: a b OR c = (a b) OR c
//	( ... )                  grouping
//	site:example.com         on this host or one below it
//	intitle:word             in the title
//	lang:en                  in this language
//	after:2024-05-01         this day or later; before:2024-06-01 earlier than this day; 2024 and 2024-05 are the first day
//
// It promises never to fail on odd punctuation: an open quote ends with the query, a stray parenthesis is
// skipped. It refuses with an *Error, which says what to change, only what is too long, empty, purely
// negative, or an operator whose value means nothing.
//
// Caveats: words are kept as typed; analysis belongs to package text, which knows the languages. A word with
// a colon that is no operator (http://...) is a word.
package query
