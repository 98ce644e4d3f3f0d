// Package push keeps PageRank of a graph that changes.
//
// # Goals
//
// Values as exact as asked for. The cost of a change follows from the size of the change and not
// from that of the graph. Memory: 45 bytes a page and 4 a link, and the free space of growing
// lists.
//
// # How it works
//
// The values x solve x = (1-d) 1 + d Aᵀ x, where a page passes d x / C to each of its C targets
// (Page, Brin 1998 in the form PR = (1-d) + d sum(PR/C)); a page without links passes nothing on.
// Beside x the graph keeps the residual r = (1-d) 1 + d Aᵀ x - x. A push adds a page's residual to
// its value, and d r / C to the residuals of its targets: this is the method of Gauss and
// Southwell. When the links of page u change from O to N, r changes by d x_u (1/|N| on N - 1/|O| on
// O), and pushes start only from there: Ohsaka, Maehara, Kawarabayashi, Efficient PageRank tracking
// in evolving networks, KDD 2015. Pages are pushed whose residual is above a threshold, in the
// order in which they passed it; when none is left, the threshold falls to a tenth, so that large
// residuals go first.
//
// # Promises
//
// The errors of all values together are at most the sum of the absolute residuals / (1-d). The
// start values do not change the result: each iteration shrinks a difference to at most d of it in
// the 1-norm. bench/ranks measures what they cost.
//
// # On failure
//
// There are no errors: a graph that does not fit into memory ends the process.
//
// # Limits
//
// A Graph is for one goroutine. It has at most 2^32 - 2 pages. Pages are never removed: one without
// in-links keeps the value (1-d).
package push
