// Package web serves an index and a pipeline over HTTP: the search page, the dashboard, the story
// of a URL, the JSON API, Prometheus metrics and health checks. All routes are in one list, Routes.
//
// # Goals
//
// People and programs see the same data. A page from the web can do no harm here, and another
// site's page cannot change anything.
//
// # How it works
//
// Each route has an Access, a time limit and a bound of concurrent requests. Its handler calls a
// function of Deps, and writes HTML, JSON or a stream.
//
// In JSON, the snippet of a hit is HTML: escaped text in which <mark> encloses what matched, and no
// other tag. title and url are plain text.
//
// # Promises
//
//   - Text from the web stays text: html/template escapes it, <mark> is added after the escaping,
//     only http and https links can be clicked, and a content security policy allows no script but
//     ours.
//   - Calls that change something need the token as a Bearer, and must not come from a page of
//     another site. No other call changes anything, except that hubs push to /websub
//     and sites announce URLs at /indexnow, if these are on.
//   - Every page works without JavaScript; with it the dashboard is updated live and "/" jumps to
//     the search box. Nothing is loaded from other servers.
//   - Requests are bounded: body, query, page of results, time, and how many may search or read a
//     topic at once.
//   - The text of a page is shown (/text) unless the page asks not to be kept as a copy or quoted.
//
// # On failure
//
// Errors are {"error": "..."} below /api, a page elsewhere. A part of Deps that is nil is answered
// with 501, an index that cannot answer with 503. Partial results come with warnings.
//
// # Limits
//
// On a loopback address, everything that only reads is open to whoever reaches it; elsewhere it
// needs the token (Access). There is no TLS here; use a proxy in front.
package web
