// Package certs reads the certificates that a client of TLS is told to use.
//
// # Goals
//
// Brokers, store and search engines take the same files in the same way.
//
// # How it works
//
// Client makes settings of crypto/tls from PEM files.
//
// # Promises
//
// TLS is 1.2 or later, and the other side's certificate is always checked. A client's certificate
// and its key are read again for every connection, so they can be renewed while the program runs.
//
// # On failure
//
// A file that cannot be read, or that holds no certificate, is an error that names it. Later such
// an error ends the connection that is being made.
//
// # Limits
//
// Authorities are read once.
package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// Client returns the settings of a TLS client. CA, certificate and key are PEM files; CA may be
// empty, for the authorities that the machine trusts; certificate and key may be empty together.
func Client(ca, cert, key, serverName string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: serverName}
	if ca != "" {
		roots, err := Authorities(ca)
		if err != nil {
			return nil, err
		}
		config.RootCAs = roots
	}
	if (cert == "") != (key == "") {
		return nil, errors.New("a client's certificate and its key go together")
	}
	if cert != "" {
		if _, err := tls.LoadX509KeyPair(cert, key); err != nil {
			return nil, fmt.Errorf("certificate %s with key %s: %w", cert, key, err)
		}
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(cert, key)
			return &pair, err
		}
	}
	return config, nil
}

// Authorities reads certificates of authorities from a PEM file.
func Authorities(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: no certificate in it", file)
	}
	return roots, nil
}

// WhenValid says of the text of an error of package x509 when the certificate ended or begins, and
// what to do; "" if the error is another one. Clients of stores keep the text and lose the type.
func WhenValid(text string) string {
	for _, way := range []struct{ before, says string }{{" is after ", "it ended on "}, {" is before ", "it begins on "}} {
		_, when, ok := strings.Cut(text, way.before)
		if ok && strings.Contains(text, "certificate has expired or is not yet valid") && len(when) >= len(time.DateOnly) {
			return way.says + when[:len(time.DateOnly)] + ": renew it, or correct the clock of this machine if it is wrong"
		}
	}
	return ""
}
