package scylla

import (
	"errors"
	"fmt"
	"log/slog"
	"millrace/streams/certs"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/gocql/gocql"
)

// Options configure the connection to the store.
type Options struct {
	Hosts    []string // host:port, any of the cluster
	Keyspace string
	LocalDC  string // data centre to prefer; empty: none

	Username, Password string // empty: no authentication
	PasswordFile       string // read at every login; empty: Password is used
	TLS                bool
	CAFile             string // PEM; empty: the system's
	CertFile, KeyFile  string // PEM: the client's certificate, read at every connection; empty: none
	ServerName         string // expected in the nodes' certificates; empty: the address that was dialled

	Consistency       string // of reads and writes, as CQL names it
	ReplicationFactor int    // of a keyspace that Provision creates, in each data centre

	Timeout  time.Duration // of one request
	Parallel int           // write requests at once, over all calls

	Logger *slog.Logger // connections lost and found

	OnRequest func(Request) // called after every request, by many goroutines at once; nil: nobody counts
}

// DefaultOptions returns the defaults: three replicas, of which two must answer (LOCAL_QUORUM).
func DefaultOptions() Options {
	return Options{
		Keyspace: "millrace", Consistency: "LOCAL_QUORUM", ReplicationFactor: 3,
		Timeout: 10 * time.Second, Parallel: 64, Logger: slog.New(slog.DiscardHandler),
	}
}

// Validate reports the first option that cannot work.
func (o Options) Validate() error {
	if _, err := gocql.ParseConsistencyWrapper(o.Consistency); err != nil {
		return fmt.Errorf("consistency %q: %w", o.Consistency, err)
	}
	switch {
	case len(o.Hosts) == 0:
		return errors.New("no hosts")
	case !regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`).MatchString(o.Keyspace):
		return fmt.Errorf("keyspace %q: a letter, then letters, digits and _, 48 at most", o.Keyspace)
	case o.ReplicationFactor < 1:
		return fmt.Errorf("replication factor %d", o.ReplicationFactor)
	case o.Timeout <= 0:
		return fmt.Errorf("timeout %s", o.Timeout)
	case o.Parallel < 1:
		return fmt.Errorf("%d requests at once", o.Parallel)
	case o.CAFile+o.CertFile+o.ServerName != "" && !o.TLS:
		return errors.New("a CA, certificate or server name without TLS")
	case (o.CertFile == "") != (o.KeyFile == ""):
		return errors.New("a certificate and its key go together")
	case o.Logger == nil:
		return errors.New("no logger")
	}
	return nil
}

const (
	reconnect  = 2 * time.Second // between attempts to reach a host that is down
	retries    = 2               // on other hosts, before the call fails
	pageRows   = 1000            // rows of a slice in one answer
	schemaWait = time.Minute     // until all nodes know a new table
)

// cluster returns the driver's settings. The driver's own timestamps are off: they are higher than
// every Stamp, so a write that lacked one would win over all later writes.
func (o Options) cluster() (*gocql.ClusterConfig, error) {
	c := gocql.NewCluster(o.Hosts...)
	c.Timeout, c.ConnectTimeout, c.WriteTimeout = o.Timeout, o.Timeout, o.Timeout
	c.Consistency = gocql.ParseConsistency(o.Consistency)
	c.DefaultTimestamp = false
	c.ProtoVersion = 4 // unset cells need 4; ScyllaDB has no other
	c.PageSize = pageRows
	c.ReconnectInterval = reconnect
	c.MaxWaitSchemaAgreement = schemaWait
	c.RetryPolicy = &gocql.SimpleRetryPolicy{NumRetries: retries}
	c.Logger = logger{o.Logger}
	if o.OnRequest != nil {
		count := &observer{onRequest: o.OnRequest}
		c.QueryObserver, c.BatchObserver = count, count
	}
	near := gocql.RoundRobinHostPolicy()
	if o.LocalDC != "" {
		near = gocql.DCAwareRoundRobinPolicy(o.LocalDC)
	}
	c.PoolConfig.HostSelectionPolicy = gocql.TokenAwareHostPolicy(near)
	if o.Username != "" {
		login := login{o.Username, o.Password, o.PasswordFile}
		if _, _, err := login.Challenge(nil); err != nil {
			return nil, err
		}
		c.Authenticator = login
	}
	return c, o.addTLS(c)
}

func (o Options) addTLS(c *gocql.ClusterConfig) error {
	if !o.TLS {
		return nil
	}
	config, err := certs.Client(o.CAFile, o.CertFile, o.KeyFile, o.ServerName)
	if err != nil {
		return err
	}
	c.SslOpts = &gocql.SslOptions{Config: config, EnableHostVerification: true}
	return nil
}

// login is like gocql's PasswordAuthenticator, with a password that may be in a file. It answers a
// login request of any authenticator class.
type login struct{ user, password, file string }

// maxPassword bounds a file with a password, in bytes.
const maxPassword = 64 << 10

// Challenge implements gocql.Authenticator with SASL PLAIN.
func (l login) Challenge([]byte) ([]byte, gocql.Authenticator, error) {
	password := l.password
	if l.file != "" {
		b, err := os.ReadFile(l.file)
		if err != nil {
			return nil, nil, fmt.Errorf("password: %w", err)
		}
		password = strings.TrimSpace(string(b))
		if password == "" || len(password) > maxPassword {
			return nil, nil, fmt.Errorf("password: %s holds none", l.file)
		}
	}
	return []byte("\x00" + l.user + "\x00" + password), nil, nil
}

// Success implements gocql.Authenticator.
func (login) Success([]byte) error { return nil }

// logger logs the driver's messages about connections as warnings.
type logger struct{ log *slog.Logger }

func (l logger) Print(v ...any)            { l.log.Warn("cql driver", "message", fmt.Sprint(v...)) }
func (l logger) Println(v ...any)          { l.log.Warn("cql driver", "message", fmt.Sprint(v...)) }
func (l logger) Printf(f string, v ...any) { l.log.Warn("cql driver", "message", fmt.Sprintf(f, v...)) }
