package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"millrace/ops/simweb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What serve prints is enough to crawl by proxy and to be judged, as a table
// and as JSON.
func TestServeThenJudge(t *testing.T) {
	web, admin := start(t, "--profile", "fast", "--hosts", "3")
	for _, path := range []string{"/", "/robots.txt", "/"} {
		fetch(t, web, "h1.site0.test", path)
	}
	var table, asJSON strings.Builder
	if err := run(t.Context(), []string{"judge", "--admin", admin, "--seeds", "1", "--depth", "0"}, &table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"by host", "pages before robots.txt", "http://h1.site0.test/", "missing 1, extra 1"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in\n%s", want, &table)
		}
	}
	if err := run(t.Context(), []string{"judge", "--admin", admin, "--json"}, &asJSON); err != nil {
		t.Fatal(err)
	}
	var rep simweb.Report
	if err := json.Unmarshal([]byte(asJSON.String()), &rep); err != nil {
		t.Fatal(err)
	}
	if rep.Requests != 3 || rep.Hosts.Early != 2 || rep.Robots.BeforeRead != 1 || rep.Repeats.Requests != 1 {
		t.Errorf("%+v", rep)
	}
}

// start serves until the test ends, and returns the addresses that are printed.
func start(t *testing.T, flags ...string) (web, admin string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"}, flags...), w)
		w.CloseWithError(err)
		done <- err
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	lines := bufio.NewReader(r)
	first, _ := lines.ReadString('\n')
	second, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return word(first, "http://"), strings.TrimSuffix(word(second, "http://"), "/report")
}

// word returns the word behind a prefix.
func word(line, before string) string {
	_, rest, _ := strings.Cut(line, before)
	rest, _, _ = strings.Cut(strings.TrimSpace(rest), " ")
	return rest
}

func fetch(t *testing.T, addr, host, path string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+addr+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadAll(res.Body); err != nil || res.StatusCode/100 > 4 {
		t.Fatal(res.Status, err)
	}
}

func TestMistakesAreErrors(t *testing.T) {
	for _, args := range [][]string{
		{}, {"crawl"}, {"serve", "--profile", "none"}, {"serve", "--listen", "0.0.0.0:0"},
		{"serve", "--listen", "127.0.0.1:0", "--admin", "0.0.0.0:0"}, {"serve", "--start", "yesterday"},
	} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
}
