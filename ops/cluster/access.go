//go:build linux

package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gocql/gocql"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// Names in the certificates.
const (
	serverName = "millrace-server" // brokers know each other by it
	ClientName = "millrace-client" // Kafka's principal is User:CN=millrace-client
)

// Access holds the credentials of a client of a secured cluster: files in PEM, and words that are
// the same for every such cluster, since it is one for tests.
type Access struct {
	secured bool
	dir     string

	CA        string // file: the authority that signed the servers' certificates
	OtherCA   string // file: one that signed nothing, for tests of refusals
	ServerPEM string // file: key and certificate of all servers
	Cert, Key string // files: a client's certificate

	Admin, Password      string // Kafka's super user, SCRAM-SHA-512
	PlainUser            string // a user of Kafka without rights, PLAIN, with the same password
	CQLUser, CQLPassword string // Cassandra's super user
}

// Access returns what clients need. Without Options.Secured it names files that are not there.
func (c *Cluster) Access() Access {
	dir := filepath.Join(c.dir, "access")
	in := func(name string) string { return filepath.Join(dir, name) }
	return Access{
		secured: c.Secured, dir: dir,
		CA: in("ca.pem"), OtherCA: in("other-ca.pem"), ServerPEM: in("server.pem"), Cert: in("client.pem"), Key: in("client.key"),
		Admin: "admin", Password: "admin-secret", PlainUser: "plainuser",
		CQLUser: "cassandra", CQLPassword: "cassandra",
	}
}

// CertAddrs returns where the brokers of a secured cluster ask for a client's certificate.
func (c *Cluster) CertAddrs() []string {
	var out []string
	for n := 1; n <= c.Brokers; n++ {
		out = append(out, c.certAddr(n))
	}
	return out
}

// KafkaAdmin returns the options of a client that may do everything.
func (a Access) KafkaAdmin() ([]kgo.Opt, error) {
	if !a.secured {
		return nil, nil
	}
	text, err := os.ReadFile(a.CA)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	return []kgo.Opt{
		kgo.DialTLSConfig(&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}),
		kgo.SASL(scram.Auth{User: a.Admin, Pass: a.Password}.AsSha512Mechanism()),
	}, nil
}

// CQLAdmin makes cfg that of a client that may do everything.
func (a Access) CQLAdmin(cfg *gocql.ClusterConfig) {
	if !a.secured {
		return
	}
	cfg.Authenticator = gocql.PasswordAuthenticator{Username: a.CQLUser, Password: a.CQLPassword}
	cfg.SslOpts = &gocql.SslOptions{CaPath: a.CA, CertPath: a.Cert, KeyPath: a.Key, EnableHostVerification: true}
}

// make writes the certificates, once.
func (a Access) make() error {
	if _, err := os.Stat(a.Key); err == nil {
		return nil
	}
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	ca, err := newAuthority("millrace test authority")
	if err != nil {
		return err
	}
	other, err := newAuthority("an authority that signed nothing")
	if err != nil {
		return err
	}
	serverCert, serverKey, err := ca.sign(serverName)
	if err != nil {
		return err
	}
	clientCert, clientKey, err := ca.sign(ClientName)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(a.CA, ca.pem(), 0o600), os.WriteFile(a.OtherCA, other.pem(), 0o600),
		os.WriteFile(a.ServerPEM, slices.Concat(serverKey, serverCert, ca.pem()), 0o600),
		os.WriteFile(a.Cert, clientCert, 0o600), os.WriteFile(a.Key, clientKey, 0o600), // the last: its presence says that all are there
	)
}

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(name string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := certificate(name)
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &authority{cert, key}, err
}

func (a *authority) pem() []byte { return pemOf("CERTIFICATE", a.cert.Raw) }

// sign makes a key and a certificate for servers and clients of this machine.
func (a *authority) sign(name string) (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := certificate(name)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	template.DNSNames = []string{"localhost", name}
	for n := 1; n <= 9; n++ {
		template.IPAddresses = append(template.IPAddresses, net.ParseIP(nodeHost(n)))
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &private.PublicKey, a.key)
	if err != nil {
		return nil, nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private) // Kafka reads no other form
	return pemOf("CERTIFICATE", der), pemOf("PRIVATE KEY", keyDER), err
}

func certificate(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)) // it never fails: crypto/rand ends the program
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0),
	}
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
