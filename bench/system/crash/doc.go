// Package crash kills millrace with -9 in the middle of a crawl of the synthetic
// web, again and again, and then counts: the origin knows which URLs there are and
// how politely they were asked for, the log what was published, the index what can
// be found, and all must agree. It has tests only.
package crash
