package origin

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"sync"
	"time"
)

// certificates kept for hosts; the cache is emptied when it is full.
const maxCertificates = 4096

// authority signs a certificate for every host that is asked for.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool

	mu     sync.Mutex
	serial int64
	leaves map[string]*tls.Certificate
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "synthetic web"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(365 * 24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, root, root, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	a := &authority{key: key, pool: x509.NewCertPool(), serial: 1, leaves: map[string]*tls.Certificate{}}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	a.pool.AddCert(a.cert)
	return a, nil
}

// config answers with a certificate for the name asked for. HTTP/1.1 only: one
// request at a time a connection, as the judge counts them.
func (a *authority) config() *tls.Config {
	return &tls.Config{
		NextProtos:     []string{"http/1.1"},
		GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) { return a.leaf(h.ServerName) },
	}
}

func (a *authority) leaf(name string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.leaves[name]; c != nil {
		return c, nil
	}
	a.serial++
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(a.serial), DNSNames: []string{name},
		NotBefore: a.cert.NotBefore, NotAfter: a.cert.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, a.cert, &a.key.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	if len(a.leaves) >= maxCertificates {
		clear(a.leaves)
	}
	c := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
	a.leaves[name] = c
	return c, nil
}
