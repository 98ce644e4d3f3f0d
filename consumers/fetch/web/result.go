package web

import (
	"errors"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/sync/semaphore"
)

// Kind is the kind of an error. The list is closed: kinds are used in Outcome.error_kind and in
// metrics.
type Kind string

// The kinds of errors.
const (
	KindURL          Kind = "url"            // no host, or not http or https
	KindDNS          Kind = "dns"            // the name does not resolve
	KindSSRF         Kind = "ssrf"           // resolves to an address that may not be dialled
	KindPort         Kind = "port"           // a port that Options.Ports does not allow
	KindConnect      Kind = "connect"        // refused, unreachable
	KindTLS          Kind = "tls"            // the handshake failed
	KindTLSName      Kind = "tls_name"       // the certificate is for other names
	KindTLSExpired   Kind = "tls_expired"    // the certificate is not valid yet, or any more
	KindTLSUntrusted Kind = "tls_untrusted"  // not signed by a trusted authority
	KindTimeout      Kind = "timeout"        // a deadline passed
	KindSlow         Kind = "slow"           // fewer bytes than the least rate
	KindReset        Kind = "reset"          // the connection broke before the answer was whole
	KindProtocol     Kind = "protocol"       // not HTTP
	KindHeaderTooBig Kind = "header_too_big" // header over its cap
	KindTooBig       Kind = "too_big"        // body over its cap, and a part of it is of no use
	KindLater        Kind = "later"          // a file that is not read now
	KindCanceled     Kind = "canceled"       // the caller cancelled the request
	KindRefused      Kind = "refused"        // MayWrite returned an error: nothing was written
	KindInternal     Kind = "internal"       // a panic while handling the request
)

// Error is the reason for which there is no complete answer.
type Error struct {
	Kind Kind
	Err  error
}

// Error implements error.
func (e *Error) Error() string { return string(e.Kind) + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Request is one GET.
type Request struct {
	URL          string
	ETag         string        // validators: the request is conditional if one is set
	LastModified string        //
	Cookie       string        // header Cookie; "" = none
	Addr         netip.Addr    // if valid, the only address that may be dialled
	Connect      time.Duration // if set, a shorter ConnectTimeout: the host has other addresses
	MaxBodyBytes int64         // if set, a lower cap than the client's
	NoFiles      bool          // PDF and Office files end with KindLater
	Whole        bool          // a body over the cap is cut whatever its type (robots.txt)

	// MayWrite, if set, is called directly before the request is written; an error cancels the
	// request.
	MayWrite func() error
}

// Result is the result of a request.
//
// It is large because it is a list: all that a caller may ask of one request.
type Result struct {
	Status    int // 0: there was no answer
	Header    http.Header
	Body      []byte
	Length    int64 // declared length of the body, -1 if not declared
	File      bool  // it is a PDF, an Office file or the like
	Truncated bool  // the body was cut at the cap, or not read because of its type

	Written  bool      // at least a part of the request was written
	Started  time.Time // when it had been written
	Answered time.Time // when the first byte of the answer arrived
	Elapsed  time.Duration
	Waited   time.Duration // part of Elapsed: waited for memory, not for the server
	Reused   bool          // it used a kept connection: then a reset says little about the server
	Addr     netip.Addr

	Err *Error // nil if the answer is complete, or cut at a cap

	large chan struct{} // not nil: the body has one of the large places
	files *semaphore.Weighted
	held  int64 // bytes of FileMemory that are reserved
}

// Release frees the memory that is reserved for the body. Call it when the body is not needed any
// more; others may wait for it.
func (r *Result) Release() {
	if r.large != nil {
		<-r.large
		r.large = nil
	}
	if r.held > 0 {
		r.files.Release(r.held)
		r.held = 0
	}
}

// ErrOtherAddr means that the host does not have the address any more to which the request is
// bound.
var ErrOtherAddr = errors.New("the host has another address now")

var (
	errSlow   = errors.New("fewer bytes than the least rate")
	errTooBig = errors.New("body over the cap")
	errSwitch = errors.New("the server switches protocols unasked")
	errTwice  = errors.New("the connection broke after the request was written")
)
