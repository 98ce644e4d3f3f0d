package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"millrace/streams"
	"millrace/streams/state/scylla"
	"millrace/topics"
)

// KafkaAccess holds the settings of TLS and login to the brokers. Secrets are in files, in the
// environment or in the config file; they have no flags.
type KafkaAccess struct {
	KafkaTLS        bool   `name:"kafka-tls" help:"speak TLS to the brokers; the next four settings mean it too"`
	KafkaCA         string `name:"kafka-ca" help:"PEM file of the authorities that signed the brokers' certificates; empty: those that this machine trusts"`
	KafkaCert       string `name:"kafka-cert" help:"PEM file of this client's certificate, for brokers that ask for one"`
	KafkaKey        string `name:"kafka-key" help:"PEM file of its key"`
	KafkaServerName string `name:"kafka-server-name" help:"the name in the brokers' certificates, if it is not the one in brokers"`
	KafkaSASL       string `name:"kafka-sasl" help:"login: plain, scram-sha-256, scram-sha-512 or oauthbearer; empty: none"`
	KafkaUser       string `name:"kafka-user" help:"name to log in to Kafka with"`
	KafkaPass       string `name:"kafka-password" secret:"yes" help:"its password; there is no flag for it, since everybody on the machine sees flags"`
	KafkaPassFile   string `name:"kafka-password-file" help:"file with its password, read again at every login"`
	KafkaTokenFile  string `name:"kafka-token-file" help:"file with the token of oauthbearer, read again at every login"`
}

// StoreAccess holds the settings of TLS and login to the store.
type StoreAccess struct {
	StoreTLS        bool   `name:"store-tls" help:"speak TLS to the store; the next four settings mean it too"`
	StoreCA         string `name:"store-ca" help:"PEM file of the authorities that signed the nodes' certificates; empty: those that this machine trusts"`
	StoreCert       string `name:"store-cert" help:"PEM file of this client's certificate, for nodes that ask for one"`
	StoreKey        string `name:"store-key" help:"PEM file of its key"`
	StoreServerName string `name:"store-server-name" help:"the name in the nodes' certificates, if it is not the one in store"`
	StoreUser       string `name:"store-user" help:"name to log in to the store with; empty: no login"`
	StorePass       string `name:"store-password" secret:"yes" help:"its password; there is no flag for it, since everybody on the machine sees flags"`
	StorePassFile   string `name:"store-password-file" help:"file with its password, read again at every login"`
	StoreDC         string `name:"store-dc" help:"local data centre: its nodes are asked, others only when it has none left; empty: all are near"`
}

func (k KafkaAccess) tls() bool {
	return k.KafkaTLS || k.KafkaCA != "" || k.KafkaCert != "" || k.KafkaKey != "" || k.KafkaServerName != ""
}

func (s StoreAccess) tls() bool {
	return s.StoreTLS || s.StoreCA != "" || s.StoreCert != "" || s.StoreKey != "" || s.StoreServerName != ""
}

// validateAccess returns an error for wrong settings of TLS and logins.
func (c Config) validateAccess() error {
	if err := c.validateDoor(); err != nil {
		return err
	}
	if c.Embedded() {
		switch {
		case c.KafkaAccess != KafkaAccess{}:
			return errors.New("the kafka-… settings are for clusters: nobody but this process reaches the broker in it")
		case c.StoreAccess != StoreAccess{}:
			return errors.New("the store-… settings are for clusters: the store of one process has no login")
		}
		return nil
	}
	for _, b := range c.Brokers {
		if strings.Contains(b, "@") {
			return errors.New("brokers: no name or password in an address, where logs and lists of processes show it: " +
				"set --kafka-sasl, --kafka-user, and --kafka-password-file or the variable MILLRACE_KAFKA_PASSWORD (or kafka-password in the config file)")
		}
		if strings.Contains(b, ":") { // without a port it is Kafka's, 9092
			if err := checkAddress("brokers", b); err != nil {
				return err
			}
		}
	}
	return errors.Join(c.KafkaAccess.validate(), c.StoreAccess.validate())
}

func (k KafkaAccess) validate() error {
	password := k.KafkaPass != "" || k.KafkaPassFile != ""
	switch {
	case k.KafkaSASL != "" && !slices.Contains(streams.Mechanisms(), k.KafkaSASL):
		return fmt.Errorf("kafka-sasl: %q is none of %s", k.KafkaSASL, strings.Join(streams.Mechanisms(), ", "))
	case k.KafkaSASL == "" && (k.KafkaUser != "" || password || k.KafkaTokenFile != ""):
		return errors.New("a login to Kafka needs its kind: set --kafka-sasl (" + strings.Join(streams.Mechanisms(), ", ") + ")")
	case k.KafkaPass != "" && k.KafkaPassFile != "":
		return errors.New("kafka-password and kafka-password-file: set one of them")
	case k.KafkaSASL == "oauthbearer" && k.KafkaTokenFile == "":
		return errors.New("kafka-sasl oauthbearer needs --kafka-token-file")
	case k.KafkaSASL == "oauthbearer" && (k.KafkaUser != "" || password):
		return errors.New("kafka-sasl oauthbearer has a token (--kafka-token-file), no user and no password")
	case k.KafkaSASL != "" && k.KafkaSASL != "oauthbearer" && (k.KafkaUser == "" || !password):
		return fmt.Errorf("kafka-sasl %s needs --kafka-user, and --kafka-password-file or the variable MILLRACE_KAFKA_PASSWORD", k.KafkaSASL)
	case k.KafkaSASL != "oauthbearer" && k.KafkaTokenFile != "":
		return errors.New("kafka-token-file is for --kafka-sasl oauthbearer")
	case (k.KafkaCert == "") != (k.KafkaKey == ""):
		return errors.New("kafka-cert and kafka-key go together")
	}
	return nil
}

func (s StoreAccess) validate() error {
	password := s.StorePass != "" || s.StorePassFile != ""
	switch {
	case password && s.StoreUser == "":
		return errors.New("store-password without store-user: whose is it?")
	case !password && s.StoreUser != "":
		return errors.New("store-user needs its password: --store-password-file, or the variable MILLRACE_STORE_PASSWORD")
	case s.StorePass != "" && s.StorePassFile != "":
		return errors.New("store-password and store-password-file: set one of them")
	case (s.StoreCert == "") != (s.StoreKey == ""):
		return errors.New("store-cert and store-key go together")
	}
	return nil
}

// kafka returns the options to reach the brokers of a cluster. It connects once, so that a wrong
// certificate or login is an error here.
func (c Config) kafka(ctx context.Context, log *slog.Logger) (streams.Options, error) {
	s := streams.Security{
		TLS: c.KafkaAccess.tls(), CAFile: c.KafkaCA, CertFile: c.KafkaCert, KeyFile: c.KafkaKey, ServerName: c.KafkaServerName,
		Mechanism: c.KafkaSASL, User: c.KafkaUser,
		Password: streams.NewSecret(c.KafkaPass, c.KafkaPassFile), Token: streams.NewSecret("", c.KafkaTokenFile),
	}
	if !s.TLS && (s.Mechanism == "plain" || s.Mechanism == "oauthbearer") {
		log.Warn("the login to Kafka is sent readable for everybody on the network: set --kafka-tls", "login", s.Mechanism)
	}
	client, err := s.Options()
	if err != nil {
		return streams.Options{}, fmt.Errorf("Kafka: %w", err)
	}
	opts := streams.Options{Brokers: c.Brokers, Client: client, Transactions: true}
	return opts, streams.CheckReach(ctx, opts)
}

// scylla returns the options to reach the store of a cluster.
func (c Config) scylla(log *slog.Logger) scylla.Options {
	opts := scylla.DefaultOptions()
	opts.Hosts, opts.Keyspace, _ = c.cql()
	opts.Logger, opts.LocalDC = log, c.StoreDC
	opts.Username, opts.Password, opts.PasswordFile = c.StoreUser, c.StorePass, c.StorePassFile
	opts.TLS, opts.CAFile, opts.CertFile, opts.KeyFile, opts.ServerName = c.StoreAccess.tls(), c.StoreCA, c.StoreCert, c.StoreKey, c.StoreServerName
	return opts
}

// checkRights asks the brokers whether this user has the rights that the roles need.
func checkRights(ctx context.Context, kafka streams.Options, roles ...string) error {
	var need []topics.Right
	for _, role := range roles {
		rights, err := topics.RightsOf(role)
		if err != nil {
			return err
		}
		for _, r := range rights {
			if !slices.Contains(need, r) {
				need = append(need, r)
			}
		}
	}
	return streams.CheckRights(ctx, kafka, need)
}

// namingRights adds to an error that says that brokers or store denied something which rights of a
// role are missing; Kafka's own error names none. Other errors stay as they are. role "" has no
// table of rights.
func namingRights(ctx context.Context, kafka streams.Options, role string, err error) error {
	if role == "" || ctx.Err() != nil || !streams.Denied(err) {
		return err
	}
	return errors.Join(checkRights(ctx, kafka, role), err)
}
