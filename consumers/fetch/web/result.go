package web

import (
	"errors"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/sync/semaphore"
)

// Kind names what went wrong with a request. The list is closed: it stands in Outcome.error_kind
// and in metrics.
type Kind string

// The kinds of errors.
const (
	KindURL          Kind = "url"            // cannot be asked for: no host, another scheme
	KindDNS          Kind = "dns"            // the name does not resolve
	KindSSRF         Kind = "ssrf"           // resolves to an address that may not be dialled
	KindPort         Kind = "port"           // a port that Options.Ports does not allow
	KindConnect      Kind = "connect"        // refused, unreachable
	KindTLS          Kind = "tls"            // the handshake failed
	KindTLSName      Kind = "tls_name"       // the certificate is for other names
	KindTLSExpired   Kind = "tls_expired"    // the certificate is not valid yet, or any more
	KindTLSUntrusted Kind = "tls_untrusted"  // signed by nobody this machine trusts
	KindTimeout      Kind = "timeout"        // a deadline passed
	KindSlow         Kind = "slow"           // fewer bytes than the least rate
	KindReset        Kind = "reset"          // the connection broke before the answer was whole
	KindProtocol     Kind = "protocol"       // not HTTP
	KindHeaderTooBig Kind = "header_too_big" // header over its cap
	KindTooBig       Kind = "too_big"        // body over its cap and of no use in part
	KindLater        Kind = "later"          // a document that is not taken now: nothing of its body was read
	KindCanceled     Kind = "canceled"       // the caller gave up
	KindRefused      Kind = "refused"        // MayWrite said no: nothing was written
	KindInternal     Kind = "internal"       // a defect of ours: reading the answer panicked
)

// Error is why there is no whole answer.
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
	Addr         netip.Addr    // if valid, the only address that may be dialled: politeness is kept by address
	Connect      time.Duration // if set, below the client's ConnectTimeout: there are other addresses to try
	MaxBodyBytes int64         // if set, below the client's
	NoFiles      bool          // documents that are no pages are given back with KindLater
	Whole        bool          // a body over the cap is cut whatever its type (robots.txt)

	// MayWrite, if set, is asked at the last moment before the request is written; an error cancels
	// it.
	MayWrite func() error
}

// Result is what became of a request.
//
// It is large because it is a list: all that a caller may ask of one request.
type Result struct {
	Status    int // 0: there was no answer
	Header    http.Header
	Body      []byte
	Length    int64 // declared length of the body, -1 if not declared
	File      bool  // it is a PDF, an Office file or the like, by its first bytes
	Truncated bool  // the body was cut at the cap, or left unread because nobody reads its type

	Written  bool      // the request reached the network, in part at least
	Started  time.Time // when it had been written
	Answered time.Time // when the first byte of the answer was here: the latest that the request was at the server
	Elapsed  time.Duration
	Waited   time.Duration // of it, for memory: the server's time it is not
	Reused   bool          // it went over a kept connection: a reset says little about the server then
	Addr     netip.Addr

	Err *Error // nil if the answer is whole, or cut on purpose

	large chan struct{} // where the body has a place; nil if it needs none
	files *semaphore.Weighted
	held  int64 // bytes of files that are set aside for the body
}

// Release gives the place of a large body free, once the body is not needed any more. Without it
// others wait.
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

// ErrOtherAddr says that the host no longer has the address the request is bound to.
var ErrOtherAddr = errors.New("the host has another address now")

var (
	errSlow   = errors.New("fewer bytes than the least rate")
	errTooBig = errors.New("body over the cap")
	errSwitch = errors.New("the server switches protocols unasked")
	errTwice  = errors.New("the connection broke after the request was written")
)
