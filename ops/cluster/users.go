//go:build linux

package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/gocql/gocql"
	"github.com/twmb/franz-go/pkg/kadm"

	"millrace/topics"
)

// Exec runs statements of CQL, as the super user where the nodes ask for a login.
func (c *Cluster) Exec(statements ...string) error {
	cfg := gocql.NewCluster(c.CQLAddrs()...)
	cfg.Timeout = 20 * time.Second // a change of the schema on a busy machine
	cfg.Logger = quiet{}
	c.Access().CQLAdmin(cfg)
	session, err := cfg.CreateSession()
	if err != nil {
		return err
	}
	defer session.Close()
	for _, s := range statements {
		if err := session.Query(s).Exec(); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// AddUser makes a user of Kafka who logs in with SCRAM-SHA-256 or -512.
func AddUser(ctx context.Context, adm *kadm.Client, name, password string) error {
	for _, m := range []kadm.ScramMechanism{kadm.ScramSha256, kadm.ScramSha512} {
		done, err := adm.AlterUserSCRAMs(ctx, nil, []kadm.UpsertSCRAM{{User: name, Mechanism: m, Iterations: 4096, Password: password}})
		if err == nil {
			err = done.Error()
		}
		if err != nil {
			return fmt.Errorf("user %s: %w", name, err)
		}
	}
	return nil
}

// Grant gives a principal of Kafka rights.
func Grant(ctx context.Context, adm *kadm.Client, principal string, rights ...topics.Right) error {
	for _, r := range rights {
		done, err := adm.CreateACLs(ctx, ACL(principal, r))
		for _, d := range done {
			if err == nil {
				err = d.Err
			}
		}
		if err != nil {
			return fmt.Errorf("grant %s %v: %w", principal, r, err)
		}
	}
	return nil
}

// ACL is the entry of Kafka's authorizer that gives a principal a right.
func ACL(principal string, r topics.Right) *kadm.ACLBuilder {
	op := map[topics.Operation]kadm.ACLOperation{
		topics.Read: kadm.OpRead, topics.Write: kadm.OpWrite, topics.Describe: kadm.OpDescribe, topics.Create: kadm.OpCreate,
		topics.DescribeConfigs: kadm.OpDescribeConfigs, topics.AlterConfigs: kadm.OpAlterConfigs,
	}[r.Operation]
	b := kadm.NewACLs().Allow("User:" + principal).AllowHosts("*").Operations(op).ResourcePatternType(kadm.ACLPatternLiteral)
	if r.Prefixed {
		b = b.ResourcePatternType(kadm.ACLPatternPrefixed)
	}
	switch r.Resource {
	case topics.GroupResource:
		return b.Groups(r.Name)
	case topics.TransactionResource:
		return b.TransactionalIDs(r.Name)
	}
	return b.Topics(r.Name)
}
