package streams

import (
	"context"
	"fmt"
	"millrace/streams/certs"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// Security configures TLS and the login to the brokers. The zero value uses neither.
type Security struct {
	TLS        bool   // the other fields of TLS need it
	CAFile     string // PEM; empty: the authorities that the machine trusts
	CertFile   string // PEM: the client's certificate; empty: none
	KeyFile    string // PEM: its key
	ServerName string // expected in the brokers' certificates; empty: the name that was dialled

	Mechanism string // one of Mechanisms; empty: no login
	User      string
	Password  Secret
	Token     Secret // of OAUTHBEARER
}

// Mechanisms lists the values of Security.Mechanism: the SASL mechanisms that are supported.
func Mechanisms() []string {
	return []string{"plain", "scram-sha-256", "scram-sha-512", "oauthbearer"}
}

// Secret is a password or token: a text, or a file that is read at every use, so that a new content
// is used from the next connection on. It prints as ***.
type Secret struct {
	text, file string
}

// NewSecret returns a secret: the content of a file, or, if that is empty, a text.
func NewSecret(text, file string) Secret { return Secret{text, file} }

// maxSecret bounds a file with a secret, in bytes.
const maxSecret = 64 << 10

// Read returns the secret. If it comes from a file, white space at its ends is removed.
func (s Secret) Read() (string, error) {
	if s.file == "" {
		return s.text, nil
	}
	b, err := os.ReadFile(s.file)
	if err != nil {
		return "", err
	}
	word := strings.TrimSpace(string(b))
	switch {
	case word == "":
		return "", fmt.Errorf("%s is empty", s.file)
	case len(word) > maxSecret:
		return "", fmt.Errorf("%s has more than %d bytes: that is no secret", s.file, maxSecret)
	}
	return word, nil
}

// Empty reports whether neither text nor file is set.
func (s Secret) Empty() bool { return s.text == "" && s.file == "" }

// String implements fmt.Stringer.
func (Secret) String() string { return "***" }

// GoString implements fmt.GoStringer.
func (Secret) GoString() string { return "***" }

// Options returns the client options for TLS and login. It reads the files now, so that a mistake
// in them is an error here; the client's certificate and the secrets are read again at every
// connection.
func (s Security) Options() ([]kgo.Opt, error) {
	var out []kgo.Opt
	if s.TLS {
		config, err := certs.Client(s.CAFile, s.CertFile, s.KeyFile, s.ServerName)
		if err != nil {
			return nil, err
		}
		out = append(out, kgo.DialTLSConfig(config))
	}
	m, err := s.mechanism()
	if err != nil {
		return nil, err
	}
	if m != nil {
		out = append(out, kgo.SASL(m))
	}
	return out, nil
}

func (s Security) mechanism() (sasl.Mechanism, error) {
	scrams := func(context.Context) (scram.Auth, error) {
		p, err := s.Password.Read()
		return scram.Auth{User: s.User, Pass: p}, secretError("password", err)
	}
	secret, what := s.Password, "password"
	if s.Mechanism == "oauthbearer" {
		secret, what = s.Token, "token"
	}
	if s.Mechanism == "" {
		return nil, nil
	}
	if _, err := secret.Read(); err != nil {
		return nil, secretError(what, err)
	}
	switch s.Mechanism {
	case "plain":
		return plain.Plain(func(context.Context) (plain.Auth, error) {
			p, err := s.Password.Read()
			return plain.Auth{User: s.User, Pass: p}, secretError("password", err)
		}), nil
	case "scram-sha-256":
		return scram.Sha256(scrams), nil
	case "scram-sha-512":
		return scram.Sha512(scrams), nil
	case "oauthbearer":
		return oauth.Oauth(func(context.Context) (oauth.Auth, error) {
			t, err := s.Token.Read()
			return oauth.Auth{Token: t}, secretError("token", err)
		}), nil
	}
	return nil, fmt.Errorf("login %q is none of %s", s.Mechanism, strings.Join(Mechanisms(), ", "))
}

func secretError(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
