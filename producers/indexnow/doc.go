// Package indexnow takes the URLs that sites announce by the IndexNow protocol
// (https://www.indexnow.org/documentation), and turns them into Add records.
//
//	GET or POST /indexnow ─► is the key of that host proved? ─► Add
//	                              └─ no ─► the key file is fetched from the host ─► Add
//
// # Goals
//
// A page is asked for a moment after its site says that it changed. Only who can put a file on a
// host can announce URLs of it, and nobody can make this process work without bound.
//
// # How it works
//
// A request names one URL (GET) or up to MaxURLs (POST, JSON), all of one host, and a key. The key
// is proved by a file on that host: /KEY.txt, or the address that keyLocation gives; then only URLs
// below that file's folder may be announced. A proved key is answered with 200, and stays proved
// for Options.Keep. Else the answer is 202: the request waits until the file was fetched, one file
// at a time, at most Options.Tries of a host in Options.Again.
//
// An announced URL is a statement of its own site (Add.feed_row_key is the key file): a new page
// goes to class 0, a known one is due as far as such statements of its host have proved true
// (package freshness). So lies cost a host what lying sitemaps cost.
//
// # Promises
//
//   - Its only effects are Add records and requests for key files. The requests go through the
//     guard against private addresses, follow no redirect to another host, and read 1 KiB at most.
//   - Only hosts in the scope of the crawl are asked for a key file, and none that an operator
//     paused: its announcements are answered with 503.
//   - URLs of other hosts than that of the request are refused with 422.
//   - Bodies, keys, URLs, requests a minute (for a host and in all), waiting requests and
//     remembered keys are bounded; what is beyond is refused with 413, 422 or 429.
//
// # On failure
//
// A file that is missing or has another key is remembered for Options.Again: requests with that key
// are answered with 403. If the Adds cannot be appended, the answer is 503. Requests that wait for
// a file are lost when the process ends; a site announces again, and re-crawls go on beside it.
//
// # Limits
//
// What is proved is kept in memory, so each process fetches a key file once after its start. The
// requests for key files are made because the host asks for them, so robots.txt does not decide
// about them, and they do not take part in fetch's politeness: a host may get one between two of
// fetch, Options.Tries times in Options.Again. An announced URL that is gone is found to be gone
// when it is fetched.
package indexnow
