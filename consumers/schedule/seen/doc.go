// Package seen answers "have we met this URL?" from memory: exactly for the links
// seen lately (Recent), and with a Bloom filter for URLs that this owner made
// (Filter), whose "no" is certain.
//
// Goals: most links lead to known URLs; telling so should cost no read.
//
// How it works: Recent keeps two generations of row keys; Filter grows by
// generations, each four times as large as the one before.
//
// Promises: Recent has only what exists; Filter never denies what was added.
//
// On failure: nothing here can fail. After a restart both are empty, and the store
// is asked instead.
//
// Limits: Filter may be asked only of hosts that were first seen after its owner
// began.
package seen
