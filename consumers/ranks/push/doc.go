// Package push keeps PageRank of a graph that changes.
//
// # Goals
//
// Values that are as exact as is asked for, after each change at a cost that follows from the size
// of the change and not from that of the graph. Memory: 45 bytes a page and 4 a link, and the free
// space of growing lists.
//
// # How it works
//
// The values x solve x = (1-d) 1 + d Aᵀ x, where a page hands d x / C to each of its C targets
// (Page, Brin 1998 in the form PR = (1-d) + d sum(PR/C)); a page without links hands nothing on.
// Beside x stands the residual r = (1-d) 1 + d Aᵀ x - x. A push adds a page's residual to its
// value, and d r / C to the residuals of its targets: this is the method of Gauss and Southwell.
// When the links of page u change from O to N, r changes by d x_u (1/|N| on N - 1/|O| on O), and
// only from there the pushes go on: Ohsaka, Maehara, Kawarabayashi, Efficient PageRank tracking in
// evolving networks, KDD 2015. Which pages to push: those whose residual is above a threshold, in
// the order in which they passed it; when none is left, the threshold falls to a tenth, so that
// large residuals go first.
//
// # Promises
//
// The errors of all values together are at most Residual() / (1-d). The start value does not matter
// for the result (the matrix shrinks differences to d of them in the 1-norm); what it costs is
// measured in
// bench/ranks.
//
// # Limits
//
// For one goroutine. At most 2^32 - 2 pages. A page that nobody names any more stays, with (1-d).
package push
