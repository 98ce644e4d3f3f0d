package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"millrace/cmd/wire"
	"millrace/streams"
	"millrace/topics"
)

func TestACrawlEndsByItselfAndIsThereWhenStopped(t *testing.T) {
	site, _ := newSite(t)
	dir := t.TempDir()
	a := use(t, flags(dir, "--until-idle", site+"/page1")...)
	if a.code != exitOK || a.err != "" {
		t.Fatalf("exit %d: %s\n%s", a.code, a.err, a.out)
	}
	for _, w := range []string{"search     http://127.0.0.1:", "/dashboard\n", "URLs known            11   on 1 host", "fetched              5   = 5 documents\n",
		"gone                 6", "not found 6", "not followed           5   links: outside the scope 5", "documents              5"} {
		if !strings.Contains(a.out, w) {
			t.Errorf("no %q in the summary:\n%s", w, a.out)
		}
	}
	at := func(args ...string) []string { return append(args, "--data", dir) }
	want(t, []string{"5 pages in ", "Wheel 3", site + "/page3"}, at("search", "water", "wheel")...)
	want(t, []string{"1 page in ", "Wheel 4"}, at("search", `"wheel number 4 turns"`)...)
	want(t, []string{"0 of 5 pages.\nThis may help: "}, at("search", "windmill")...)
	want(t, []string{`"total":5`, `"hits":[{"url":`}, at("search", "--json", "--size", "1", "wheel")...)
	want(t, []string{site + "/page2", "fetched", "HTTP 200", "in the index     yes"}, at("why", site+"/page2")...)
	want(t, []string{"not_found"}, at("why", site+"/nothing1")...)
	want(t, []string{`"url":"` + site + `/page2"`}, at("why", "--json", site+"/page2")...)
	want(t, []string{"URLs known            11", "gone                 6", "documents              5", "schedule", "idle"}, at("status")...)
	want(t, []string{`"lag":{"records":0,"seconds":0}`, `"by_status":{"FETCHED":5,"GONE":6}`}, at("status", "--json")...)
	want(t, []string{"verdict", "index     0 s        0"}, at("lag")...)
	want(t, []string{`"groups":[{"group":"schedule"`}, at("lag", "--json")...)
	want(t, []string{"There are no dead letters."}, at("dead-letters")...)
	want(t, []string{`{"letters":[]}`}, at("dead-letters", "--json")...)
	want(t, []string{"Put back: 0 records."}, at("dead-letters", "put-back", "--all")...)
	checkRecords(t, use(t, at("topics", "cat", "docs.unique", "--from-beginning", "-n", "100")...))
}

// checkRecords wants the documents of all pages, decoded.
func checkRecords(t *testing.T, a answer) {
	t.Helper()
	titles := map[string]bool{}
	for line := range strings.Lines(a.out) {
		var r struct {
			Offset  *int64
			Key     string
			Headers map[string]string
			Value   struct{ Doc struct{ Title string } }
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Offset == nil || r.Headers["ce_type"] != "millrace.v1.Unique" {
			t.Errorf("%v in %s", err, line)
		}
		titles[r.Value.Doc.Title] = true
	}
	if a.code != exitOK || len(titles) != pages || !titles["Wheel 5"] {
		t.Errorf("exit %d, titles %v, %s", a.code, titles, a.err)
	}
}

func TestCommandsAskTheProcessThatRunsAndItStopsWhenAsked(t *testing.T) {
	site, _ := newSite(t)
	dir := t.TempDir()
	r := start(t, flags(dir, site+"/page1")...)
	at := func(args ...string) []string { return append(args, "--data", dir) }
	untilSays(t, at("status"), fmt.Sprintf("documents              %d", pages))
	want(t, []string{"5 pages in "}, at("search", "wheel")...)
	want(t, []string{"URLs known", "fetched              5"}, at("status")...)
	want(t, []string{"group", "verdict"}, at("lag")...)
	want(t, []string{"HTTP 200"}, at("why", site+"/page2")...)
	want(t, []string{site + "/page1"}, at("topics", "cat", "urls.scheduled", "-n", "100")...)
	want(t, []string{"There are no dead letters."}, at("dead-letters")...)
	want(t, []string{"beside generation 1, which has 5 documents.", "Generation 2 answers now: 5 documents, made from"}, at("rebuild")...)
	want(t, []string{"Done: ", " made from "}, at("replay", "extract", "--new-edition", "2")...)
	want(t, []string{"5 pages in "}, at("search", "wheel")...)
	want(t, []string{"1 URL will be fetched again."}, at("recheck", site+"/page1")...)
	want(t, []string{"Everything known below 1 URL"}, at("recheck", "--prefix", site+"/")...)

	for _, args := range [][]string{flags(dir, site), at("serve")} {
		a := use(t, args...)
		if pid := fmt.Sprintf("in use by process %d:", os.Getpid()); a.code != exitFailure || !strings.Contains(a.err, pid) {
			t.Errorf("a second %s: exit %d: %s", args[0], a.code, a.err)
		}
	}
	r.end(t)
	for _, w := range []string{"URLs known            11", "Stopped. The same command without the URLs continues."} {
		if !strings.Contains(r.out.String(), w) {
			t.Errorf("no %q in\n%s", w, r.out.String())
		}
	}
	want(t, []string{"Added 1 URL.\nThe crawl is stopped: this will be fetched when millrace run starts.\n"}, at("produce", "seeds", site+"/page1")...)
	want(t, []string{"URLs known            11", "fetched              5"}, flags(dir, "--until-idle")...)
}

func TestSeedsJoinACrawlThatRuns(t *testing.T) {
	first, _ := newSite(t)
	second, _ := newSite(t)
	second = strings.Replace(second, "127.0.0.1", "localhost", 1) // another site
	dir := t.TempDir()
	r := start(t, flags(dir, "--scope", "host", first+"/page1")...)
	at := func(args ...string) []string { return append(args, "--data", dir) }
	untilSays(t, at("status"), fmt.Sprintf("documents              %d", pages))
	list := filepath.Join(dir, "list")
	write(t, list, "# more\n"+second+"/page1\nno url at all\n")
	a := use(t, at("produce", "seeds", "--file", list)...)
	if a.code != exitOK || !strings.Contains(a.out, "Added 1 URL.") || !strings.Contains(a.err, `line 3, "no url at all": not a URL`) {
		t.Errorf("exit %d: %s%s", a.code, a.out, a.err)
	}
	untilSays(t, at("status"), fmt.Sprintf("documents             %d", 2*pages))
	r.end(t)
}

// Whoever adds to a crawl that is stopped waits for nobody, however long what was added before lies
// there.
func TestSeedsAndRechecksOfAStoppedCrawlLieThereUntilItRuns(t *testing.T) {
	site, _ := newSite(t)
	dir := t.TempDir()
	at := func(args ...string) []string { return append(args, "--data", dir) }
	if a := use(t, flags(dir, "--until-idle", site+"/page4")...); a.code != exitOK {
		t.Fatal(a.err)
	}
	const stopped = "The crawl is stopped: this will be fetched when millrace run starts."
	want(t, []string{"1 URL will be fetched again.", stopped}, at("recheck", site+"/page4")...)
	for behind := 0.0; behind < 6; { // longer than seeds wait for a reader
		var lag struct {
			Groups []struct{ Seconds float64 }
		}
		if err := json.Unmarshal([]byte(use(t, at("lag", "--json")...).out), &lag); err != nil || t.Context().Err() != nil {
			t.Fatal(err)
		}
		behind = lag.Groups[0].Seconds
	}
	want(t, []string{"Added 1 URL.", stopped}, at("produce", "seeds", site+"/page1")...)
	want(t, []string{"URLs known            11", "fetched              5"}, flags(dir, "--until-idle")...)
}

// A seed that cannot be fetched is named with its reason, and a crawl that fetched none has failed.
func TestSeedsThatFailAreNamed(t *testing.T) {
	site, _ := newSite(t)
	a := use(t, flags(t.TempDir(), "--until-idle", site+"/page5", site+"/nothing")...)
	if want := "millrace: seed " + site + "/nothing is not fetched: Ended: it is not there (HTTP 404)"; a.code != exitOK || !strings.HasPrefix(a.err, want) || strings.Count(a.err, "\n") != 1 {
		t.Errorf("one of two: exit %d: %s", a.code, a.err)
	}
	a = use(t, flags(t.TempDir(), "--until-idle", site+"/nothing")...)
	if a.code != exitFailure || !strings.Contains(a.err, "(HTTP 404)") || !strings.HasSuffix(a.err, "millrace: no seed was fetched: millrace why URL says more\n") {
		t.Errorf("none: exit %d: %s", a.code, a.err)
	}
}

func TestARecheckOfWhatIsNotKnownSaysSo(t *testing.T) {
	site, _ := newSite(t)
	dir := t.TempDir()
	at := func(args ...string) []string { return append(args, "--data", dir) }
	if a := use(t, flags(dir, "--until-idle", site+"/page5")...); a.code != exitOK {
		t.Fatal(a.err)
	}
	host := strings.TrimPrefix(site, "http://")
	for _, c := range []struct {
		args      []string
		out, want string
	}{
		{[]string{site + "/page99"}, "", site + "/page99: the crawl does not know it: add it with millrace produce seeds\nmillrace: 1 URL will not be fetched again\n"},
		{[]string{host + "/page5"}, "", "https://" + host + "/page5: the crawl does not know it; it knows " + site + "/page5\n"},
		{[]string{site + "/page5", site + "/page98"}, "1 URL will be fetched again.\n", "millrace: 1 URL will not be fetched again\n"},
		{[]string{"--prefix", "http://elsewhere.test/"}, "", "the crawl knows no page of this host\n"},
		{[]string{"--prefix", site + "/none/"}, "", site + "/none/: the crawl knows nothing below it\n"},
		{[]string{"--prefix", host + "/none/"}, "", host + "/none/: the crawl knows nothing below it\n"},
		{[]string{"--prefix", "https://" + host + "/"}, "", "it knows " + site + "/\n"},
		{[]string{"--prefix", host + "/", site + "/none/"}, "Everything known below 1 URL will be fetched again.\n", "1 URL will not"},
	} {
		a := use(t, at(append([]string{"recheck"}, c.args...)...)...)
		if a.code != exitFailure || !strings.HasPrefix(a.out, c.out) || c.out == "" && a.out != "" || !strings.Contains(a.err, c.want) {
			t.Errorf("recheck %v: exit %d\n%s%s", c.args, a.code, a.out, a.err)
		}
	}
}

// untilSays uses a command until its answer holds a word.
func untilSays(t *testing.T, args []string, word string) {
	t.Helper()
	for a := (answer{}); !strings.Contains(a.out, word); {
		if a = use(t, args...); a.code != exitOK || t.Context().Err() != nil {
			t.Fatalf("exit %d: %s", a.code, a.err)
		}
	}
}

func TestASiteIsServedWithoutCrawling(t *testing.T) {
	site, _ := newSite(t)
	dir := t.TempDir()
	if a := use(t, flags(dir, "--until-idle", site+"/page5")...); a.code != exitOK {
		t.Fatal(a.err)
	}
	r := start(t, "serve", "--data", dir, "--listen", "127.0.0.1:0")
	want(t, []string{"Wheel 5"}, "search", "--data", dir, "wheel")
	r.end(t)
}

func TestASecondSignalEndsAtOnceAndAKilledProcessIsNotAsked(t *testing.T) {
	site, slow := newSite(t)
	dir := t.TempDir()
	cmd, out := process(t, flags(dir, site+"/slow")...)
	<-slow
	for range 2 { // the request in hand does not end: only the second one ends it
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		out.has(t.Context(), "Ctrl-C again")
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitForced {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "address")); err != nil {
		t.Fatalf("the address is gone, so this shows nothing: %v", err)
	}
	want(t, []string{"schedule", "fetch"}, "lag", "--data", dir)
}

func TestARecordThatCannotBeHandledIsListedAndPutBack(t *testing.T) {
	site, _ := newSite(t)
	dir := t.TempDir()
	if a := use(t, flags(dir, "--until-idle", site+"/page5")...); a.code != exitOK {
		t.Fatal(a.err)
	}
	spoil(t, dir)
	at := func(args ...string) []string { return append(args, "--data", dir) }
	if a := use(t, flags(dir, "--until-idle")...); a.code != exitOK || !strings.Contains(a.out, "dead letters           1   see millrace dead-letters") {
		t.Errorf("exit %d: %s\n%s", a.code, a.err, a.out)
	}
	want(t, []string{"\n0       20", "schedule  urls.discovered/0@", "test.spoilt", "decode: "}, at("dead-letters")...)
	if a := use(t, at("dead-letters", "put-back", "7")...); a.code != exitFailure || !strings.Contains(a.err, "put back 0; 1 of the numbers are no dead letters") {
		t.Errorf("exit %d: %s", a.code, a.err)
	}
	want(t, []string{"Put back: 1 record."}, at("dead-letters", "put-back", "0")...)
	want(t, []string{"There are no dead letters."}, at("dead-letters")...)
}

// spoil appends a record that is no message.
func spoil(t *testing.T, dir string) {
	t.Helper()
	cfg := wire.DefaultConfig()
	cfg.Data = dir
	sys, err := wire.Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer sys.Close()
	err = streams.Append(t.Context(), sys.Kafka, streams.Send{Topic: topics.Discovered().Name, Key: "test.spoilt", Value: []byte("\xff spoilt")})
	if err != nil {
		t.Fatal(err)
	}
}

func TestManyCommandsAtOnceTakeTurns(t *testing.T) {
	site, _ := newSite(t)
	dir := t.TempDir()
	if a := use(t, flags(dir, "--until-idle", site+"/page5")...); a.code != exitOK {
		t.Fatal(a.err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { want(t, []string{"Wheel 5"}, "search", "--data", dir, "wheel") })
	}
	all.Wait()
}

func TestAProcessThatDoesNotAnswerIsNamed(t *testing.T) {
	dir := t.TempDir()
	d, err := wire.OpenDataDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	other := httptest.NewServer(http.NotFoundHandler()) // took the address of a millrace that hangs
	defer other.Close()
	if err := d.SetAddress(other.Listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	a := use(t, "status", "--data", dir)
	if w := fmt.Sprintf("in use by process %d and does not answer", os.Getpid()); a.code != exitFailure || !strings.Contains(a.err, w) {
		t.Errorf("exit %d: %s", a.code, a.err)
	}
}
