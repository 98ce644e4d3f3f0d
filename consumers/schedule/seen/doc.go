// Package seen tells from memory whether a URL is known: Recent has the links seen lately, and
// Filter is a Bloom filter of the URLs that this owner made.
//
// # Goals
//
// Most links lead to known URLs. To find that out should cost no read.
//
// # How it works
//
// Recent keeps two generations of fingerprints of row keys, so that it has room for the links of
// millions of URLs. Filter grows by generations, each four times as large as the one before.
//
// # Promises
//
// Recent.Has is true only for URLs that exist (but once in 10^22, see fingerprint). Filter.May is
// false only for URLs that were not
// added.
//
// # On failure
//
// Nothing here can fail. After a restart both are empty, and the store is asked instead.
//
// # Limits
//
// Filter may only be asked about hosts that were first seen after its owner began.
package seen
