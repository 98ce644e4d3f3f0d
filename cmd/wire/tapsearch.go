package wire

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"strings"

	"millrace/consumers/taps/opensearch"
	"millrace/streams/certs"
	"millrace/topics"
)

// SearchLogin names the places of the password and CA of an OpenSearch.
type SearchLogin struct {
	PasswordFile string
	CAFile       string
	Environ      []string
}

// passwordName is the environment variable with the password of an OpenSearch.
const passwordName = "MILLRACE_OPENSEARCH_PASSWORD"

// OpenSearchTap connects to Kafka and OpenSearch.
func OpenSearchTap(ctx context.Context, cfg Config, o opensearch.Options, login SearchLogin, log *slog.Logger) (*LogTap, error) {
	t, err := openLogTap(ctx, cfg, topics.RoleTap, log)
	if err != nil {
		return nil, err
	}
	o.Password = login.password
	if o.Client, err = login.client(); err != nil {
		t.Close()
		return nil, err
	}
	tap, err := opensearch.New(ctx, o, log, t.config.Meter)
	if err != nil {
		t.Close()
		return nil, err
	}
	t.group, t.run, t.failure = tap.Group(), tap.Run, tap.Failure
	return t, nil
}

// password returns the password, from the file if PasswordFile is set, else from the environment.
func (l SearchLogin) password() (string, error) {
	if l.PasswordFile != "" {
		raw, err := os.ReadFile(l.PasswordFile)
		return strings.TrimRight(string(raw), "\r\n"), err
	}
	for _, v := range l.Environ {
		if value, ok := strings.CutPrefix(v, passwordName+"="); ok {
			return value, nil
		}
	}
	return "", errors.New("no password: set --password-file, or the variable " + passwordName)
}

// client returns an HTTP client that trusts only the authorities in CAFile, if it is set.
func (l SearchLogin) client() (*http.Client, error) {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 16}
	if l.CAFile != "" {
		config, err := certs.Client(l.CAFile, "", "", "")
		if err != nil {
			return nil, err
		}
		t.TLSClientConfig = config
	}
	return &http.Client{Transport: t, Timeout: opensearch.Timeout}, nil
}
