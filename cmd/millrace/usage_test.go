package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"millrace/topics"
)

func TestWrongCommandLinesSayWhatToDo(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	config := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(config, []byte("max-deph: 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"runn", 2, `unknown command "runn": did you mean millrace run? (see millrace help)`},
		{"runn --data NONE https://a.test/", 2, `unknown command "runn": did you mean millrace run? (see millrace help)`},
		{"--frob", 2, `unknown command "--frob" (see millrace help)`},
		{"produce", 2, `unknown command "produce": did you mean millrace produce seeds? (see millrace help)`},
		{"help serach", 2, `unknown command "serach": did you mean millrace search? (see millrace help)`},
		{"topics dog", 2, `usage: millrace topics (see millrace help topics)`},
		{"dead-letters put-bak 3", 2, `unknown command "dead-letters put-bak": did you mean millrace dead-letters put-back? (see millrace help)`},
		{"run --data NONE", 2, "nothing to crawl: NONE holds no crawl and no URL is given; begin with millrace run https://example.com/ --contact you@example.com (see millrace help run)"},
		{"run --data NONE https://a.test/", 2, "contact: a public crawl needs a URL or mail address where site owners reach you (--contact), or --allow-private for a test (see millrace help run)"},
		{"run --data NONE ftp://a.test/ --allow-private", 2, "ftp://a.test/ cannot be crawled: it begins with neither http nor https (see millrace help run)"},
		{"run --max-dept 3 https://a.test/", 2, "unknown flag --max-dept: did you mean --max-depth? (see millrace help run)"},
		{"run --delay 5 https://a.test/", 2, `--delay: "5" is not a duration such as 500ms, 2s or 1m30s (see millrace help run)`},
		{"run --scope world https://a.test/", 2, `scope: "world" is none of host, site, any (see millrace help run)`},
		{"run --log-level loud --allow-private https://a.test/", 2, `log-level: "loud" is none of debug, info, warn, error (see millrace help run)`},
		{"run --config CONFIG https://a.test/", 2, `CONFIG:1: unknown setting "max-deph": did you mean max-depth? (see millrace help run)`},
		{"search --data NONE", 2, "usage: millrace search [flags] QUERY… (see millrace help search)"},
		{"search --data NONE --size 0 x", 2, "--size must be from 1 to 100, and --from not negative (see millrace help search)"},
		{"search --data NONE x", 1, "there is no crawl in NONE: begin one with millrace run URL, or name its directory with --data"},
		{"status --data NONE", 1, "there is no crawl in NONE: begin one with millrace run URL, or name its directory with --data"},
		{"serve --data NONE", 1, "there is no crawl in NONE: begin one with millrace run URL, or name its directory with --data"},
		{"produce seeds --data NONE", 2, "no URLs: name some, or a list with --file (see millrace help produce seeds)"},
		{"produce seeds --data NONE https://a.test/", 1, "there is no crawl in NONE: begin one with millrace run URL, or name its directory with --data"},
		{"why --data NONE a b", 2, "usage: millrace why [flags] URL (see millrace help why)"},
		{"dead-letters put-back --data NONE", 2, "say which: numbers as millrace dead-letters lists them, or --all (see millrace help dead-letters put-back)"},
		{"dead-letters put-back --data NONE x", 2, `"x" is not a number as millrace dead-letters lists them (see millrace help dead-letters put-back)`},
		{"topics cat pages.fetched --data NONE -n 0", 2, "--number must be at least 1, and --partition at least 0 (see millrace help topics cat)"},
		{"topics cat page.fetched --data NONE", 2, `no topic "page.fetched": did you mean pages.fetched? (see millrace help topics cat)`},
		{"topics cat x --data NONE", 2, `no topic "x": there are urls.discovered, urls.scheduled, pages.fetched, feeds.fetched, files.fetched, docs.extracted, docs.unique, links.found, links, graph, ranks, near.found, near, control, dead.letters (see millrace help topics cat)`},
		{"recheck --data NONE mailto:x", 2, "mailto:x cannot be crawled: its port is not a number from 1 to 65535 (see millrace help recheck)"},
		{"recheck --data NONE ftp://x", 2, "ftp://x cannot be crawled: it begins with neither http nor https (see millrace help recheck)"},
		{"consume fetch --data NONE", 2, "consume is for clusters: give --brokers and --store; millrace run has all groups in one process (see millrace help consume)"},
		{"consume links --data NONE", 2, "consume is for clusters: give --brokers and --store; millrace run has all groups in one process (see millrace help consume)"},
		{"consume links --listen 127.0.0.1:0 --data NONE", 2, "consume is for clusters: give --brokers and --store; millrace run has all groups in one process (see millrace help consume)"},
		{"consume fetsch --data NONE", 2, `no group "fetsch": did you mean fetch? (groups: schedule, fetch, feeds, sitemaps, extract, documents, dedupe, index, links, ranks, near) (see millrace help consume)`},
		{"provision", 2, "provision is for clusters: give --brokers and --store; millrace run makes what it needs by itself (see millrace help provision)"},
		{"run --data NONE --allow-private notaurl", 2, "notaurl cannot be crawled: not a URL (see millrace help run)"},
		{"run --data NONE --allow-private --resolve foo https://a.test/", 2, `resolve: "foo" is not PATTERN=HOST:PORT (see millrace help run)`},
		{"run --data NONE --contact me https://a.test/", 2, `contact: "me" is neither a URL nor a mail address, so site owners could not reach you (see millrace help run)`},
		{"run --data NONE --contact me@host https://a.test/", 2, `contact: "me@host" is neither a URL nor a mail address, so site owners could not reach you (see millrace help run)`},
		{"provision --brokers x:1 --store cql://u:secret@y:1/k", 2, "store: no name or password in the address, where logs and lists of processes show it: " +
			"set --store-user, and --store-password-file or the variable MILLRACE_STORE_PASSWORD (or store-password in the config file) (see millrace help provision)"},
		{"lag --brokers u:secret@x:1 --store cql://y:1/k", 2, "brokers: no name or password in an address, where logs and lists of processes show it: " +
			"set --kafka-sasl, --kafka-user, and --kafka-password-file or the variable MILLRACE_KAFKA_PASSWORD (or kafka-password in the config file) (see millrace help lag)"},
		{"provision --brokers x:1 --store cql://y:1/k --store-password secret", 2, "--store-password is not for the command line, where everybody on the machine sees it: " +
			"set the variable MILLRACE_STORE_PASSWORD, or store-password in the config file, or name a file with --store-password-file (see millrace help provision)"},
		{"lag --brokers x:1 --store cql://y:1/k --store-password-file f", 2, "store-password without store-user: whose is it? (see millrace help lag)"},
		{"lag --brokers x:1 --store cql://y:1/k --kafka-sasl scram", 2, `kafka-sasl: "scram" is none of plain, scram-sha-256, scram-sha-512, oauthbearer (see millrace help lag)`},
		{"lag --brokers x:1 --store cql://y:1/k --kafka-user u", 2, "a login to Kafka needs its kind: set --kafka-sasl (plain, scram-sha-256, scram-sha-512, oauthbearer) (see millrace help lag)"},
		{"lag --brokers x:1 --store cql://y:1/k --kafka-sasl plain --kafka-user u", 2, "kafka-sasl plain needs --kafka-user, and --kafka-password-file or the variable MILLRACE_KAFKA_PASSWORD (see millrace help lag)"},
		{"lag --brokers x:1 --store cql://y:1/k --kafka-sasl oauthbearer", 2, "kafka-sasl oauthbearer needs --kafka-token-file (see millrace help lag)"},
		{"lag --brokers x:1 --store cql://y:1/k --kafka-cert f", 2, "kafka-cert and kafka-key go together (see millrace help lag)"},
		{"lag --brokers x:1 --store cql://y:1/k --kafka-sasl scram-sha-512 --kafka-user u --kafka-password-file NONE", 1, "Kafka: password: open NONE: no such file or directory"},
		{"lag --kafka-tls", 2, "the kafka-… settings are for clusters: nobody but this process reaches the broker in it (see millrace help lag)"},
		{"replay extract", 2, "--new-edition: documents are replaced by those of a higher edition; the first is 1, so name 2 or more (see millrace help replay extract)"},
		{"replay extract --new-edition 2 --from yesterday", 2, `--from: "yesterday" is no time like 2026-05-01 or 2026-05-01T12:00:00Z, and no duration like 2h (see millrace help replay extract)`},
		{"replay", 2, `unknown command "replay": did you mean millrace replay extract? (see millrace help)`},
		{"topics cat docs.unique --offset 3", 2, "--offset needs --partition: offsets are counted in each of them (see millrace help topics cat)"},
		{"topics acls fetsch", 2, `no role "fetsch": did you mean fetch? (roles: ` + strings.Join(topics.Roles(), ", ") + `) (see millrace help topics acls)`},
		{"topics acls --user a'b", 2, `--user: "a'b" is no name of a principal (see millrace help topics acls)`},
		{"topics acls --json --commands", 2, "--json and --commands: choose one (see millrace help topics acls)"},
		{"topics ct", 2, `unknown command "topics ct": did you mean millrace topics cat? (see millrace help)`},
		{"topics docs.unique", 2, `unknown command "topics docs.unique": records are read with millrace topics cat docs.unique (see millrace help topics)`},
		{"run --data NONE --partitions 4294967300 https://a.test/", 2, "partitions, doc-partitions: 4294967300: must be a power of two from 1 to 4096 (see millrace help run)"},
		{"run --data NONE --edition 9223372036854775807 https://a.test/", 2, "edition: 9223372036854775807 is not between 1 and 1000000000 (see millrace help run)"},
		{"run --data NONE --listen 8080 https://a.test/", 2, `listen: "8080" is not of the form HOST:PORT, such as 127.0.0.1:8080, with a port up to 65535 (see millrace help run)`},
		{"run --data NONE --kafka-listen localhost:99999 https://a.test/", 2, `kafka-listen: "localhost:99999" is not of the form HOST:PORT, such as 127.0.0.1:8080, with a port up to 65535 (see millrace help run)`},
		{"run --data NONE --serve-name https://search.test/ https://a.test/", 2, `serve-name: "https://search.test/" is no host name: write it like search.example.org, without scheme, port and path (see millrace help run)`},
		{"run --data NONE --user-agent é https://a.test/", 2, `user-agent: "é" must be one word, the name that robots.txt files use: of letters, digits, "-", "_" and "." (see millrace help run)`},
		{"lag --brokers x:99999 --store cql://y:1/k", 2, `brokers: "x:99999" is not of the form HOST:PORT, such as 127.0.0.1:8080, with a port up to 65535 (see millrace help lag)`},
		{"topics cat links --data NONE --offset -5", 2, "--offset must be at least 0 (see millrace help topics cat)"},
		{"lag --brokers x:1 --store cql://y:1/k --partitions 4", 2, "unknown flag --partitions (see millrace help lag)"},
		{"consume all --allow-private --brokers x:1 --store cql://y:1/k --member a/b", 2, `member: "a/b" must be one word, of letters, digits, "-", "_" and "." (see millrace help consume)`},
		{"pause --data NONE --host=", 2, "--host is empty: give it a value, or leave it out (see millrace help pause)"},
		{"rules add --data NONE --site= exclude", 2, "--site is empty: give it a value, or leave it out (see millrace help rules add)"},
		{"run --brokers x:1 https://a.test/", 2, "brokers and store go together: give both for a cluster, or neither for one process (see millrace help run)"},
	} {
		args := strings.Fields(strings.NewReplacer("NONE", none, "CONFIG", config).Replace(test.args))
		a := use(t, args...)
		got := strings.NewReplacer(none, "NONE", config, "CONFIG").Replace(a.err)
		if want := "millrace: " + test.want + "\n"; a.code != test.code || got != want || a.out != "" {
			t.Errorf("%s: exit %d, want %d\n got  %s\n want %s\n out %s", test.args, a.code, test.code, got, want, a.out)
		}
	}
	if _, err := os.Stat(none); err == nil {
		t.Errorf("a command that failed made %s", none)
	}
	if a := use(t); a.code != exitUsage || !strings.Contains(a.err, "millrace help COMMAND") {
		t.Errorf("without arguments: exit %d: %s", a.code, a.err)
	}
}

func TestAnswersWithoutACrawl(t *testing.T) {
	want(t, []string{"millrace "}, "version")
	want(t, []string{"millrace "}, "--version")
	want(t, []string{"urls.discovered", "dead.letters", "keeps the frontier"}, "topics")
	want(t, []string{"dedupe     millrace-dedupe", "transactional-id  millrace-dedupe-*", "Write"}, "topics", "acls")
	want(t, []string{"--allow-principal 'User:me' --operation Read --operation Write --topic 'docs.unique' --resource-pattern-type literal\n",
		"--operation Write --transactional-id 'millrace-dedupe-' --resource-pattern-type prefixed\n"}, "topics", "acls", "dedupe", "--user", "me", "--commands")
	want(t, []string{`{"role":"fetch","user":"millrace-fetch","resource":"group","name":"fetch","pattern":"literal","operation":"Read"}`}, "topics", "acls", "fetch", "--json")
	want(t, []string{"Usage:\n  millrace search"}, "help", "search")
}
