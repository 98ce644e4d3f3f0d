package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"millrace/streams/state/scylla"
)

// A certificate of brokers or nodes that has ended, that has not begun, or that is for another name
// is an error that says which of them it is and what to do.
func TestACertificateThatIsNotValidIsNamed(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		from, to time.Time
		host     string
		want     string
	}{
		"ended":        {now.AddDate(-1, 0, 0), now.AddDate(0, 0, -1), "127.0.0.1", "ended on " + now.AddDate(0, 0, -1).UTC().Format("2006-01-02")},
		"not begun":    {now.AddDate(0, 0, 1), now.AddDate(1, 0, 0), "127.0.0.1", "begins on " + now.AddDate(0, 0, 1).UTC().Format("2006-01-02")},
		"another name": {now.AddDate(-1, 0, 0), now.AddDate(1, 0, 0), "10.1.2.3", "is for another name"},
	} {
		t.Run(name, func(t *testing.T) {
			addr, ca := tlsServer(t, c.from, c.to, c.host)
			cfg := DefaultConfig()
			cfg.Brokers, cfg.Store = []string{addr}, "cql://"+addr+"/k"
			cfg.KafkaCA, cfg.StoreCA = ca, ca
			_, brokers := cfg.kafka(t.Context(), slog.New(slog.DiscardHandler))
			_, _, store := scylla.Provisioned(t.Context(), cfg.scylla(slog.New(slog.DiscardHandler)))
			for part, err := range map[string]error{"brokers": brokers, "store": store} {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: %v, want %q", part, err, c.want)
				}
				if err != nil && strings.Contains(c.want, "on 2") && !strings.Contains(err.Error(), "the clock of this machine") {
					t.Errorf("%s does not say what to do: %v", part, err)
				}
			}
		})
	}
}

// tlsServer accepts TLS connections with a certificate for host, and returns its address and the
// file of the authority that signed it.
func tlsServer(t *testing.T, from, to time.Time, host string) (addr, ca string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(c, parent *x509.Certificate) []byte {
		der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().AddDate(-2, 0, 0), NotAfter: time.Now().AddDate(2, 0, 0), KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "server"}, NotBefore: from, NotAfter: to,
		IPAddresses: []net.IP{net.ParseIP(host)},
	}
	ca = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: sign(root, root)}), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{{Certificate: [][]byte{sign(leaf, root)}, PrivateKey: key}},
	})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.(*tls.Conn).HandshakeContext(t.Context()) // refused by the other side
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String(), ca
}
