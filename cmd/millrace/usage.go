package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"millrace/cmd/settings"
	"millrace/cmd/wire"
)

// sections groups the settings for help texts and the example file.
func sections() []settings.Section {
	return []settings.Section{
		{Title: "What is crawled", Names: []string{
			"scope SCOPE", "max-depth N", "max-pages N", "max-pages-host N", "max-pages-site N", "max-mib-host N", "max-urls-host N", "max-hosts-site N", "rules FILE", "order ORDER", "traps", "learn PERCENT", "no-index",
		}},
		{Title: "How the web is treated", Names: []string{
			"polite-by KEY", "delay DURATION", "delay-site DURATION", "delay-ip DURATION", "user-agent NAME", "contact CONTACT", "requests N", "max-file MIB", "ports PORTS", "allow-private", "resolve PATTERN=HOST:PORT",
		}},
		{Title: "How fresh it stays", Names: []string{
			"recrawl DURATION", "recrawl-min DURATION", "recrawl-max DURATION", "recrawl-share PERCENT", "recrawl-by WHAT", "feed-min DURATION", "feed-max DURATION", "websub ADDRESS", "indexnow",
		}},
		{Title: "When it ends", Names: []string{
			"until-idle", "idle-wait DURATION",
		}},
		{Title: "Taps: the crawl as files", Names: []string{
			"tap TAP", "roll-mib N", "roll-every DURATION", "tap-wait DURATION",
		}},
		{Title: "Where things are", Names: []string{
			"data DIR", "keep-free MIB", "listen ADDR", "serve-name NAME", "public-search", "kafka-listen ADDR", "kafka-advertise HOST:PORT", "kafka-listen-cert FILE", "kafka-listen-key FILE", "config FILE",
		}},
		{Title: "On a cluster", Names: []string{
			"brokers HOST:PORT,…", "store URL", "peers HOST:PORT", "partitions N", "doc-partitions N", "replicas N", "member NAME", "group-protocol NAME",
		}},
		{Title: "A Kafka with TLS or logins", Names: []string{
			"kafka-tls", "kafka-ca FILE", "kafka-cert FILE", "kafka-key FILE", "kafka-server-name NAME", "kafka-sasl KIND", "kafka-user NAME", "kafka-password", "kafka-password-file FILE", "kafka-token-file FILE",
		}},
		{Title: "A store with TLS or logins", Names: []string{
			"store-tls", "store-ca FILE", "store-cert FILE", "store-key FILE", "store-server-name NAME", "store-user NAME", "store-password", "store-password-file FILE", "store-dc NAME",
		}},
		{Title: "Other", Names: []string{
			"edition N", "log-level LEVEL", "log-format FORMAT", "cpuprofile FILE",
		}},
	}
}

// everything names all settings.
func everything() []string {
	var out []string
	for _, s := range sections() {
		out = append(out, s.Flags()...)
	}
	return out
}

// looking names the settings of commands that look at a crawl.
func looking() []string { return []string{"data", "config", "brokers", "store"} }

// access names the settings of TLS and logins. Every command that reaches a cluster has them as
// flags; helps of commands that only look at a crawl name them in one line.
func access() []string {
	var out []string
	for _, s := range sections() {
		if strings.Contains(s.Title, "TLS or logins") {
			out = append(out, s.Flags()...)
		}
	}
	return out
}

// hidden names the settings that the command has as flags and its help does not list.
func (cmd command) hidden() []string {
	if !slices.Contains(cmd.settings, "brokers") || slices.Contains(cmd.settings, access()[0]) {
		return nil
	}
	return access()
}

// only returns the part of a section that a command has.
func only(s settings.Section, names []string) settings.Section {
	out := settings.Section{Title: s.Title}
	for i, name := range s.Flags() {
		if slices.Contains(names, name) {
			out.Names = append(out.Names, s.Names[i])
		}
	}
	return out
}

// usage writes the command's help.
func (cmd command) usage(w io.Writer) error {
	fmt.Fprintf(w, "millrace %s: %s\n\nUsage:\n  millrace %s\n", cmd.name, cmd.about, cmd.line())
	if cmd.long != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(cmd.long))
	}
	if cmd.examples != "" {
		fmt.Fprintf(w, "\nExamples:\n")
		for line := range strings.Lines(strings.TrimSpace(cmd.examples)) {
			fmt.Fprintf(w, "  %s\n", strings.TrimSpace(line))
		}
	}
	if cmd.own != nil {
		own, err := settings.New(cmd.own, "")
		if err != nil {
			return err
		}
		if err := own.Help(w, cmd.section); err != nil {
			return err
		}
	}
	return cmd.sharedFlags(w)
}

func (cmd command) sharedFlags(w io.Writer) error {
	cfg := wire.DefaultConfig()
	shared, err := settings.New(&cfg, "MILLRACE")
	if err != nil {
		return err
	}
	for _, s := range sections() {
		if s = only(s, cmd.settings); len(s.Names) == 0 {
			continue
		}
		if err := shared.Help(w, s); err != nil {
			return err
		}
	}
	if cmd.hidden() != nil {
		fmt.Fprintf(w, "\nFor a cluster with TLS or logins it has the flags --kafka-… and --store-… that millrace help serve\nlists.\n")
	}
	which := "Every flag"
	if cmd.own != nil {
		which = "Every flag but the first group"
	}
	if len(cmd.settings) > 0 {
		fmt.Fprintf(w, "\n%s can be set by a variable (MILLRACE_DATA for --data) or in the config file too.\n", which)
	}
	return nil
}

// overview writes what there is.
func overview(w io.Writer) {
	fmt.Fprint(w, `millrace crawls the web into a search index that keeps itself up to date.

Begin with:
  millrace run https://example.com/ --contact you@example.com
  millrace search "what you look for"
`)
	for _, chapter := range chapters() {
		fmt.Fprintf(w, "\n%s:\n", chapter.title)
		for _, cmd := range chapter.commands {
			fmt.Fprintf(w, "  %-14s %s\n", cmd.name, cmd.about)
		}
	}
	fmt.Fprint(w, "\nmillrace help COMMAND says more about one of them.\n")
}
