// Package web turns an index and a pipeline into what people and programs see of
// them over HTTP: the search page, the dashboard, the story of a URL, the JSON
// API, Prometheus metrics and health. All routes are in one list, Routes.
//
// Promises:
//   - Text from the web stays text: html/template escapes it, marks are set after
//     escaping, only http and https links are clickable, and a content security
//     policy allows no script but ours.
//   - Calls that change something need the token as a bearer, and must not come
//     from another site's page. Nothing else changes anything.
//   - Every page works without JavaScript; with it the dashboard stays live and
//     "/" jumps to the search box. Nothing is loaded from elsewhere.
//   - Requests are bounded: body, query, page of results, time, and how many may
//     search or read a topic at once.
//
// In JSON, a hit's snippet is HTML: escaped text in which <mark> encloses what
// matched, and no other tag. title and url are plain text. Errors are
// {"error": "..."} below /api, a page elsewhere.
//
// On failure: what this process does not have (a part of Deps that is nil) is
// answered with 501; an index that cannot answer with 503. Partial results come
// with warnings.
//
// Limits: reading is open to whoever reaches the address, so it listens on
// loopback unless told otherwise; there is no TLS here, a proxy in front gives it.
package web
