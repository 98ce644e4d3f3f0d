package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
)

// classify turns an error of net/http into an Error of one of our kinds. If the context was
// cancelled with an Error, that one is returned.
func classify(ctx context.Context, err error) *Error {
	if err == nil {
		return nil
	}
	if own := (*Error)(nil); errors.As(context.Cause(ctx), &own) || errors.As(err, &own) {
		return own
	}
	return &Error{kindOf(ctx, err), err}
}

func kindOf(ctx context.Context, err error) Kind {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return KindCanceled // whatever err is: net/http returns the cause, the resolver another error
	case errors.Is(err, ssrf.ErrProhibitedPort):
		return KindPort
	case isSSRF(err):
		return KindSSRF
	case isDNS(err):
		return KindDNS
	case ctx.Err() != nil || isTimeout(err):
		return KindTimeout
	case isTLS(err):
		return kindOfTLS(err)
	case isDial(err) || errors.Is(err, ErrOtherAddr):
		return KindConnect
	case isReset(err):
		return KindReset
	case isHeaderSize(err):
		return KindHeaderTooBig
	}
	return KindProtocol
}

// isDNS reports errors of DNS, time-outs of the resolver among them.
func isDNS(err error) bool {
	var d *net.DNSError
	return errors.As(err, &d)
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &t) && t.Timeout()
}

func isTLS(err error) bool {
	var (
		record tls.RecordHeaderError
		alert  tls.AlertError
		cert   *tls.CertificateVerificationError
		name   x509.HostnameError
	)
	return errors.As(err, &record) || errors.As(err, &alert) || errors.As(err, &cert) || errors.As(err, &name) ||
		strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// kindOfTLS returns what is wrong with a certificate, if that stopped the handshake.
func kindOfTLS(err error) Kind {
	var (
		name      x509.HostnameError
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &name):
		return KindTLSName
	case errors.As(err, &authority):
		return KindTLSUntrusted
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return KindTLSExpired
	}
	return KindTLS
}

func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// isReset reports broken connections, also in the middle of an answer. For some of them net/http
// has only a text.
func isReset(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		strings.Contains(err.Error(), "server closed idle connection") || strings.Contains(err.Error(), "http2: server sent GOAWAY") ||
		strings.Contains(err.Error(), "stream error")
}

func isHeaderSize(err error) bool {
	s := err.Error()
	return strings.Contains(s, "headers exceeded") || strings.Contains(s, "header list larger") || strings.Contains(s, "header list too large")
}
