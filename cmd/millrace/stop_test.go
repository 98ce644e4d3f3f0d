package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"millrace/cmd/wire"
	"millrace/ops/web"
)

// manyPages is a site on which a replay of one page a second takes minutes.
func manyPages(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<title>%s</title><p>The miller of %s grinds rye, barley and oats.</p>", r.URL.Path, r.URL.Path)
		for i := range 150 {
			fmt.Fprintf(w, "<a href=/mill%d>mill</a> ", i)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// apart is a process of the command, with its two outputs apart.
type apart struct {
	cmd       *exec.Cmd
	out, errs *lines
	ended     chan struct{} // closed when it has ended
}

// separately starts the command as a process of its own.
func separately(t *testing.T, args ...string) *apart {
	t.Helper()
	p := &apart{exec.Command(os.Args[0], args...), newLines(), newLines(), make(chan struct{})}
	p.cmd.Env = append(os.Environ(), asMain+"=1")
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.errs
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the exit code says how it ended
		p.out.close()
		p.errs.close()
		close(p.ended)
	}()
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); <-p.ended }) // fails if it has ended, as it should
	return p
}

// says waits until it has written words.
func (p *apart) says(t *testing.T, words string) {
	t.Helper()
	if !p.out.has(t.Context(), words) {
		t.Fatalf("it did not say %q:\n%s%s", words, p.out, p.errs)
	}
}

// end signals it, if need be, and returns its exit code.
func (p *apart) end(t *testing.T, s syscall.Signal) int {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatalf("it had ended before the signal: %v\n%s%s", err, p.out, p.errs)
	}
	<-p.ended
	return p.cmd.ProcessState.ExitCode()
}

// wantStopped signals it, and wants the exit code of a shell and one line like the pattern. It
// returns what the pattern's last group matched.
func (p *apart) wantStopped(t *testing.T, s syscall.Signal, pattern string) string {
	t.Helper()
	code, want := p.end(t, s), map[syscall.Signal]int{syscall.SIGINT: exitForced, syscall.SIGTERM: exitTerminated}[s]
	found := regexp.MustCompile(`^millrace: stopped: ` + pattern + `\n$`).FindStringSubmatch(p.errs.String())
	if code != want || found == nil {
		t.Fatalf("%v: exit %d, and standard error is to be one line like %q:\n%s", s, code, pattern, p.errs)
	}
	return found[len(found)-1]
}

// A replay that is stopped in the middle, by Ctrl-C or SIGTERM, says how far it is and how to go
// on, and that goes on there: by itself, and in a crawl that runs, where only the command ends.
func TestAReplayThatIsStoppedGoesOn(t *testing.T) {
	dir := t.TempDir()
	if a := use(t, flags(dir, "--until-idle", "--traps=false", manyPages(t)+"/mill1")...); a.code != exitOK {
		t.Fatal(a.err)
	}
	args := []string{"replay", "extract", "--data", dir, "--new-edition", "2", "--rate", "1", "--from", "48h"}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		p := separately(t, args...)
		p.says(t, " of 150 records read")
		from := p.wantStopped(t, s, `\d+ of 150 records read; the same command with --from (\S+Z) goes on there`)
		want(t, []string{"An earlier try of this replay has read "}, slices.Concat(args, []string{"--plan", "--from", from})...)
	}
	args = args[:len(args)-2]
	crawl := separately(t, flags(dir)...)
	crawl.says(t, "\ndashboard ")
	first := separately(t, args...)
	first.says(t, " of 150 records read")
	first.wantStopped(t, syscall.SIGINT, `\d+ of 150 records read; the replay goes on in the crawl that runs, and the same command follows it there; .*`)
	if a := use(t, "replay", "extract", "--data", dir, "--new-edition", "3"); a.code != exitFailure || !strings.Contains(a.err, "a replay into edition 2 is running already, with") {
		t.Errorf("another one: exit %d: %s", a.code, a.err)
	}
	second := separately(t, args...)
	second.says(t, "It runs already, with ")
	if code := crawl.end(t, syscall.SIGTERM); code != exitOK {
		t.Errorf("the crawl: exit %d: %s", code, crawl.errs)
	}
	<-second.ended
	code, said := second.cmd.ProcessState.ExitCode(), second.errs.String()
	if code != exitFailure || strings.Count(said, "\n") != 1 || !strings.Contains(said, "goes on where it was") || strings.Contains(second.out.String(), "Reads") {
		t.Errorf("when the crawl has ended: exit %d: %s", code, said)
	}
	want(t, []string{"An earlier try of this replay has read "}, slices.Concat(args, []string{"--plan"})...)
}

// A tap that is to write all there is, and is stopped before, has not done it.
func TestATapThatIsStoppedBeforeTheEndSaysSo(t *testing.T) {
	site, _ := newSite(t)
	dir, out := t.TempDir(), t.TempDir()
	if a := use(t, flags(dir, "--until-idle", site+"/page1")...); a.code != exitOK {
		t.Fatal(a.err)
	}
	block := filepath.Join(out, "_millrace", "staging") // where a folder should be
	if err := os.MkdirAll(filepath.Dir(block), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(block, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"consume", "parquet", "--out", out, "--data", dir, "--log-level", "error"}
	until := slices.Concat(args, []string{"--until-end"})
	p := separately(t, until...)
	p.says(t, "parquet from")
	p.wantStopped(t, syscall.SIGTERM, "what is written is whole, and the same command writes the rest")
	p = separately(t, args...)
	p.says(t, "parquet from")
	if code := p.end(t, syscall.SIGINT); code != exitOK || !strings.Contains(p.out.String(), "Stopped. The same command goes on.\n") {
		t.Errorf("one that goes on until it is stopped: exit %d\n%s%s", code, p.out, p.errs)
	}
	if err := os.Remove(block); err != nil {
		t.Fatal(err)
	}
	want(t, []string{"parquet from"}, until...)
	if got := rowsOf(t, out); len(got) != pages {
		t.Errorf("%d rows", len(got))
	}
}

// A fold of a tap's files that is stopped, or killed, is made anew by the same command.
func TestAFoldThatIsStoppedIsMadeAnew(t *testing.T) {
	site, _ := newSite(t)
	dir := t.TempDir()
	documents, links := filepath.Join(dir, "documents"), filepath.Join(dir, "links")
	a := use(t, flags(filepath.Join(dir, "data"), "--until-idle", "--tap", "parquet="+documents, "--tap", "links="+links, site+"/page1")...)
	if a.code != exitOK {
		t.Fatal(a.err)
	}
	for _, c := range []struct {
		what, from string
		signal     syscall.Signal
		code       int
	}{{"snapshot", documents, syscall.SIGTERM, exitTerminated}, {"graph", links, syscall.SIGINT, exitForced}} {
		out := filepath.Join(dir, c.what)
		args := []string{"taps", c.what, c.from, "--out", out}
		ctx, stop := context.WithCancelCause(t.Context())
		stop(&signalled{c.signal})
		var errs bytes.Buffer
		code := run(ctx, args, strings.NewReader(""), io.Discard, &errs)
		if said := errs.String(); code != c.code || said != "millrace: stopped: the result is not whole, and the same command makes it anew\n" {
			t.Errorf("%s: exit %d: %s", c.what, code, said)
		}
		want(t, []string{" of "}, args...)
		if left, err := filepath.Glob(filepath.Join(out, "_*")); err != nil || !slices.Equal(left, []string{filepath.Join(out, "_SUCCESS")}) {
			t.Errorf("%s: beside the result: %q, %v", c.what, left, err)
		}
	}
}

// slowMillrace answers as a millrace at which a rebuild runs, and searches do not end. Whoever asks
// for how either stands is told on asked.
func slowMillrace(t *testing.T) (addr string, asked chan struct{}) {
	t.Helper()
	asked = make(chan struct{}, 1)
	ask := func() {
		select {
		case asked <- struct{}{}:
		default:
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"routes": [{"pattern": "GET /api/v1/"}]}`)
	})
	var looks atomic.Int32
	mux.HandleFunc("GET /api/v1/rebuild", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"running": true, "generation": 1, "docs": 7, "records": 9}`)
		if looks.Add(1) > 1 { // it is followed
			ask()
		}
	})
	mux.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) {
		ask()
		<-r.Context().Done()
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), asked
}

// What was asked of a crawl that runs and is stopped before its answer is no success. Of a rebuild
// it is said what becomes of it.
func TestACommandThatIsStoppedBeforeItsAnswerHasNotSucceeded(t *testing.T) {
	dir := t.TempDir()
	d, err := wire.OpenDataDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := os.WriteFile(filepath.Join(dir, "layout"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	addr, asked := slowMillrace(t)
	if err := d.SetAddress(addr); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		signal syscall.Signal
		code   int
		err    string
	}{
		{[]string{"search", "wheel"}, syscall.SIGINT, exitForced, "stopped before it was done"},
		{[]string{"status"}, syscall.SIGTERM, exitTerminated, "stopped before it was done"},
		{[]string{"replay", "extract", "--new-edition", "2"}, syscall.SIGTERM, exitTerminated, "stopped before it was done"},
		{[]string{"topics", "cat", "docs.unique", "--follow"}, syscall.SIGINT, exitOK, ""},
		{[]string{"rebuild"}, syscall.SIGTERM, exitTerminated, "stopped: the new index is filled on by the process that runs"},
	} {
		ctx, stop := context.WithCancelCause(t.Context())
		go func() { <-asked; stop(&signalled{c.signal}) }()
		out, errs := newLines(), newLines()
		code := run(ctx, slices.Concat(c.args, []string{"--data", dir}), strings.NewReader(""), out, errs)
		if said := errs.String(); code != c.code || !strings.Contains(said, c.err) || strings.Count(said, "\n") > 1 || c.err == "" && said != "" {
			t.Errorf("%v: exit %d: %s", c.args, code, said)
		}
	}
	a := newClient(addr, "")
	defer a.close()
	a.here = true
	ctx, stop := context.WithCancel(t.Context())
	go func() { <-asked; stop() }()
	err = (&call{output: output{newLines(), newLines()}}).follow(ctx, a, web.Rebuild{Running: true})
	if err == nil || err.Error() != "stopped: the index that was there stays, and answers; the same command begins again" {
		t.Errorf("of this process: %v", err)
	}
}

// A crawl that is to end when all is done, and is stopped before, has not done it.
func TestACrawlUntilIdleThatIsStoppedHasNotEnded(t *testing.T) {
	site, slow := newSite(t)
	p := separately(t, flags(t.TempDir(), "--until-idle", "--max-depth", "0", site+"/slow")...)
	<-slow // it is not done before the signal
	if code := p.end(t, syscall.SIGTERM); code != exitTerminated || !strings.Contains(p.out.String(), "Stopped. The same command without the URLs continues.") {
		t.Errorf("exit %d\n%s%s", code, p.out, p.errs)
	}
}
