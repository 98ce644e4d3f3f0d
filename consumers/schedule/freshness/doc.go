// Package freshness decides how long to wait before a page is fetched again. With a given number of
// requests, as many pages of a host as possible shall be current. It is pure: no store, no log, no
// clock of its own.
//
// In this package a look is a repeated fetch of a page that tells whether the page has changed, and
// a pause is the time between two looks.
//
// # Goals
//
// Every page is looked at as often as it is worth. A page that changes now and then is looked at
// more often than one that never changes. A page that changes all the time is looked at rarely,
// because what a look brings is soon out of date. The cost of a decision does not grow with the
// size of the host.
//
// # How it works
//
// A Filter estimates how often a page changes, from looks at irregular times. Filter.Value is the
// worth of a look after a pause: the time for which the page is current because of it. A budget is
// spent best if every look is worth the same; that value is the host's price. Host.Plan returns the
// pause of one page at that price. The price follows the load, which is the sum of the looks a day
// that all pages' plans ask for and which the caller keeps exact (Host.Recount): it rises while the
// load is above the budget and falls while it is below.
//
// The budget of a host is one look per page every Limits.Every on average, but at most the part
// Limits.Share of the requests that the host's delay allows.
//
// A site's own dates (lastmod) can tell of changes early. The package measures how far they are
// true: of the pages that were said to have changed, how many had, beyond the number expected
// without the date (Kolobov, Peres, Lu and Horvitz, NeurIPS 2019, for signals of changes). Until
// that is known only a few dates cause a request.
// It also measures of how many of its changes the site tells: the more, the longer a page waits
// while its site is silent about it (Filter.Pause).
//
// # Promises
//
//   - The same rows and times give the same plan.
//   - No pause is shorter than Limits.Least. None is longer than Host.Longest: Limits.Most, or
//     thirty average pauses (at most 366 days) where the budget is small.
//   - False dates cost a host at most a twentieth of its looks, and sixteen more.
//
// # On failure
//
// Nothing here can fail. Impossible numbers in a damaged row are replaced by those of a new host.
//
// # Limits
//
// Changes are taken as independent of each other and of the time of day. What is known of a page
// fades slowly: evidence of the last 40 changes and 1,000 days counts.
package freshness
