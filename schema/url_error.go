package schema

import "strconv"

// Reasons why a string is not a URL that can be crawled. The list is closed:
// drops are counted by reason.
const (
	ErrEmpty    = "url_empty"    // nothing but white space
	ErrRelative = "url_relative" // no scheme, and no base to resolve it against
	ErrScheme   = "url_scheme"   // neither http nor https
	ErrHost     = "url_host"     // no host, or one that cannot exist in the DNS
	ErrPort     = "url_port"     // not a number in 1..65535
	ErrTooLong  = "url_too_long" // raw over MaxRawURLBytes or canonical over MaxURLBytes
	ErrSyntax   = "url_syntax"   // no row key, or not in canonical form
)

// URLReasons lists every Reason a URLError can have.
func URLReasons() []string {
	return []string{ErrEmpty, ErrRelative, ErrScheme, ErrHost, ErrPort, ErrTooLong, ErrSyntax}
}

// URLError says why a string was refused.
type URLError struct {
	Reason string // one of URLReasons
	Input  string // the string refused, cut to at most 200 bytes
}

func (e *URLError) Error() string {
	return "schema: " + e.Reason + ": " + strconv.Quote(e.Input)
}

func refuse(reason, input string) *URLError {
	return &URLError{Reason: reason, Input: input[:min(len(input), 200)]}
}
