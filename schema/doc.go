// Package schema has the words that all packages share: URLs, row keys, hosts, sites, the records
// of the topics and the rows of the tables, which are generated from the .proto files.
//
// # Goals
//
// A thing has one spelling, whoever writes it, so that equal things meet in one row and one
// partition.
//
// # How it works
//
// The spelling of a URL is turned into one canonical form, that form into a row key, and a row key
// into the site, shard and partition that own it:
//
//	raw       HTTP://WWW.Example.com:80/a/../about?utm_source=x&x=1#top
//	URL       http://www.example.com/about?x=1
//	RowKey    com.example.www:http/about?x=1   = Host + path
//	Host      com.example.www                  a site is one contiguous range
//	Site      example.com                      the unit of duplicate removal
//
// # Promises
//
// Everything here is a pure function, without I/O or state, and safe for concurrent use.
// Canonicalisation is idempotent, and URL and RowKey are two spellings of one thing:
// ParseRowKey(string(u.RowKey())).URL() is u.String(), for every u.
//
// # On failure
//
// A string that is no crawlable URL gives a *URLError whose Reason is one of URLReasons(), so that
// drops can be counted by reason.
//
// # Limits
//
// Canonical form is a decision that row keys of years depend on: a change of
// the rules needs a new CanonicalizerVersion, and provisioning refuses to start
// on data of another one. The same holds for options (Canonicalizer.Version).
//
// Names are put into ASCII with the Unicode tables of golang.org/x/net/idna,
// which follow the Go release: an upgrade of Go can show as a change in
// testdata/conformance.txt, and then needs the same care.
//
// A browser encodes the non-ASCII characters of a query in the encoding of the
// page they stand in; here it is always UTF-8.
//
// Site depends on the Public Suffix List compiled in (PSLVersion). It is decided
// when a host is first seen and carried from then on, never derived again.
package schema
