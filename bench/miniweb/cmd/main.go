// Command miniweb serves sites made of Debian documentation packages.
//
//	go run ./bench/miniweb/cmd --list ../shared/data/miniweb/hosts.json python.en.test
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"millrace/bench/miniweb"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "miniweb:", err)
		os.Exit(1)
	}
}

func run() error {
	list := flag.String("list", "../shared/data/miniweb/hosts.json", "list of hosts")
	cache := flag.String("cache", filepath.Join(os.TempDir(), "millrace-miniweb"), "where packages are unpacked")
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	hosts, err := miniweb.Load(ctx, *list, *cache, flag.Args()...)
	if err != nil {
		return err
	}
	s, err := miniweb.Serve(*addr, hosts)
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Println("listening on", s.Addr())
	for _, h := range hosts {
		fmt.Printf("try: millrace run --until-idle --delay 0s --allow-private --resolve '*.test=%s' http://%s%s\n", s.Addr(), h.Name, h.Seeds[0])
	}
	<-ctx.Done()
	return nil
}
