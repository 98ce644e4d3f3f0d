package certs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAWrongFileIsNamed protects whoever sets up TLS: a file that is absent, that holds no
// certificate, or that lacks its other half is an error that says which one.
func TestAWrongFileIsNamed(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("no PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ ca, cert, key, want string }{
		{ca: "absent.pem", want: "absent.pem"},
		{ca: empty, want: "empty.pem: no certificate"},
		{cert: empty, want: "go together"},
		{key: empty, want: "go together"},
		{cert: empty, key: "absent.key", want: "empty.pem with key absent.key"},
	} {
		if _, err := Client(c.ca, c.cert, c.key, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	config, err := Client("", "", "", "broker.test")
	if err != nil || config.RootCAs != nil || config.ServerName != "broker.test" || config.InsecureSkipVerify {
		t.Errorf("without files: %+v, %v", config, err)
	}
}
