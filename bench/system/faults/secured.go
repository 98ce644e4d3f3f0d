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
func (r *run) provisionServers(ctx context.Context) error {
	quiet := slog.New(slog.DiscardHandler)
	if !r.o.Secured {
		_, err := wire.Provision(ctx, r.cfg, quiet)
		return err
	}
	a := r.servers.Access()
	admin, err := r.as(a.Admin, a.Password, a.CQLUser, a.CQLPassword)
	if err != nil {
		return err
	}
	if _, err := wire.Provision(ctx, admin, quiet); err != nil {
		return err
	}
	if err := errors.Join(r.kafkaUsers(ctx), r.storeUsers()); err != nil {
		return err
	}
	if _, err := r.as(crawler, crawler+"-pw", crawler, crawler+"-pw"); err != nil { // writes what login names
		return err
	}
	r.cfg, err = r.as(looker, looker+"-pw", looker, looker+"-pw")
	return err
}

// as returns the settings of a user.
func (r *run) as(kafkaUser, kafkaPassword, storeUser, storePassword string) (wire.Config, error) {
	cfg, a := r.cfg, r.servers.Access()
	secret := func(name, text string) (string, error) {
		path := filepath.Join(r.o.Dir, name+".secret")
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
func (r *run) kafkaUsers(ctx context.Context) error {
	opts, err := r.servers.Access().KafkaAdmin()
	if err != nil {
		return err
	}
	cl, err := kgo.NewClient(append(opts, kgo.SeedBrokers(r.cfg.Brokers...))...)
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
func (r *run) storeUsers() error {
	return r.servers.Exec(
		"CREATE ROLE "+crawler+" WITH PASSWORD = '"+crawler+"-pw' AND LOGIN = true",
		"CREATE ROLE "+looker+" WITH PASSWORD = '"+looker+"-pw' AND LOGIN = true",
		"GRANT SELECT ON KEYSPACE "+keyspace+" TO "+crawler,
		"GRANT MODIFY ON KEYSPACE "+keyspace+" TO "+crawler,
		"GRANT SELECT ON KEYSPACE "+keyspace+" TO "+looker,
	)
}

// login are the flags by which a process logs in.
func (r *run) login() []string {
	if !r.o.Secured {
		return nil
	}
	a := r.servers.Access()
	secret := func(name string) string { return filepath.Join(r.o.Dir, name+"-"+crawler+".secret") }
	return []string{
		"--kafka-ca", a.CA, "--kafka-sasl", "scram-sha-512", "--kafka-user", crawler, "--kafka-password-file", secret("kafka"),
		"--store-ca", a.CA, "--store-cert", a.Cert, "--store-key", a.Key, "--store-user", crawler, "--store-password-file", secret("store"),
	}
}

// one is the number of the server of a kind that fails next: each in its turn.
func (r *run) one(kind string) int {
	n := r.o.Brokers
	if kind == "node" {
		n = r.o.Nodes
	}
	r.hit++
	return (r.hit-1)%n + 1
}
