package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"millrace/ops/watch"
	"millrace/ops/web"
)

// An operator steers a crawl that runs: what he decides holds, and is there when it runs again.
func TestAnOperatorSteersACrawl(t *testing.T) {
	site, _ := newSite(t)
	dir := t.TempDir()
	at := func(args ...string) []string { return append(args, "--data", dir) }
	r := start(t, flags(dir, "--delay", "5ms", site+"/page1")...)
	untilSays(t, at("status"), "documents              5")

	want(t, []string{"Looked at 11 URLs (all that are known in its scope): 5 would change.", "5  taken → left out", site + "/nothing3"},
		at("rules", "test", "exclude /nothing")...)
	want(t, []string{"r-", "exclude /nothing, everywhere", "In force everywhere within 5 s."}, at("rules", "add", "exclude /nothing", "--note", "they are not there")...)
	want(t, []string{"exclude /nothing", "default-images"}, at("rules", "list")...)
	want(t, []string{"Looked at 11 URLs", "0 would change."}, at("rules", "test", "exclude /nothing2")...)
	against := use(t, at("rules", "add", "include /nothing")...)
	if against.code != exitOK || !strings.Contains(against.err, "exclude /nothing (r-") || !strings.Contains(against.err, "decides, since it is older") {
		t.Errorf("a contradiction: exit %d: %s", against.code, against.err)
	}
	want(t, []string{"removed"}, at("rules", "remove", strings.Fields(against.out)[0])...)

	want(t, []string{"Removed, and kept out: " + site + "/page2"}, at("forget", site+"/page2")...)
	untilSays(t, at("search", `"wheel number 2 turns"`), "0 of 4 pages")
	want(t, []string{"Removed by an operator", "decided by"}, at("why", site+"/page2")...)
	want(t, []string{"forgotten"}, at("urls", site+"/page2")...)
	for _, args := range [][]string{{"recheck", site + "/page2"}, {"produce", "seeds", site + "/page2"}, {"produce", "seeds", site + "/nothing7"}} {
		if a := use(t, at(args...)...); a.code != exitFailure || !strings.Contains(a.err, ": kept out by ") || a.out != "" {
			t.Errorf("%v: exit %d: %s%s", args, a.code, a.err, a.out)
		}
	}

	want(t, []string{"Paused everywhere"}, at("pause")...)
	want(t, []string{"paused by an operator: everywhere"}, at("status")...)
	if a := use(t, at("try", "--allow-private", "--delay", "0s", site+"/page3")...); a.code != exitFailure || !strings.Contains(a.err, "while it is paused") || a.out != "" {
		t.Errorf("try on a paused host: exit %d: %s%s", a.code, a.err, a.out)
	}
	want(t, []string{"Paused", "The crawl knows nothing of the site example.com"}, at("pause", "--site", "example.com")...)
	want(t, []string{"Paused", "The crawl knows nothing of the host www.example.com"}, at("pause", "--host", "www.example.com")...)
	if a := use(t, at("pause", "--host", "127.0.0.1")...); a.code != exitOK || strings.Contains(a.out, "knows nothing") {
		t.Errorf("pause of a known host: exit %d: %s%s", a.code, a.err, a.out)
	}
	for _, of := range []string{"--site=example.com", "--host=www.example.com", "--host=127.0.0.1"} {
		want(t, []string{"Resumed"}, at("resume", of)...)
	}
	want(t, []string{"Resumed everywhere"}, at("resume")...)
	want(t, []string{"Added 1 URL."}, at("produce", "seeds", site+"/locked")...)
	untilSays(t, at("hosts"), "later tries of what failed, the next at ")
	want(t, []string{"Paused everywhere"}, at("pause")...)
	want(t, []string{"In force"}, at("rules", "add", "delay 7ms", "--host", "127.0.0.1")...)
	want(t, []string{"delay between requests", "7ms"}, at("why", site+"/page3")...)
	want(t, []string{"0 would change."}, at("rules", "test", "delay 1ms", "--host", "127.0.0.1")...)
	want(t, []string{"asked every 7ms → asked every 5s"}, at("rules", "test", "delay 5s", "--host", "127.0.0.1")...)
	for _, args := range [][]string{
		{"rules", "add", "exclude .", "--host", "127.0.0.1:8311"}, {"pause", "--host", "127.0.0.1:8311"}, {"urls", "127.0.0.1:8311"},
	} {
		if a := use(t, at(args...)...); a.code == exitOK || !strings.Contains(a.err, "port") {
			t.Errorf("%v: exit %d: %s%s", args, a.code, a.err, a.out)
		}
	}
	r.end(t)

	want(t, []string{"127.0.0.1", "paused by an operator"}, at("hosts")...)
	usefulIsOneNumber(t, at)
	want(t, []string{"STATUS", "SITES", "fetched", site + "/page3"}, at("urls", "127.0.0.1")...)
	want(t, []string{`"status":"fetched"`, `"linking_sites":`, `"next"`}, at("urls", site+"/page", "-n", "2", "--json")...)
	a := use(t, at("rules", "remove", "default-images")...)
	if a.code != exitFailure || !strings.Contains(a.err, "allow images") {
		t.Errorf("exit %d: %s", a.code, a.err)
	}
	r = start(t, flags(dir)...)
	want(t, []string{"exclude /nothing", "pause", "removed: " + site + "/page2"}, at("rules")...)
	want(t, []string{"Resumed everywhere"}, at("resume")...)
	if a := use(t, at("resume")...); a.code != exitFailure || !strings.Contains(a.err, "nothing is paused") {
		t.Errorf("exit %d: %s", a.code, a.err)
	}
	want(t, []string{"May come back: " + site + "/page2"}, at("forget", "--lift", site+"/page2")...)
	untilSays(t, at("search", `"wheel number 2 turns"`), "1 page in ")
	r.end(t)
}

// Rules of Nutch are taken over, and what RE2 cannot say is named by line.
func TestRulesOfNutchAreTakenOver(t *testing.T) {
	dir := t.TempDir()
	filters := filepath.Join(dir, "regex-urlfilter.txt")
	normal := filepath.Join(dir, "regex-normalize.xml")
	for name, text := range map[string]string{
		filters: "# skip\n-^(file|ftp|mailto):\n-\\.(gif|GIF)$\n\n-.*(/[^/]+)/[^/]+\\1/[^/]+\\1/\n> example.com\n-/tag/\n<\n+.\nwhat\n",
		normal:  "<?xml version=\"1.0\"?>\n<regex-normalize>\n<regex><pattern>(?i)(;?)sid=[0-9a-f]+(.*)</pattern><substitution>$2</substitution></regex>\n</regex-normalize>\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := use(t, "rules", "import", "--nutch", filters, "--dry-run")
	for _, w := range []string{"exclude ^(file|ftp|mailto):, everywhere", "exclude /tag/, site example.com", "include ., everywhere"} {
		if !strings.Contains(a.out, w) {
			t.Errorf("no %q in:\n%s", w, a.out)
		}
	}
	for _, w := range []string{"line 5 is left out", "line 10 is left out: what: a line begins with"} {
		if !strings.Contains(a.err, w) {
			t.Errorf("no %q in:\n%s", w, a.err)
		}
	}
	want(t, []string{"rewrite (?i)(;?)sid=[0-9a-f]+(.*) -> $2, everywhere"}, "rules", "import", "--nutch", normal, "--dry-run")
}

func FuzzImport(f *testing.F) {
	f.Add([]byte("+^http://\n-.*\n> a.test\n"))
	f.Add([]byte("<regex-normalize><regex><pattern>a</pattern><substitution>$1</substitution></regex></regex-normalize>"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_ = nutchFilters(text, scopeNamed(""))
		if _, err := nutchNormalizers(text, scopeNamed("")); err != nil {
			return
		}
		_, _ = extractRules(text)
	})
}

// usefulIsOneNumber checks that hosts, patterns and status count the same pages as useful.
func usefulIsOneNumber(t *testing.T, at func(...string) []string) {
	t.Helper()
	var status watch.Report
	var hosts web.HostList
	var patterns struct{ Patterns []web.PatternLine }
	for name, into := range map[string]any{"status": &status, "hosts": &hosts, "patterns 127.0.0.1": &patterns} {
		a := use(t, at(append(strings.Fields(name), "--json")...)...)
		if err := json.Unmarshal([]byte(a.out), into); a.code != exitOK || err != nil {
			t.Fatalf("%s: exit %d: %s%v", name, a.code, a.err, err)
		}
	}
	var byDay, byHost, byShape int64
	for _, d := range status.Frontier.Days {
		byDay += d.Useful
	}
	for _, h := range hosts.Hosts {
		byHost += h.Useful
	}
	for _, p := range patterns.Patterns {
		byShape += p.Useful
	}
	if byDay == 0 || byHost != byDay || byShape != byDay {
		t.Errorf("useful: status says %d, hosts %d, patterns %d", byDay, byHost, byShape)
	}
}
