package schedule

import (
	"testing"

	"millrace/schema"
)

func TestVerdictsAreSentencesForPeople(t *testing.T) {
	for want, row := range map[string]*schema.UrlRow{
		"Not fetched yet: it waits for its host's turn": {Status: schema.UrlRow_QUEUED},
		"Not fetched yet: 2 tries failed (HTTP 500); next 2026-01-02T00:37:00Z": {
			Status: schema.UrlRow_QUEUED, Fails: 2, Result: schema.Outcome_SERVER_ERROR, HttpStatus: 500, NextDue: 1767314220000},
		"Not fetched yet: 1 try failed (the host name is not known); next 2026-01-02T00:37:00Z": {
			Status: schema.UrlRow_QUEUED, Waits: 1, ErrorKind: "dns", NextDue: 1767314220000},
		"Refused: a private address (allow with --allow-private); it is not fetched again by itself": {Status: schema.UrlRow_REFUSED, Reason: "ssrf"},
		"Redirects to http://a.test/; it is not fetched again by itself":                             {Status: schema.UrlRow_REDIRECTED, RedirectTo: "http://a.test/"},
		"Ended: it is not there (HTTP 404); it is not fetched again by itself":                       {Status: schema.UrlRow_GONE, Reason: "not_found"},
	} {
		if got := verdictOf(row); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := foundOn("test.fault:http/x"); got != "http://fault.test/x" {
		t.Errorf("found on %s", got)
	}
}
