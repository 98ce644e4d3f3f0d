package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// asCrawler makes the test binary crawl: the origin's address.
const asCrawler = "PEERS_TEST_ORIGIN"

func TestMain(m *testing.M) {
	if origin := os.Getenv(asCrawler); origin != "" {
		if err := rude(origin, os.Args[1], os.Args[2] == "forever"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// rude reads robots.txt and two pages, the second of them twice, all at once,
// and keeps 10,000 bytes.
func rude(origin, file string, forever bool) error {
	seeds, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	home := strings.Fields(string(seeds))[0]
	if _, err := fetch(origin, home+"robots.txt"); err != nil {
		return err
	}
	page, err := fetch(origin, home)
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(page, `<a href="/`)
	next, _, _ := strings.Cut(rest, `"`)
	for range 2 {
		if _, err := fetch(origin, home+next); err != nil {
			return err
		}
	}
	if forever {
		select {}
	}
	return os.WriteFile("kept", make([]byte, 10_000), 0o644)
}

func fetch(origin, url string) (string, error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	req.Host, req.URL.Host = req.URL.Host, origin
	req.Header.Set("User-Agent", agent)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = errors.New(res.Status)
	}
	return string(body), err
}

func newBench(t *testing.T, word string) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{opts: defaultOptions(), tmp: dir, progress: io.Discard}
	b.tools.simweb = filepath.Join(dir, "simweb")
	if _, err := output(t.Context(), "", "go", "build", "-o", b.tools.simweb, "../../ops/simweb/cmd/simweb"); err != nil {
		t.Fatal(err)
	}
	b.crawlers = []crawler{{
		name:     "rude",
		settings: func(k task) []string { return []string{os.Args[0], k.file, word} },
		env:      func(k task) []string { return []string{asCrawler + "=" + k.origin} },
	}}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return b
}

// The figures of the table agree with the crawler's requests, and its costs are plausible.
func TestACrawlerIsMeasured(t *testing.T) {
	b := newBench(t, "once")
	list, err := b.on(t.Context(), 2, 0, time.Second, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	x := list[0]
	if x.failed != "" || x.cut {
		t.Fatalf("cut %v, %s", x.cut, x.failed)
	}
	if x.pages() != 2 || x.robots() != 1 || x.report.Repeats.Requests != 1 || x.report.Hosts.Early != 3 || x.report.Coverage.Missing != 398 {
		t.Errorf("%d pages, %d robots.txt, %+v, %d early, missing %d", x.pages(), x.robots(), x.report.Repeats, x.report.Hosts.Early, x.report.Coverage.Missing)
	}
	if x.disk < 10_000 || x.disk > 100_000 || x.cpu <= 0 || x.cpu > 10*time.Second || x.rss < 1<<20 {
		t.Errorf("disk %d, CPU %v, RSS %d", x.disk, x.cpu, x.rss)
	}
	var text strings.Builder
	r := &results{opts: b.opts, crawlers: b.crawlers, fast: list, polite: map[time.Duration][]result{0: list}}
	if err := r.print(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| rude | 2 |", "| 1 (50.0 %) | 1 | 398 | 0 | 0 |", "| rude | 3 |"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	if strings.Contains(text.String(), b.tmp) {
		t.Errorf("the machine's directories are named:\n%s", &text)
	}
}

// A crawler that does not end is stopped and still measured; one that fails is
// shown as such.
func TestACrawlerThatDoesNotEndAndOneThatFails(t *testing.T) {
	b := newBench(t, "forever")
	list, err := b.on(t.Context(), 1, 0, 0, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if x := list[0]; !x.cut || x.failed != "" || x.pages() != 2 || !strings.HasPrefix(x.ending(), "stopped after") {
		t.Errorf("%+v", x)
	}
	b.crawlers[0].env = func(task) []string { return []string{asCrawler + "=127.0.0.1:1"} }
	if list, err = b.on(t.Context(), 1, 0, 0, time.Minute); err != nil {
		t.Fatal(err)
	}
	if x := list[0]; !strings.Contains(x.ending(), "failed: exit status 3") || x.pages() != 0 {
		t.Errorf("%+v", x)
	}
}
