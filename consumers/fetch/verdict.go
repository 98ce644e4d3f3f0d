package fetch

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/schema"
)

// robotsVerdict returns the meaning of the status of a robots.txt (RFC 9309, 2.3.1). 2xx: it has
// rules. 4xx but 429, or too many redirects: there is none, all is allowed. 5xx, 429 and no answer:
// unreachable, nothing may be fetched.
func robotsVerdict(status int) schema.HostNotice_Robots {
	switch {
	case status/100 == 2:
		return schema.HostNotice_RULES
	case status == http.StatusTooManyRequests:
		return schema.HostNotice_UNREACHABLE
	case status/100 == 3 || status/100 == 4:
		return schema.HostNotice_ALLOW_ALL
	}
	return schema.HostNotice_UNREACHABLE
}

// resultOf is the result that a page's status means. The caller checks that a 304 answers a
// conditional request, and reads Location.
func resultOf(status int) schema.Outcome_Result {
	switch {
	case status/100 == 2:
		return schema.Outcome_OK
	case status == http.StatusNotModified:
		return schema.Outcome_UNCHANGED
	case isRedirect(status):
		return schema.Outcome_REDIRECT
	case status == http.StatusNotFound || status == http.StatusGone:
		return schema.Outcome_GONE
	case status/100 == 5:
		return schema.Outcome_SERVER_ERROR
	}
	return schema.Outcome_CLIENT_ERROR
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// resultOfError is the result of a request without a complete answer.
func resultOfError(k web.Kind) schema.Outcome_Result {
	switch k {
	case web.KindSSRF, web.KindPort:
		return schema.Outcome_SSRF
	case web.KindTooBig, web.KindHeaderTooBig:
		return schema.Outcome_TOO_BIG
	case web.KindURL, web.KindInternal:
		return schema.Outcome_CLIENT_ERROR
	}
	return schema.Outcome_NETWORK
}

// asksForRest reports whether an answer asks for fewer requests (429, 503).
func asksForRest(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// hostTrouble reports whether an error is about the host: other URLs of it would meet it too.
func hostTrouble(k web.Kind) bool {
	switch k {
	case web.KindDNS, web.KindConnect, web.KindTLS, web.KindTLSName, web.KindTLSExpired, web.KindTLSUntrusted, web.KindTimeout, web.KindReset, web.KindSlow:
		return true
	}
	return false
}

// givenUp reports whether this process ended the request itself: it has no outcome.
func givenUp(k web.Kind) bool { return k == web.KindCanceled || k == web.KindRefused }

// retryAfter reads a Retry-After header, seconds or an HTTP date (RFC 9110, 10.2.3), at most most;
// 0 if there is no valid one. Seconds may be any number of digits, and have a fraction, although
// the RFC has none: the next whole second counts.
func retryAfter(h http.Header, now time.Time, most time.Duration) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if isNumber(v) {
		seconds, err := strconv.ParseFloat(v, 64)
		if err != nil { // more than a float can hold
			return most
		}
		return time.Duration(min(math.Ceil(seconds), most.Seconds()) * float64(time.Second))
	}
	t, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	return min(max(t.Sub(now), 0), most)
}

// isNumber reports whether a text is digits, with or without a fraction.
func isNumber(v string) bool {
	whole, fraction, dot := strings.Cut(v, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return digits(whole) && (!dot || digits(fraction))
}

// doubled is first × 2^(n-1), at most most.
func doubled(first, most time.Duration, n int32) time.Duration {
	d := first
	for ; n > 1 && d < most; n-- {
		d *= 2
	}
	return min(d, most)
}
