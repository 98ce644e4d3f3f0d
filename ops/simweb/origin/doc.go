// Package origin turns a world into a server on loopback.
//
// # Goals
//
// Any crawler can be pointed at the web, as at a proxy or by its resolver, and pays for a page no
// more than a real server's network would cost it.
//
// # How it works
//
// It serves plain HTTP and TLS on one port, tells hosts apart by the Host header, works as a
// forward proxy (absolute URLs and CONNECT), and listens on several loopback addresses if asked, so
// that politeness by address can be measured. It records every request for the judge.
//
// Answers carry the web's Date, ETag and Last-Modified; If-None-Match goes before If-Modified-Since
// (RFC 9110, 13.2.2). Range is ignored, which RFC 9110 allows. HEAD answers like GET without the
// body. gzip is sent to those who accept it.
//
// A test can override what stands at a URL from now on (Override), for deletions and twins at
// moments of its choosing.
//
// # Promises
//
// It never answers from an address that is not loopback.
//
// # On failure
//
// A host that the web does not have gets 502, as from a proxy that finds no address. A request that
// is no HTTP ends its connection.
//
// # Limits
//
// TLS uses a certificate authority made at start: trust Server.CertPool.
package origin
