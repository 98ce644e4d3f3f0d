//go:build linux

// Command cmd turns "up" and "down" into the servers of package cluster for the
// people and scripts that have no Go program around them:
//
//	eval "$(go run ./ops/cluster/cmd up)"            # 1 broker, 1 node; sets the variables that tests read
//	go run ./ops/cluster/cmd up --brokers 3 --nodes 3 --dir DIR
//	eval "$(go run ./ops/cluster/cmd up --search 1)" # with an OpenSearch
//	eval "$(go run ./ops/cluster/cmd up --secured --dir DIR)"   # with TLS, passwords and rights
//	go run ./ops/cluster/cmd status --dir DIR        # exit status 1 unless all run
//	go run ./ops/cluster/cmd down --dir DIR          # ends the servers, keeps their data
//	go run ./ops/cluster/cmd wipe --dir DIR          # ends the servers, deletes their data
//
// Standard output is for eval, standard error for people.
//
// Caveats: those of package cluster.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"millrace/ops/cluster"
	"millrace/ops/cluster/clustertest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	verb := ""
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	o := cluster.DefaultOptions()
	o.Log = slog.New(slog.NewTextHandler(stderr, nil))
	flags := flag.NewFlagSet("cluster "+verb, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.Dir, "dir", o.Dir, "the cluster's `folder`")
	if verb == "up" {
		flags.IntVar(&o.Brokers, "brokers", o.Brokers, "Kafka servers: 0, 1 or 3")
		flags.IntVar(&o.Nodes, "nodes", o.Nodes, "Cassandra nodes: 0, 1 or 3")
		flags.IntVar(&o.Search, "search", o.Search, "OpenSearch nodes: 0 or 1")
		flags.BoolVar(&o.Secured, "secured", false, "TLS, passwords and rights; prints what clients need")
		flags.BoolVar(&o.Synced, "synced", false, "Cassandra acknowledges what is on its disk: it loses nothing with kill -9")
		flags.IntVar(&o.PortBase, "port-base", o.PortBase, "lowest of 30 `ports`; 0: a free range")
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch verb {
	case "up":
		return up(ctx, o, stdout)
	case "down":
		return end(o, (*cluster.Cluster).Down)
	case "wipe":
		return end(o, (*cluster.Cluster).Wipe)
	case "status":
		return status(o, stdout)
	}
	return fmt.Errorf("cluster: %q is not one of up, down, wipe, status", verb)
}

func up(ctx context.Context, o cluster.Options, stdout io.Writer) error {
	c, err := cluster.Up(ctx, o)
	if err != nil {
		return err
	}
	export(stdout, clustertest.KafkaVar, c.KafkaAddrs())
	export(stdout, clustertest.CQLVar, c.CQLAddrs())
	if url := c.SearchURL(); url != "" {
		export(stdout, clustertest.SearchVar, []string{url})
	}
	if o.Secured {
		a := c.Access()
		fmt.Fprintf(stdout, "# Kafka: SCRAM-SHA-512 over TLS, super user %s; Cassandra: super user %s\n", a.Admin, a.CQLUser)
		for _, v := range [][]string{{"MILLRACE_KAFKA_CA", a.CA}, {"MILLRACE_KAFKA_SASL", "scram-sha-512"}, {"MILLRACE_KAFKA_USER", a.Admin},
			{"MILLRACE_KAFKA_PASSWORD", a.Password}, {"MILLRACE_STORE_CA", a.CA},
			{"MILLRACE_STORE_CERT", a.Cert}, {"MILLRACE_STORE_KEY", a.Key}, {"MILLRACE_STORE_USER", a.CQLUser}, {"MILLRACE_STORE_PASSWORD", a.CQLPassword}} {
			export(stdout, v[0], v[1:])
		}
	}
	return nil
}

func export(w io.Writer, name string, addrs []string) {
	if len(addrs) > 0 {
		fmt.Fprintf(w, "export %s=%s\n", name, strings.Join(addrs, ","))
	}
}

// end is content where there is no cluster: nothing is left to end.
func end(o cluster.Options, how func(*cluster.Cluster) error) error {
	c, err := cluster.Open(o.Dir, o.Log)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return how(c)
}

func status(o cluster.Options, stdout io.Writer) error {
	c, err := cluster.Open(o.Dir, o.Log)
	if err != nil {
		return err
	}
	stopped := 0
	for _, s := range c.Status() {
		state := fmt.Sprintf("pid %d", s.PID)
		if s.PID == 0 {
			state = "stopped"
			stopped++
		}
		fmt.Fprintf(stdout, "%-9s %-16s %s\n", s.Name, s.Addr, state)
	}
	if stopped > 0 {
		return fmt.Errorf("cluster: %d stopped", stopped)
	}
	return nil
}
