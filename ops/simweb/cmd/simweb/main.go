// Command simweb serves a synthetic web, tells the truth about it, judges who
// crawled it, and measures what serving costs.
//
//	simweb serve --profile news --listen 127.0.0.1:8080 --admin 127.0.0.1:8081
//	simweb judge --admin 127.0.0.1:8081 --delay 1s [--json] [--seeds 10 --depth 3 …]
//	simweb truth --admin 127.0.0.1:8081 --seeds 10 [--depth 3 --hops 5 --agent millrace --scope host|site|any
//	             --feeds --sitemaps --alternates --robots=false]
//	simweb page  --admin 127.0.0.1:8081 http://h1.site0.test/
//	simweb items --admin 127.0.0.1:8081 h1.site0.test
//	simweb bench --rate 5000 --time 10s --busy
//	simweb profiles
//
// A crawler reaches the web as a proxy at the listen address, or by sending any
// host name there.
//
// truth prints every URL that a crawl under these rules reaches from the web's
// start until now, the documents with the URL that should stand for each, and
// their near-duplicates; judge takes the same rules for completeness. page prints
// what stands at a URL, when it appears and disappears, and each change up to now.
// items prints when each item of a host's feeds appeared. Each asks the admin
// address: GET /truth, /page?url=, /items?host= and /report, all JSON, with the
// flags as parameters. Changes and items go back to the first moment of the web,
// which its profile's history puts before its start.
//
// Caveats: bench needs getrusage (Linux, macOS). truth holds every URL within reach
// in the server's memory (see package truth) and takes processor time from the web
// it serves: ask after a crawl, not during one that is measured.
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

	"millrace/ops/simweb"
	"millrace/ops/simweb/profile"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "simweb:", err)
		os.Exit(1)
	}
}

// commands are those a person gives.
const commands = "serve, judge, truth, page, items, bench, profiles"

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("say " + commands)
	}
	switch args[0] {
	case "serve":
		return serve(ctx, args[1:], out)
	case "judge":
		return judgeIt(ctx, args[1:], out)
	case "truth":
		return tellTruth(ctx, args[1:], out)
	case "page":
		return tellPage(ctx, args[1:], out)
	case "items":
		return tellItems(ctx, args[1:], out)
	case "bench":
		return measure(ctx, args[1:], out)
	case "spin": // bench's own
		return spin(ctx)
	case "profiles":
		return listProfiles(out)
	}
	return fmt.Errorf("no command %q; there are %s", args[0], commands)
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
