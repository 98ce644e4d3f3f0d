// Package text turns the text of a page, or of a query, into the terms of the index.
//
// The same rules serve both sides, so that what a page says is found by the words people type. The
// script of a word chooses its rules: Latin words are stemmed as English, Cyrillic ones as Russian
// with ё read as е, and runs of scripts written without spaces (Han, kana, Hangul, Thai ...) become
// overlapping pairs of characters. English, Russian, Chinese, Japanese and Korean therefore share
// one analyser, and pages that mix them need no second look. Languages that share the Latin script
// but not the English endings have an analyser of their own, and its tag stands before their terms
// ("de:haus"), so that the stems of two languages never meet in one posting list.
//
// Pairs find everything (recall .98-1.0 on two segmented corpora, a segmenter .98-.99), but they
// also find words that are none: 市长 in 南京市长江大桥. So Chinese is cut into words as well (cut.go), by
// the dictionary of gse and a unigram model; a page that has the word comes before one that has its
// characters. The dictionary is kept here in a form that takes 30 MB; gse itself takes 150 to 320
// MB.
//
// Form is a word as it is written. The forms of all pages are the vocabulary for suggestions, and a
// page that has the form of the query comes before one that has the stem only.
//
// It promises: terms depend on nothing but the text and the analyser; positions count up by one, so
// a phrase is a row of successive positions; no term holds a colon or a space or exceeds
// MaxTermBytes.
//
// Caveats: no lemmas, no compound splitting, no traditional-simplified folding. Thai and Korean
// have pairs only. Ukrainian, Bulgarian and other Cyrillic languages are not stemmed at all,
// because Russian endings would do harm.
package text
