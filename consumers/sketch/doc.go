// Package sketch says in 64 bytes what a text is like, so that nearly equal texts are known by
// their sketches alone.
//
// # Goals
//
// Two sketches tell how many phrases of five words two texts have in common: the Jaccard similarity
// of their sets of phrases. Sketches that may be near each other are found without comparing all.
//
// # How it works
//
// A sketch has 64 values of one byte. Each is taken from the smallest hash, of its kind, of all
// phrases (minwise hashing, Broder 1997; only some bits of it are kept, Li and König 2010). So two
// texts agree in one with the probability of their similarity, or by chance in one of 256. The
// values are found as in Dahlgaard, Knudsen and Thorup, Fast Similarity Sketching (2017): a phrase
// of a long text is hashed once, not 64 times. A Han, kana or Hangul character is a word.
//
// Bands are for finding candidates (Indyk and Motwani 1998): four values each. Of two texts with
// similarity s the sketches share at least one of the Bands with probability 1-(1-s^4)^6: .96 for
// .8, .998 for .9.
//
// # Promises
//
// A sketch is a function of the words alone. It does not change from version to version: it is in
// records.
//
// # On failure
//
// Nothing fails. A text of fewer than MinWords words has no sketch; nothing is near it.
//
// # Limits
//
// The standard error of Similarity is .05 at .8 and .06 at .5. So Near, half way between, is wrong
// once in a few hundred pairs at these values, and never where texts are equal.
package sketch
