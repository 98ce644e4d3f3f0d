// Package query turns what a person types into a tree that says what a page must have.
//
//	kafka streams            both words (a page may lack one when too few have both; see package search)
//	"exactly these words"    a phrase; "one" word in quotes is found only in this form; “ ” and « » are quotes too
//	-word  NOT word          not on the page; also before phrases and groups; --word is a word, the name of an option
//	dict*                    words that begin with dict
//	a OR b                   one of both; binds weaker than a space: a b OR c = (a b) OR c
//	( ... )                  grouping
//	site:example.com/docs    on this host or one below it, and there in this folder or below it
//	intitle:word  title:     in the title
//	inurl:word               in the address
//	author:"Jane Doe"        by this person
//	filetype:pdf  ext:pdf    a file of this type
//	lang:en                  in this language
//	after:2024-05-01         this day or later; before:2024-06-01 earlier than this day; 2024 and 2024-05 are the first day
//
// # Goals
//
// What people know from other search pages works, and a mistake is explained instead of guessed at.
//
// # How it works
//
// Parse reads the line once, from left to right, by recursive descent; the tree it returns knows
// nothing of the index (package search compiles it).
//
// # Promises
//
// Odd punctuation is never an error: an open quote ends with the query, a parenthesis without a
// partner is skipped.
//
// # On failure
//
// An *Error says what is wrong, where, and what to write instead: the query is too long, empty or
// only negative, has an unknown operator, or an operator with a value that has no meaning.
//
// # Limits
//
// Words are kept as typed; package text, which knows the languages, analyses them. Only letters
// directly before a colon and a value look like an operator: http://..., 12:30, std::vector and
// localhost:8080 are words.
package query
