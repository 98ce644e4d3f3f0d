// Package freshness decides how long to wait before a page is looked at again: as
// many pages of a host as possible shall be current, at a number of requests that is
// given. It is pure: no store, no log, no clock of its own.
//
// # Goals
//
// Every page is asked as often as it is worth: one that changes now and then more
// often than one that never does, and one that changes all the time less often than
// its changes would ask for, because a look at it does not last. The cost of a
// decision does not grow with the host.
//
// # How it works
//
// A Filter knows how often a page changes, from looks at irregular times. Value says
// what a look is worth after some time; the pauses that make the most of a budget are
// those at which every look is worth the same, the host's price. Host.Plan returns
// the pause of one page at that price. The price follows the load, the sum of all
// pages' looks a day, which the caller keeps exact (Load of each row that changes):
// above the budget it rises, below it falls.
//
// The budget of a host is a look at each page every Limits.Every on average, but no
// more than a share of what its delay allows.
//
// A site's own dates (lastmod) tell of changes early. How far they are true is
// measured: of the pages that were said to have changed, how many had, beyond those
// that would have been expected to (Kolobov, Peres, Lu and Horvitz, NeurIPS 2019, for
// signals of changes). Until that is known only a few of them cause a request.
//
// # Promises
//
//   - The same rows and times give the same plan.
//   - No pause is shorter than Least, and none longer than Longest: Most, or, where
//     the budget is small, thirty average pauses.
//   - Dates that are lies cost at most a twentieth of the looks at pages of their
//     host, and sixteen.
//
// # On failure
//
// Nothing here can fail. Numbers that cannot be, from a damaged row, are replaced by
// those of a new host.
//
// # Limits
//
// Changes are taken as independent of each other and of the hour. A page's habits are
// forgotten slowly: evidence of the last 40 changes and 1,000 days counts.
package freshness
