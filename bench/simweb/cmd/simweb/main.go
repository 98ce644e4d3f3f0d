// Command simweb serves a synthetic web, judges who crawled it, and measures
// what serving costs.
//
//	simweb serve --profile news --listen 127.0.0.1:8080 --admin 127.0.0.1:8081
//	simweb judge --admin 127.0.0.1:8081 --delay 1s [--json] [--seeds 10 --depth 3]
//	simweb bench --rate 5000 --time 10s --busy
//	simweb profiles
//
// A crawler reaches the web as a proxy at the listen address, or by sending any
// host name there.
//
// Caveats: bench needs getrusage (Linux, macOS).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"millrace/bench/simweb"
	"millrace/bench/simweb/profile"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "simweb:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("say serve, judge, bench or profiles")
	}
	switch args[0] {
	case "serve":
		return serve(ctx, args[1:], out)
	case "judge":
		return judgeIt(ctx, args[1:], out)
	case "bench":
		return measure(ctx, args[1:], out)
	case "spin": // bench's own
		return spin(ctx)
	case "profiles":
		return listProfiles(out)
	}
	return fmt.Errorf("no command %q; there are serve, judge, bench, profiles", args[0])
}

func listProfiles(out io.Writer) error {
	for _, name := range profile.Names() {
		p, err := simweb.Load(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-12s %s\n", name, strings.TrimSpace(p.About))
	}
	return nil
}
