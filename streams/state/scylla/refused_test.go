package scylla

import (
	"crypto/tls"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A node that ends the connection right after the handshake, so that its reason is lost on the way:
// the error still says what to try.
func TestALostReasonNamesTheCertificate(t *testing.T) {
	web := httptest.NewTLSServer(nil)
	defer web.Close()
	ca := filepath.Join(t.TempDir(), "ca")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	node, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		hangUp(node, web.TLS.Certificates)
	}()
	defer func() { <-ended }()
	defer node.Close()

	opts := DefaultOptions()
	opts.Hosts, opts.TLS, opts.CAFile = []string{node.Addr().String()}, true, ca
	for range 20 { // the driver says it in several ways
		_, err := connect(t.Context(), opts, "some")
		if err == nil || !strings.Contains(err.Error(), "without the client's certificate they ask for (--store-cert, --store-key)") {
			t.Fatal(err)
		}
	}
}

// hangUp resets each connection after the handshake, until node is closed.
func hangUp(node net.Listener, certificates []tls.Certificate) {
	for {
		c, err := node.Accept()
		if err != nil {
			return
		}
		_ = tls.Server(c, &tls.Config{Certificates: certificates}).Handshake()
		_ = c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
}
