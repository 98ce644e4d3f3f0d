// Package origin turns a world into a server on loopback: plain HTTP and TLS on
// one port, hosts told apart by the Host header, usable as a forward proxy
// (absolute URLs and CONNECT) and on several loopback addresses, so that
// politeness by IP can be measured. It records every request for the judge.
//
// Answers carry the web's Date, ETag and Last-Modified; If-None-Match goes
// before If-Modified-Since (RFC 9110, 13.2.2). Range is ignored, which RFC 9110
// allows. HEAD answers like GET without the body. gzip is sent to those who
// accept it.
//
// A test can override what stands at a URL from now on (Override), for deletions
// and twins at moments of its choosing.
//
// Caveats: it never answers from an address that is not loopback. Hosts the web
// does not have get 502, as from a proxy that finds no address. TLS uses a
// certificate authority made at start: trust Server.CertPool.
package origin
