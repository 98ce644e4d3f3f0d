package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"millrace/consumers/taps/opensearch"
	"millrace/ops/metrics"
	"millrace/streams"
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

// SearchTap is an opened tap into OpenSearch.
type SearchTap struct {
	*opensearch.Tap
	config streams.Config
	reader *streams.Log
}

// OpenSearchTap connects to Kafka and OpenSearch.
func OpenSearchTap(ctx context.Context, cfg Config, o opensearch.Options, login SearchLogin, log *slog.Logger) (*SearchTap, error) {
	kafka, err := cfg.kafka(ctx, log)
	if err != nil {
		return nil, err
	}
	if err := checkRights(ctx, kafka, topics.RoleTap); err != nil {
		return nil, err
	}
	o.Password = login.password
	if o.Client, err = login.client(); err != nil {
		return nil, err
	}
	c := streams.DefaultConfig()
	c.Kafka, c.Logger = kafka, log
	if cfg.Member != "" {
		c.Member, c.Static = cfg.Member, true
	}
	t := &SearchTap{config: c}
	if t.reader, err = streams.NewLog(kafka); err != nil {
		return nil, err
	}
	if t.Tap, err = opensearch.New(ctx, o, log, c.Meter); err != nil {
		t.reader.Close()
		return nil, err
	}
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
		pem, err := os.ReadFile(l.CAFile)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate", l.CAFile)
		}
		t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: t, Timeout: 2 * time.Minute}, nil
}

// Run writes until ctx ends.
func (t *SearchTap) Run(ctx context.Context) error { return t.Tap.Run(ctx, t.config) }

// Close closes the connections to Kafka.
func (t *SearchTap) Close() { t.reader.Close() }

// Serve is like Tap.Serve, for a tap into OpenSearch.
func (t *SearchTap) Serve(ctx context.Context, addr string) (<-chan error, error) {
	lag := func() streams.Lag {
		ctx, cancel := context.WithTimeout(context.Background(), statusWithin)
		defer cancel()
		return t.reader.LagOf(ctx, t.Group())
	}
	registry, err := metrics.Reader(t.config.Meter, lag)
	if err != nil {
		return nil, err
	}
	return serveTap(ctx, addr, registry, func() any { return lag() }, func() error { return nil })
}
