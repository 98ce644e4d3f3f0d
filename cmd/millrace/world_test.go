package main

import (
	"bytes"
	"context"
	"fmt"
	"millrace/consumers/extract/documents"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// asMain makes the test binary be the command: for what only a process shows.
const asMain = "MILL_TEST_AS_MAIN"

func TestMain(m *testing.M) {
	documents.ServePDFs()
	if os.Getenv(asMain) != "" {
		main()
	}
	finishWithin = time.Minute // the ten seconds are promised to users, not to a machine that tests with the race detector
	goleak.VerifyTestMain(m)
}

// answer holds the exit code and the output of a use of the command.
type answer struct {
	code     int
	out, err string
}

// use runs the command in this process.
func use(t *testing.T, args ...string) answer {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return answer{code, out.String(), errs.String()}
}

// want uses the command and checks that its answer holds what it must.
func want(t *testing.T, words []string, args ...string) {
	t.Helper()
	a := use(t, args...)
	if a.code != exitOK || a.err != "" {
		t.Errorf("millrace %s: exit %d: %s", strings.Join(args, " "), a.code, a.err)
	}
	for _, w := range words {
		if !strings.Contains(a.out, w) {
			t.Errorf("millrace %s: no %q in:\n%s", strings.Join(args, " "), w, a.out)
		}
	}
}

const pages = 5

// newSite is an origin of five pages in a row, each with a link to one that is
// not there and one out of scope. What is below /slow never answers.
func newSite(t *testing.T) (url string, slow <-chan struct{}) {
	t.Helper()
	asked, gone := make(chan struct{}, 1), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		switch _, err := fmt.Sscanf(r.URL.Path, "/page%d", &n); {
		case r.URL.Path == "/slow":
			asked <- struct{}{}
			select {
			case <-gone:
			case <-r.Context().Done():
			}
			return
		case r.URL.Path == "/locked":
			http.Error(w, "not for you", http.StatusForbidden)
			return
		case err != nil || n < 1 || n > pages:
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<title>Wheel %d</title><p>The water wheel number %d turns in the mill race, said the miller of village %d.</p>
<a href=/page%d>next</a> <a href=/nothing%d>gone</a> <a href=http://elsewhere.test/>out</a>`, n, n, n, n+1, n)
	}))
	t.Cleanup(func() { close(gone); server.Close() })
	return server.URL, asked
}

// flags are those of a crawl of the site in a directory. On a machine that is busy with other tests
// a process may stand still for more than a second, of which fetch warns: only errors are wanted.
func flags(dir string, more ...string) []string {
	return append([]string{"run", "--data", dir, "--listen", "127.0.0.1:0", "--delay", "0s", "--allow-private", "--log-level", "error"}, more...)
}

// running is a command that goes on until it is stopped.
type running struct {
	stop  context.CancelFunc
	out   *lines
	err   bytes.Buffer
	code  int
	ended chan struct{} // closed when code and err are known
}

func start(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r := &running{stop: stop, out: newLines(), ended: make(chan struct{})}
	go func() {
		r.code = run(ctx, args, strings.NewReader(""), r.out, &r.err)
		r.out.close()
		close(r.ended)
	}()
	t.Cleanup(func() { stop(); <-r.ended })
	if !r.out.has(t.Context(), "\ndashboard ") {
		<-r.ended
		t.Fatalf("it did not begin: exit %d: %s", r.code, r.err.String())
	}
	return r
}

// end stops it and wants that it ends well.
func (r *running) end(t *testing.T) {
	t.Helper()
	r.stop()
	if <-r.ended; r.code != exitOK || r.err.Len() > 0 {
		t.Errorf("exit %d: %s", r.code, r.err.String())
	}
}

// process starts the command as a process of its own.
func process(t *testing.T, args ...string) (*exec.Cmd, *lines) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asMain+"=1")
	out := newLines()
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // fails if it has ended, as it should
	return cmd, out
}

// lines is an output that can be waited for.
type lines struct {
	mu     sync.Mutex
	text   strings.Builder
	more   chan struct{} // closed and replaced at every write
	closed bool
}

func newLines() *lines { return &lines{more: make(chan struct{})} }

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	close(l.more)
	l.more = make(chan struct{})
	return len(p), nil
}

func (l *lines) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	close(l.more)
	l.more = make(chan struct{})
}

// has waits for a word; false if the output ends without it.
func (l *lines) has(ctx context.Context, word string) bool {
	for {
		l.mu.Lock()
		found, closed, more := strings.Contains(l.text.String(), word), l.closed, l.more
		l.mu.Unlock()
		if found || closed {
			return found
		}
		select {
		case <-ctx.Done():
			return false
		case <-more:
		}
	}
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
