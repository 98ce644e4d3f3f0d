// Package text turns the text of a page, or of a query, into the terms of the index.
//
// # Goals
//
// The same rules serve pages and queries, so that the words people type find the words on pages.
//
// # How it works
//
// The script of a word chooses its rules: Latin words are stemmed as English, Cyrillic ones as
// Russian with ё read as е, Arabic ones as Arabic, Greek ones lose their accents, and scripts
// written without spaces (Han, kana, Hangul, Thai ...) become overlapping pairs of characters. So
// English, Russian, Arabic, Chinese, Japanese and Korean share one analyser, and a page may mix
// them. Languages in Latin script with other endings have an analyser of their own. Its tag is put
// before their terms ("de:haus"), so that stems of two languages are different terms. What is only
// written in some texts is left out in all: vowels of Arabic and Hebrew, stress in Russian.
//
// Pairs find everything (recall .98-1.0 on two segmented corpora, a segmenter .98-.99), but they
// also find words that are not in the text: 市长 in 南京市长江大桥. So Chinese is cut into words as well
// (cut.go), with the dictionary of gse and a unigram model; a page that has the word comes before
// one that only has its characters. The dictionary is kept in a form that takes 30 MB of memory;
// gse itself takes 150 to 320 MB. Pairs are read in simplified characters (han.go), so 图书馆 and 圖書館
// find each other; forms are kept as they are written, so a page in the script of the query is
// first. Japanese 東京 is read as 东京 too, in pages and queries alike.
//
// Digits of all scripts are those of ASCII, Devanagari is written in its shorter way, and the marks
// of Hebrew abbreviations are left out. Spellings that differ by country or keyboard are not made
// equal in the index; Variants lists them for queries.
//
// Letters with points between them are one word, IBM for I.B.M. (initials.go). Words that one sign
// joins are words, and one word as well (joined.go): e-mail is also email, O'Brien obrien, a book's
// number its digits. U.S. and US are also a term in capitals, which the pronoun us has not. An
// identifier such as getElementById has its parts as further terms. These terms are at the place of
// the first word; a field is not longer for them, and they are no words of the vocabulary.
//
// Stemmers of Snowball need the marks of letters. People often leave them out, so a word that has
// another stem without its marks (habitación, habitacion) has that stem too. For eleven languages
// that have no stemmer there, the endings of nouns and adjectives are taken away (light.go), from
// words without their marks.
//
// A form is a word as it is written, with the point of .NET. The forms of all pages are the
// vocabulary for suggestions, and a page that has the form of the query comes before one that only
// has the stem.
//
// # Promises
//
// Terms depend only on the text and the analyser. Positions count up by one, so a phrase is a
// sequence of successive positions. A stem has no colon or space, and at most MaxTermBytes.
//
// # On failure
//
// There are no errors. A language without an analyser has the one for all languages; a word that is
// too long is cut.
//
// # Limits
//
// No lemmas: Variants lists irregular forms of English, German, French and Russian words for
// queries, and plurals that the Spanish and Portuguese stemmers miss (inflected.go). Compounds are
// one word here; package search looks for them. Broken plurals of Arabic are other words. Endings
// are taken away also where they are a part of the word; vowels that change within a word (місто,
// міст) are not. In a heading in capitals, US is the pronoun. Words that differ by region (軟體, 软件)
// are different, and so are the simplified characters of Japanese alone (図). Thai and Korean have
// pairs only. Belarusian, Serbian in Cyrillic letters and Macedonian are not stemmed, because
// Russian endings would do harm.
package text
