package remote

import (
	"crypto"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"time"
)

// peerName is the name in every certificate: a process is known by the secret, not by its address.
const peerName = "peer.millrace"

// from and to bound the validity of the certificates. They are made at every start, and clocks may
// be wrong, so times are not checked: always returns a time between the two.
var (
	from = time.Unix(0, 0)
	to   = time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)
)

// Identity is the TLS configuration of a process for its peers: TLS 1.3 (RFC 8446) with
// certificates on both sides, issued by a key that is derived from the secret of the cluster (HKDF,
// RFC 5869; Ed25519, RFC 8032). Without the secret nobody can make such a certificate. The secret
// is not sent. It must be long and random: whoever reaches a peer can test guesses offline.
type Identity struct {
	Server *tls.Config // for servers
	Client *tls.Config // for clients
}

// NewIdentity makes the identity of this process, with a key of its own.
func NewIdentity(secret string) (Identity, error) {
	if secret == "" {
		return Identity{}, errors.New("remote: no secret")
	}
	seed, err := hkdf.Key(sha256.New, []byte(secret), nil, "millrace peers 1", ed25519.SeedSize)
	if err != nil {
		return Identity{}, fmt.Errorf("remote: %w", err)
	}
	issuer := ed25519.NewKeyFromSeed(seed)
	root, err := certificate(nil, issuer, issuer.Public())
	if err != nil {
		return Identity{}, err
	}
	public, own, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return Identity{}, fmt.Errorf("remote: %w", err)
	}
	leaf, err := certificate(root, issuer, public)
	if err != nil {
		return Identity{}, err
	}
	pool := x509.NewCertPool()
	pool.AddCert(root)
	mine := []tls.Certificate{{Certificate: [][]byte{leaf.Raw}, PrivateKey: own, Leaf: leaf}}
	always := func() time.Time { return from.AddDate(1, 0, 0) }
	return Identity{
		Server: &tls.Config{
			MinVersion: tls.VersionTLS13, Certificates: mine, Time: always,
			ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
		},
		Client: &tls.Config{
			MinVersion: tls.VersionTLS13, Certificates: mine, Time: always,
			RootCAs: pool, ServerName: peerName,
		},
	}, nil
}

// certificate issues a certificate for a public key; if root is nil, it issues the root.
func certificate(root *x509.Certificate, issuer ed25519.PrivateKey, public crypto.PublicKey) (*x509.Certificate, error) {
	t := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: to, BasicConstraintsValid: true,
		Subject: pkix.Name{CommonName: "millrace peers"},
	}
	if root == nil {
		t.IsCA, t.KeyUsage = true, x509.KeyUsageCertSign
		root = t
	} else {
		t.SerialNumber, t.Subject.CommonName, t.DNSNames = big.NewInt(2), peerName, []string{peerName}
		t.KeyUsage = x509.KeyUsageDigitalSignature
		t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	}
	der, err := x509.CreateCertificate(rand.Reader, t, root, public, issuer)
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	return x509.ParseCertificate(der)
}

// explain turns the errors of a handshake into text that an operator can act on.
func explain(err error) error {
	var strange *tls.CertificateVerificationError
	var refused tls.AlertError
	switch {
	case errors.As(err, &strange):
		return fmt.Errorf("it does not know the secret of this cluster: %w", err)
	case errors.As(err, &refused):
		return fmt.Errorf("it says that this process does not know its secret: %w", err)
	}
	return err
}
