//go:build linux

package secured

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/cmd/wire"
	"millrace/consumers/taps/jsontopic"
	"millrace/consumers/taps/opensearch"
	"millrace/consumers/taps/opensearch/opensearchtest"
	"millrace/ops/cluster"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

const storeRole = "crawler"

// All on one cluster, since starting it costs most: a crawl with exactly the rights of the table,
// then each right taken away, then each wrong secret.
func TestOnASecuredCluster(t *testing.T) {
	s := start(t)
	for _, role := range []string{"owner", storeRole, "reader"} {
		s.exec(t, "CREATE ROLE "+role+" WITH PASSWORD = '"+role+"-pw' AND LOGIN = true")
	}
	s.exec(t, "GRANT CREATE ON ALL KEYSPACES TO owner")
	for _, role := range topics.Roles() {
		user := "millrace-" + role
		s.user(t, user)
		s.grant(t, user, rightsOf(t, role)...)
	}
	t.Run("provision", s.provision)
	s.exec(t, "GRANT SELECT ON KEYSPACE "+keyspace+" TO "+storeRole)
	s.exec(t, "GRANT MODIFY ON KEYSPACE "+keyspace+" TO "+storeRole)
	s.exec(t, "GRANT SELECT ON KEYSPACE "+keyspace+" TO reader")

	t.Run("crawl", s.crawl)
	t.Run("each right", s.eachRight)
	t.Run("a right taken away", s.taken)
	t.Run("a right taken away from taps", s.takenFromTaps)
	t.Run("wrong secrets of Kafka", s.wrongKafka)
	t.Run("wrong secrets of the store", s.wrongStore)
	t.Run("other logins", s.otherLogins)
}

func (s *servers) provision(t *testing.T) {
	cfg := s.config(t, "millrace-provision", "owner")
	log := slog.New(slog.DiscardHandler)
	for range 2 { // again is harmless
		if _, err := wire.Provision(t.Context(), cfg, log); err != nil {
			t.Fatal(err)
		}
	}
	want := topics.Right{Resource: topics.TopicResource, Name: topics.Unique().Name, Operation: topics.AlterConfigs}
	s.take(t, "millrace-provision", want)
	defer s.grant(t, "millrace-provision", want)
	eventually(t, want.String(), func() error {
		_, err := wire.Provision(t.Context(), cfg, log)
		return err
	})
}

// crawl: a process for every group, each with its own user and no right beyond the table.
func (s *servers) crawl(t *testing.T) {
	web := site(t)
	var search *wire.System
	for _, g := range topics.GroupNames() {
		cfg := s.config(t, "millrace-"+g, storeRole)
		cfg.Resolve = []string{"*.test=" + web.Listener.Addr().(*net.TCPAddr).String()}
		if sys, _ := process(t, cfg, g); g == "index" {
			search = sys
		}
	}
	sower, _ := process(t, s.config(t, "millrace-"+topics.RoleSeeds, storeRole))
	if err := sower.SeedURLs(t.Context(), []string{"http://www.a.test/"}, "site"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for len(hits(ctx, t, search)) != 1 { // the twin is no document of its own
		if sleep(ctx) != nil {
			t.Fatalf("found %v; lag %+v", hits(t.Context(), t, search), search.Reader.Positions(t.Context()))
		}
	}

	s.tap(t)
	s.json(t)

	// Who only looks sees everything, and writes nothing.
	looker, _ := process(t, s.config(t, "millrace-"+topics.RoleLook, "reader"))
	if lag := looker.Reader.Lag(t.Context()); len(lag.Errors) > 0 || len(lag.Groups) != len(topics.Groups()) {
		t.Errorf("lag: %+v", lag)
	}
	err := looker.SeedURLs(t.Context(), []string{"http://www.b.test/"}, "")
	if err == nil || !strings.Contains(err.Error(), "no MODIFY permission on <table secured.meta>") && !strings.Contains(err.Error(), "MODIFY") {
		t.Errorf("a reader seeds: %v", err)
	}
}

// tap writes the documents into files, with the rights of a tap and no other.
func (s *servers) tap(t *testing.T) {
	dir := t.TempDir()
	spec := wire.TapSpec{Format: "parquet", Out: dir}
	tap, err := wire.OpenTap(t.Context(), s.config(t, "millrace-"+topics.RoleTap, storeRole), spec, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer tap.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- tap.Run(ctx) }()
	bounded, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err = tap.Drain(bounded, nil)
	stop()
	if ran := <-ended; err != nil || ran != nil {
		t.Errorf("the tap: %v, %v", err, ran)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "day=*", "lang=*", "*.parquet")); err != nil || len(files) == 0 {
		t.Errorf("%d files of documents, %v", len(files), err)
	}
}

// json writes the documents into a topic of JSON, with the rights of that tap and no other.
func (s *servers) json(t *testing.T) {
	o := jsontopic.DefaultOptions()
	o.Replicas = int16(min(3, len(s.KafkaAddrs())))
	tap, err := wire.JSONTap(t.Context(), s.config(t, "millrace-"+topics.RoleJSON, storeRole), o, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer tap.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- tap.Run(ctx) }()
	opts, err := s.access.KafkaAdmin()
	if err != nil {
		t.Fatal(err)
	}
	admin := streams.Options{Brokers: s.KafkaAddrs(), Client: opts, Transactions: true}
	streamstest.Tail(t, admin, topics.JSONTopic, func(r *kgo.Record) bool {
		return strings.Contains(string(r.Value), "keeps it clear of weed")
	})
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the tap: %v", err)
	}
}

func hits(ctx context.Context, t *testing.T, s *wire.System) (urls []string) {
	r, err := s.Search(ctx, `"keeps it clear of weed"`, 0, 10)
	if err != nil {
		return nil // the index is being opened
	}
	for _, h := range r.Hits {
		urls = append(urls, h.URL)
	}
	return urls
}

// eachRight takes every right of every role away, one at a time: exactly this one is named.
func (s *servers) eachRight(t *testing.T) {
	n := 0
	for _, role := range topics.Roles() {
		user := "millrace-" + role
		opts := s.kafkaOptions(t, streams.Security{Mechanism: "scram-sha-512", User: user, Password: streams.NewSecret(user+"-pw", "")})
		all := rightsOf(t, role)
		if role != topics.RoleLook { // those of RoleLook once
			all = slices.DeleteFunc(all, func(r topics.Right) bool { return slices.Contains(rightsOf(t, topics.RoleLook), r) })
		}
		for _, r := range all {
			s.take(t, user, r)
			eventually(t, "Kafka denies "+r.String()+": grant it", func() error {
				return streams.CheckRights(t.Context(), opts, rightsOf(t, role))
			})
			s.grant(t, user, r)
			n++
		}
		eventuallyNil(t, func() error { return streams.CheckRights(t.Context(), opts, rightsOf(t, role)) })
	}
	if n < 40 {
		t.Errorf("only %d rights were tried", n)
	}
}

// taken: a process that lacks a right does not begin, and one that loses it ends, and says which.
func (s *servers) taken(t *testing.T) {
	user := "millrace-feeds"
	lost := topics.Right{Resource: topics.GroupResource, Name: "feeds", Operation: topics.Read}
	_, ended := process(t, s.config(t, user, storeRole), "feeds")
	probe := s.kafkaOptions(t, streams.Security{Mechanism: "scram-sha-512", User: user, Password: streams.NewSecret(user+"-pw", "")})
	log, err := streams.NewLog(probe)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for log.Members(ctx, "feeds") == 0 && sleep(ctx) == nil {
	}
	s.take(t, user, lost)
	select {
	case err := <-ended:
		wants(t, "feeds lost its group", err, "Kafka denies "+lost.String())
	case <-ctx.Done():
		t.Fatal("it goes on without its right")
	}
	again, _ := process(t, s.config(t, user, storeRole))
	wants(t, "feeds begins without its group", again.Run(t.Context(), "feeds"), "Kafka denies "+lost.String())
	s.grant(t, user, lost)

	reader, _ := process(t, s.config(t, "millrace-extract", "reader"))
	wants(t, "a group that may not write to the store", reader.Run(t.Context(), "extract"), "the store denies it", "MODIFY")
}

// takenFromTaps: taps that lose a right end and say which; once it is given back they go on.
func (s *servers) takenFromTaps(t *testing.T) {
	index := httptest.NewServer(opensearchtest.New())
	t.Cleanup(index.Close)
	dir, quiet := t.TempDir(), slog.New(slog.DiscardHandler)
	t.Run("parquet", func(t *testing.T) {
		s.takenFrom(t, func(cfg wire.Config) (tap, error) {
			return wire.OpenTap(t.Context(), cfg, wire.TapSpec{Format: "parquet", Out: dir}, quiet)
		})
	})
	t.Run("opensearch", func(t *testing.T) {
		s.takenFrom(t, func(cfg wire.Config) (tap, error) {
			o := opensearch.DefaultOptions()
			o.URL = index.URL
			return wire.OpenSearchTap(t.Context(), cfg, o, wire.SearchLogin{}, quiet)
		})
	})
}

// tap is what the taps have in common.
type tap interface {
	Run(context.Context) error
	Close()
	Group() topics.Group
}

// takenFrom takes a right from a tap that runs, and gives it back.
func (s *servers) takenFrom(t *testing.T, open func(wire.Config) (tap, error)) {
	lost := topics.Right{Resource: topics.TopicResource, Name: topics.Unique().Name, Operation: topics.Read}
	user := "millrace-" + topics.RoleTap
	cfg := s.config(t, user, storeRole)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	begin := func() (tap, <-chan error) {
		it, err := open(cfg)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- it.Run(ctx) }()
		for s.members(ctx, t, it.Group().Name) == 0 && sleep(ctx) == nil {
		}
		return it, ended
	}
	it, ended := begin()
	s.take(t, user, lost)
	wants(t, "a tap that lost its topic", <-ended, "Kafka denies "+lost.String())
	it.Close()
	s.grant(t, user, lost)
	probe := s.kafkaOptions(t, streams.Security{Mechanism: "scram-sha-512", User: user, Password: streams.NewSecret(user+"-pw", "")})
	eventuallyNil(t, func() error { return streams.CheckRights(ctx, probe, []topics.Right{lost}) })
	it, ended = begin()
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("with its right given back: %v", err)
	}
	it.Close()
}

// members is the number of members of a group, as the administrator sees it.
func (s *servers) members(ctx context.Context, t *testing.T, group string) int {
	groups, err := s.kafka.DescribeGroups(ctx, group)
	if err != nil {
		t.Fatal(err)
	}
	return len(groups[group].Members)
}

func (s *servers) wrongKafka(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*wire.Config)
		want   string
	}{
		{"password", func(c *wire.Config) { c.KafkaPassFile = s.file(t, "wrong", "wrong") }, "the login was refused: user, password or token is wrong"},
		{"user", func(c *wire.Config) { c.KafkaUser = "nobody" }, "the login was refused: user, password or token is wrong"},
		{"no password file", func(c *wire.Config) { c.KafkaPassFile += ".none" }, "no such file"},
		{"empty password file", func(c *wire.Config) { c.KafkaPassFile = s.file(t, "empty", "") }, "is empty"},
		{"authority", func(c *wire.Config) { c.KafkaCA = s.access.OtherCA }, "signed by an authority that is not trusted: name the right one (--kafka-ca)"},
		{"no authority", func(c *wire.Config) { c.KafkaCA, c.KafkaTLS = "", true }, "signed by an authority that is not trusted: name the right one (--kafka-ca)"},
		{"no certificate in the file", func(c *wire.Config) { c.KafkaCA = s.file(t, "nopem", "nothing") }, "no certificate in it"},
		{"server name", func(c *wire.Config) { c.KafkaServerName = "kafka.example.org" }, "set the name it has (--kafka-server-name)"},
		{"no TLS", func(c *wire.Config) { c.KafkaCA = "" }, "the brokers close the connection: they ask for TLS (--kafka-tls)"},
		{"no login", func(c *wire.Config) { c.KafkaSASL, c.KafkaUser, c.KafkaPassFile = "", "", "" }, "or for a login (--kafka-sasl)"},
		{"no client certificate", func(c *wire.Config) {
			c.Brokers, c.KafkaSASL, c.KafkaUser, c.KafkaPassFile = s.CertAddrs(), "", "", ""
		}, "without the client's certificate they ask for (--kafka-cert, --kafka-key)"},
	} {
		s.refused(t, c.name, c.change, c.want)
	}
}

func (s *servers) wrongStore(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*wire.Config)
		want   string
	}{
		{"password", func(c *wire.Config) { c.StorePassFile = s.file(t, "wrong", "wrong") }, "the login was refused: user or password is wrong"},
		{"no password file", func(c *wire.Config) { c.StorePassFile += ".none" }, "no such file"},
		{"authority", func(c *wire.Config) { c.StoreCA = s.access.OtherCA }, "name the right one (--store-ca)"},
		{"server name", func(c *wire.Config) { c.StoreServerName = "cassandra.example.org" }, "set the name it has (--store-server-name)"},
		{"no certificate", func(c *wire.Config) { c.StoreCert, c.StoreKey = "", "" }, "without the client's certificate they ask for (--store-cert, --store-key)"},
		{"no login", func(c *wire.Config) { c.StoreUser, c.StorePassFile = "", "" }, "the nodes ask for a login (--store-user, --store-password-file)"},
		{"no right", func(c *wire.Config) {
			c.StoreUser, c.StorePassFile = "nothing", s.file(t, "nothing", "nothing-pw")
		}, "no SELECT permission"},
	} {
		if c.name == "no right" {
			s.exec(t, "CREATE ROLE nothing WITH PASSWORD = 'nothing-pw' AND LOGIN = true")
		}
		s.refused(t, c.name, c.change, c.want)
	}
}

// refused opens a system with a setting that is wrong: the error says what to do, soon, and no
// secret.
func (s *servers) refused(t *testing.T, name string, change func(*wire.Config), want string) {
	t.Helper()
	cfg := s.config(t, "millrace-fetch", storeRole)
	change(&cfg)
	said := &lines{}
	log := slog.New(slog.NewTextHandler(said, nil))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	sys, err := wire.Open(ctx, cfg, log)
	if err == nil {
		sys.Close()
	}
	wants(t, name, err, want)
	if ctx.Err() != nil {
		t.Errorf("%s: it took 30 s", name)
	}
	if text := fmt.Sprint(err) + said.String(); strings.Contains(text, "-pw") {
		t.Errorf("%s: a password is shown: %s", name, text)
	}
}

// lines keeps what is logged; the driver of the store may log on after it was closed.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// String returns all of it.
func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// otherLogins: PLAIN, SCRAM-SHA-256, OAUTHBEARER with a token that changes, and a certificate
// instead of a login.
func (s *servers) otherLogins(t *testing.T) {
	token := s.file(t, "token", unsigned(t, "somebody", time.Hour))
	for name, sec := range map[string]streams.Security{
		"plain":         {Mechanism: "plain", User: s.access.PlainUser, Password: streams.NewSecret(s.access.Password, "")},
		"scram-sha-256": {Mechanism: "scram-sha-256", User: "millrace-look", Password: streams.NewSecret("millrace-look-pw", "")},
		"oauthbearer":   {Mechanism: "oauthbearer", Token: streams.NewSecret("", token)},
	} {
		if err := streams.CheckReach(t.Context(), s.kafkaOptions(t, sec)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	opts := s.kafkaOptions(t, streams.Security{Mechanism: "oauthbearer", Token: streams.NewSecret("", token)})
	s.file(t, "token", unsigned(t, "somebody", -time.Hour)) // the options stay; the file changes
	wants(t, "a token that has expired", streams.CheckReach(t.Context(), opts), "the login was refused")
	s.file(t, "token", unsigned(t, "somebody", time.Hour))
	if err := streams.CheckReach(t.Context(), opts); err != nil {
		t.Errorf("a new token: %v", err)
	}

	s.grant(t, "CN="+cluster.ClientName, rightsOf(t, topics.RoleLook)...)
	cfg := s.config(t, "unused", storeRole)
	cfg.Brokers, cfg.KafkaSASL, cfg.KafkaUser, cfg.KafkaPassFile = s.CertAddrs(), "", "", ""
	cfg.KafkaCert, cfg.KafkaKey = s.access.Cert, s.access.Key
	sys, _ := process(t, cfg)
	if lag := sys.Reader.Lag(t.Context()); len(lag.Errors) > 0 {
		t.Errorf("with a certificate: %v", lag.Errors)
	}
}

// unsigned is a token as Kafka takes it where no validator is set.
func unsigned(t *testing.T, sub string, valid time.Duration) string {
	t.Helper()
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	now := time.Now()
	return part(`{"alg":"none"}`) + "." +
		part(fmt.Sprintf(`{"sub":%q,"iat":%d,"exp":%d}`, sub, now.Add(-2*time.Hour).Unix(), now.Add(valid).Unix())) + "."
}

func (s *servers) kafkaOptions(t *testing.T, sec streams.Security) streams.Options {
	t.Helper()
	sec.TLS, sec.CAFile = true, s.access.CA
	client, err := sec.Options()
	if err != nil {
		t.Fatal(err)
	}
	return streams.Options{Brokers: s.KafkaAddrs(), Client: client, Transactions: true}
}

func wants(t *testing.T, what string, err error, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if err == nil || !strings.Contains(err.Error(), p) {
			t.Errorf("%s: %v\nwant %s", what, err, p)
		}
	}
}

// eventually repeats what a broker may still answer as it was before.
func eventually(t *testing.T, want string, do func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		err := do()
		if err != nil && strings.Contains(err.Error(), want) {
			return
		}
		if sleep(ctx) != nil {
			t.Fatalf("%v\nwant %s", err, want)
		}
	}
}

func eventuallyNil(t *testing.T, do func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for err := do(); err != nil; err = do() {
		if sleep(ctx) != nil {
			t.Fatal(errors.Join(ctx.Err(), err))
		}
	}
}

// sleep waits a little for a server in another process.
func sleep(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(20 * time.Millisecond):
		return nil
	}
}
