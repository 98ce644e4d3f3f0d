//go:build linux

package faults

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/cmd/wire"
	"millrace/ops/cluster"
	"millrace/topics"
)

// Users of a secured run, on Kafka and in Cassandra. Their passwords are their names and "-pw".
const (
	crawler = "crawler" // the processes: the rights of all groups and of those who give seeds
	looker  = "looker"  // who checks: reads only
)

// provisionServers makes topics and tables. With secured servers the super users do it, and give
// the other users their rights; cfg is then that of who looks.
func (f *fleet) provisionServers(ctx context.Context) error {
	quiet := slog.New(slog.DiscardHandler)
	if !f.o.Secured {
		_, err := wire.Provision(ctx, f.cfg, quiet)
		return err
	}
	a := f.servers.Access()
	admin, err := f.as(a.Admin, a.Password, a.CQLUser, a.CQLPassword)
	if err != nil {
		return err
	}
	if _, err := wire.Provision(ctx, admin, quiet); err != nil {
		return err
	}
	if err := errors.Join(f.kafkaUsers(ctx), f.storeUsers()); err != nil {
		return err
	}
	if _, err := f.as(crawler, crawler+"-pw", crawler, crawler+"-pw"); err != nil { // writes what login names
		return err
	}
	f.cfg, err = f.as(looker, looker+"-pw", looker, looker+"-pw")
	return err
}

// as returns the settings of a user.
func (f *fleet) as(kafkaUser, kafkaPassword, storeUser, storePassword string) (wire.Config, error) {
	cfg, a := f.cfg, f.servers.Access()
	secret := func(name, text string) (string, error) {
		path := filepath.Join(f.o.Dir, name+".secret")
		return path, os.WriteFile(path, []byte(text), 0o600)
	}
	var failed, err error
	cfg.KafkaCA, cfg.KafkaSASL, cfg.KafkaUser = a.CA, "scram-sha-512", kafkaUser
	cfg.KafkaPassFile, failed = secret("kafka-"+kafkaUser, kafkaPassword)
	cfg.StoreCA, cfg.StoreCert, cfg.StoreKey, cfg.StoreUser = a.CA, a.Cert, a.Key, storeUser
	cfg.StorePassFile, err = secret("store-"+storeUser, storePassword)
	return cfg, errors.Join(failed, err)
}

// kafkaUsers makes the users of Kafka, with the rights of `millrace topics acls` and no other.
func (f *fleet) kafkaUsers(ctx context.Context) error {
	opts, err := f.servers.Access().KafkaAdmin()
	if err != nil {
		return err
	}
	cl, err := kgo.NewClient(append(opts, kgo.SeedBrokers(f.cfg.Brokers...))...)
	if err != nil {
		return err
	}
	adm := kadm.NewClient(cl)
	defer adm.Close()
	for user, roles := range map[string][]string{crawler: append(topics.GroupNames(), topics.RoleSeeds), looker: {topics.RoleLook}} {
		if err := cluster.AddUser(ctx, adm, user, user+"-pw"); err != nil {
			return err
		}
		for _, role := range roles {
			rights, err := topics.RightsOf(role)
			if err == nil {
				err = cluster.Grant(ctx, adm, user, rights...)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// storeUsers makes the users of Cassandra.
func (f *fleet) storeUsers() error {
	return f.servers.Exec(
		"CREATE ROLE "+crawler+" WITH PASSWORD = '"+crawler+"-pw' AND LOGIN = true",
		"CREATE ROLE "+looker+" WITH PASSWORD = '"+looker+"-pw' AND LOGIN = true",
		"GRANT SELECT ON KEYSPACE "+keyspace+" TO "+crawler,
		"GRANT MODIFY ON KEYSPACE "+keyspace+" TO "+crawler,
		"GRANT SELECT ON KEYSPACE "+keyspace+" TO "+looker,
	)
}

// login are the flags by which a process logs in.
func (f *fleet) login() []string {
	if !f.o.Secured {
		return nil
	}
	a := f.servers.Access()
	secret := func(name string) string { return filepath.Join(f.o.Dir, name+"-"+crawler+".secret") }
	return []string{
		"--kafka-ca", a.CA, "--kafka-sasl", "scram-sha-512", "--kafka-user", crawler, "--kafka-password-file", secret("kafka"),
		"--store-ca", a.CA, "--store-cert", a.Cert, "--store-key", a.Key, "--store-user", crawler, "--store-password-file", secret("store"),
	}
}

// one is the number of the server of a kind that fails next: each in its turn.
func (f *fleet) one(kind string) int {
	n := f.o.Brokers
	if kind == "node" {
		n = f.o.Nodes
	}
	f.hit++
	return (f.hit-1)%n + 1
}
