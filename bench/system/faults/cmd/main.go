//go:build linux

// Command cmd runs package faults:
//
//	go run ./bench/system/faults/cmd                       20 faults of all kinds, about 12 minutes
//	go run ./bench/system/faults/cmd -faults 6 -seed 7
//	go run ./bench/system/faults/cmd -kinds freeze,broker  of these kinds alone
//	go run ./bench/system/faults/cmd -brokers 3 -nodes 3 -secured -faults 4 -hosts 4 -patience 3 -kinds kill,broker,store
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"millrace/bench/system/faults"
)

func main() {
	o := faults.DefaultOptions()
	o.Log = os.Stdout
	kinds := ""
	flag.IntVar(&o.Faults, "faults", o.Faults, "how many")
	flag.Uint64Var(&o.Seed, "seed", o.Seed, "of the web and the faults")
	flag.StringVar(&kinds, "kinds", "", fmt.Sprintf("of these kinds alone: some of %v", faults.Kinds()))
	flag.IntVar(&o.Hosts, "hosts", o.Hosts, "of the web")
	flag.IntVar(&o.Pages, "pages", o.Pages, "of a host; 0: as many as the faults need")
	flag.IntVar(&o.Between, "between", o.Between, "requests from one fault to the next")
	flag.DurationVar(&o.Delay, "delay", o.Delay, "between two requests to a host")
	flag.IntVar(&o.Brokers, "brokers", o.Brokers, "of Kafka: 1 or 3")
	flag.IntVar(&o.Nodes, "nodes", o.Nodes, "of Cassandra: 1 or 3")
	flag.BoolVar(&o.Secured, "secured", o.Secured, "TLS, SCRAM and rights on all of them")
	flag.IntVar(&o.Patience, "patience", o.Patience, "multiplies how long things may take before they count as a hang")
	flag.StringVar(&o.Dir, "dir", "", "where everything is kept; empty: a temporary folder, deleted if all holds")
	flag.Parse()
	for k := range strings.SplitSeq(kinds, ",") {
		if k != "" {
			o.Kinds = append(o.Kinds, faults.Kind(k))
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run reports whether all held.
func run(ctx context.Context, o faults.Options) (bool, error) {
	temporary := o.Dir == ""
	if temporary {
		var err error
		if o.Dir, err = os.MkdirTemp("", "millrace-faults-"); err != nil {
			return false, err
		}
	}
	v, err := faults.Run(ctx, o)
	fmt.Printf("\n%d faults in %s: %d requests, %d documents, least gap %s, %d repeats of %d unacknowledged\n",
		len(v.Faults), v.Took, v.Requests, v.Documents, v.Least, v.Repeats, v.Allowed)
	for _, x := range v.Offences {
		fmt.Printf("OFFENCE %s\n", x)
	}
	if err != nil || len(v.Offences) > 0 {
		fmt.Printf("logs: %s\n", o.Dir)
		return false, err
	}
	fmt.Println("all holds")
	if temporary {
		return true, os.RemoveAll(o.Dir)
	}
	return true, nil
}
