//go:build linux

package secured

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gocql/gocql"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"millrace/cmd/wire"
	"millrace/ops/cluster"
	"millrace/ops/cluster/clustertest"
	"millrace/topics"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// gocql sleeps out its reconnection pause after Close.
		goleak.IgnoreAnyFunction("github.com/gocql/gocql.(*Session).handleNodeUp"))
}

// threeVar asks for three brokers ("brokers"), or three brokers and three nodes ("all").
const threeVar = "MILLRACE_TEST_THREE"

// servers are a secured cluster and clients that may do everything on it.
type servers struct {
	*cluster.Cluster
	access cluster.Access
	kafka  *kadm.Client
	cql    *gocql.Session
	dir    string
}

func start(t *testing.T) *servers {
	clustertest.NeedOwn(t)
	o := cluster.DefaultOptions()
	o.Dir, o.Secured = t.TempDir(), true
	switch os.Getenv(threeVar) {
	case "brokers":
		o.Brokers = 3
	case "all":
		o.Brokers, o.Nodes = 3, 3
	}
	c, err := cluster.Up(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Wipe(); err != nil {
			t.Error(err)
		}
	})
	s := &servers{Cluster: c, access: c.Access(), dir: t.TempDir()}
	s.openAdmins(t)
	return s
}

func (s *servers) openAdmins(t *testing.T) {
	opts, err := s.access.KafkaAdmin()
	if err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(append(opts, kgo.SeedBrokers(s.KafkaAddrs()...))...)
	if err != nil {
		t.Fatal(err)
	}
	s.kafka = kadm.NewClient(client)
	t.Cleanup(s.kafka.Close)
	cfg := gocql.NewCluster(s.CQLAddrs()...)
	s.access.CQLAdmin(cfg)
	if s.cql, err = cfg.CreateSession(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.cql.Close)
}

func (s *servers) exec(t *testing.T, statement string) {
	t.Helper()
	if err := s.cql.Query(statement).Exec(); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// user makes a user of Kafka, with a password that is its name and "-pw".
func (s *servers) user(t *testing.T, name string) {
	t.Helper()
	if err := cluster.AddUser(t.Context(), s.kafka, name, name+"-pw"); err != nil {
		t.Fatal(err)
	}
}

// grant gives a principal rights; take takes them away.
func (s *servers) grant(t *testing.T, principal string, rights ...topics.Right) {
	t.Helper()
	if err := cluster.Grant(t.Context(), s.kafka, principal, rights...); err != nil {
		t.Fatal(err)
	}
}

func (s *servers) take(t *testing.T, principal string, r topics.Right) {
	t.Helper()
	done, err := s.kafka.DeleteACLs(t.Context(), cluster.ACL(principal, r))
	if err != nil || len(done) != 1 || len(done[0].Deleted) != 1 {
		t.Fatalf("%v: %+v, %v", r, done, err)
	}
}

// rightsOf is the table of `millrace topics acls`.
func rightsOf(t *testing.T, role string) []topics.Right {
	t.Helper()
	list, err := topics.RightsOf(role)
	if err != nil || len(list) == 0 {
		t.Fatalf("%s: %d rights, %v", role, len(list), err)
	}
	return list
}

// file writes a secret.
func (s *servers) file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const keyspace = "secured"

// config is that of a process which logs in to Kafka as user, and to Cassandra as role.
func (s *servers) config(t *testing.T, user, role string) wire.Config {
	t.Helper()
	cfg := wire.DefaultConfig()
	cfg.Data, cfg.Listen, cfg.Delay, cfg.AllowPrivate = t.TempDir(), "127.0.0.1:0", 0, true
	cfg.Brokers, cfg.Store = s.KafkaAddrs(), "cql://"+strings.Join(s.CQLAddrs(), ",")+"/"+keyspace
	cfg.Partitions = 4
	cfg.KafkaCA, cfg.KafkaSASL, cfg.KafkaUser = s.access.CA, "scram-sha-512", user
	cfg.KafkaPassFile = s.file(t, user, user+"-pw")
	cfg.StoreCA, cfg.StoreCert, cfg.StoreKey = s.access.CA, s.access.Cert, s.access.Key
	cfg.StoreUser, cfg.StorePassFile = role, s.file(t, role, role+"-pw")
	return cfg
}

// site is a web site of three pages, two of them with one text.
func site(t *testing.T) *httptest.Server {
	story := "<html lang=en><title>The mill race</title><article><p>" +
		strings.Repeat("The mill race carries the water from the weir to the wheel, and the miller keeps it clear of weed. ", 3) + "</article>"
	pages := map[string]string{
		"/":      `<title>Home</title><p>` + strings.Repeat("A page that leads to the others. ", 8) + `<a href="/story">one</a> <a href="/twin">two</a>`,
		"/story": story, "/twin": story,
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok || r.Host != "www.a.test" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	}))
	t.Cleanup(srv.Close)
	return srv
}

// process runs groups until the test ends; Run's error comes on the channel.
func process(t *testing.T, cfg wire.Config, groups ...string) (*wire.System, <-chan error) {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	sys, err := wire.Open(t.Context(), cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended, done := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(done)
		ended <- sys.Run(ctx, groups...)
	}()
	t.Cleanup(func() {
		stop()
		<-done
		sys.Close()
	})
	return sys, ended
}
