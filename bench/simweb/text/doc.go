// Package text turns a seed into titles and paragraphs in English, Russian and
// Chinese.
//
// A language is a word model of our own (words/*.txt): sentence templates whose
// slots take topic words (Zipf-distributed ranks, the topic's own words most of
// the time), invented names (a tail of NameCount rare words) and numbers. So a
// search for a title word finds the page, common words are common and rare ones
// rare. The same seed gives the same text; no text is kept.
//
// Cost: under 1 ns a byte (most sentences are copies of ready ones), because a web of 20 KB pages
// must cost less than what it measures.
//
// Caveats: grammatical, but nonsense. The Russian templates keep every slot in
// the nominative, since the model does not inflect.
package text
