// Package text turns a seed into titles and paragraphs in English, Russian and Chinese.
//
// # Goals
//
// A search for a word of a title finds the page, common words are common and rare ones rare, and a
// page of 20 KB costs less than what it measures: under 1 ns a byte.
//
// # How it works
//
// A language is a word model of our own (words/*.txt): sentence templates whose slots take topic
// words (Zipf-distributed ranks, the topic's own words most of the time), invented names (a tail of
// NameCount rare words) and numbers. Most sentences are copies of ready ones.
//
// # Promises
//
// The same seed gives the same text; no text is kept.
//
// # On failure
//
// There are no errors: the word lists are part of the program, and a test reads them.
//
// # Limits
//
// Grammatical, but nonsense. The Russian templates keep every slot in the nominative, since the
// model does not inflect.
package text
