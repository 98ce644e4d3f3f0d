package fetch

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"millrace/streams"
	"millrace/streams/state/embedded"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// What a child process needs: MILLRACE_TEST_MEMBER=brokers;origin;directory.
const memberEnv = "MILLRACE_TEST_MEMBER"

// zombieDelay is between two starts of a host in this test; zombieSession is the shortest session
// Kafka's default settings allow.
const (
	zombieDelay   = 300 * time.Millisecond
	zombieSession = 6 * time.Second
)

// TestAStoppedProcessDoesNotComeBackAsAZombie is I4 at the server: a member is stopped (SIGSTOP)
// until another one owns its partitions, and then goes on. It still believes that dozens of hosts
// are its own and that their time has come; none of them may see its requests between those of the
// new owner.
func TestAStoppedProcessDoesNotComeBackAsAZombie(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the time of two sessions")
	}
	o := &arrivals{last: map[string]arrival{}}
	srv := httptest.NewServer(o)
	defer srv.Close()
	opts := streamstest.Options(t)
	produce(t, opts, 40, 100)

	child := startMember(t, opts, srv.Listener.Addr().String())
	o.await(t, 200)
	signal(t, child, syscall.SIGSTOP)
	leave := runZombieMember(t, opts, "second", srv.Listener.Addr().String(), t.TempDir())
	o.await(t, 200)
	signal(t, child, syscall.SIGCONT)
	o.await(t, 600) // for longer than pulseSettle
	leave()
	total, early := o.counts()
	t.Logf("%d requests, %d of them less than half a delay after one of the other owner", total, early)
	if early > 0 {
		t.Errorf("%d requests came early", early)
	}
}

func startMember(t *testing.T, opts streams.Options, origin string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "-test.run=^$")
	c.Env = append(os.Environ(), memberEnv+"="+strings.Join([]string{strings.Join(opts.Brokers, ","), origin, t.TempDir()}, ";"))
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c
}

func signal(t *testing.T, c *exec.Cmd, s syscall.Signal) {
	t.Helper()
	if err := c.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// runZombieMember runs a member in this process.
func runZombieMember(t *testing.T, opts streams.Options, name, origin, dir string) (leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- member(ctx, opts, name, origin, dir) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// childMember is the whole of the child process; it ends by being killed.
func childMember(spec string) error {
	part := strings.Split(spec, ";")
	return member(context.Background(), streams.Options{Brokers: strings.Split(part[0], ",")}, "first", part[1], part[2])
}

// member crawls until ctx ends; its name stands in the User-Agent.
func member(ctx context.Context, opts streams.Options, name, origin, dir string) error {
	store, err := embedded.Open(dir, embedded.DefaultOptions())
	if err != nil {
		return err
	}
	defer store.Close()
	o := DefaultOptions()
	o.Version, o.Delay, o.Web.AllowPrivate = name, zombieDelay, true
	o.Web.Resolve = []string{"*.test=" + origin}
	f, err := New(o, Deps{Store: store})
	if err != nil {
		return err
	}
	defer f.Close()
	g, err := topics.GroupNamed(Group)
	if err != nil {
		return err
	}
	g.Waits = nil // nobody reads what it fetches here
	cfg := streams.DefaultConfig()
	cfg.Kafka, cfg.Session, cfg.Logger = opts, zombieSession, slog.New(slog.DiscardHandler)
	return streams.Run(ctx, cfg, g, topics.Scheduled(), f.Task)
}

// arrivals is a server of many hosts that notes requests that come too soon after one that another
// process made of their host. Those of one process are not judged here: how evenly they arrive is a
// matter of the machine's load.
type arrivals struct {
	mu           sync.Mutex
	last         map[string]arrival
	total, early int
	more         chan struct{} // closed at wanted
	wanted       int
}

type arrival struct {
	at    time.Time
	agent string
}

func (a *arrivals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	a.mu.Lock()
	if last, ok := a.last[host]; ok && last.agent != r.UserAgent() && now.Sub(last.at) < zombieDelay/2 {
		a.early++
	}
	a.last[host] = arrival{now, r.UserAgent()}
	a.total++
	if a.more != nil && a.total >= a.wanted {
		close(a.more)
		a.more = nil
	}
	a.mu.Unlock()
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
	}
}

// await waits for n further requests.
func (a *arrivals) await(t *testing.T, n int) {
	t.Helper()
	more := make(chan struct{})
	a.mu.Lock()
	a.wanted, a.more = a.total+n, more
	a.mu.Unlock()
	select {
	case <-more:
	case <-time.After(time.Minute):
		t.Fatalf("%d requests did not come", n)
	}
}

func (a *arrivals) counts() (total, early int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.total, a.early
}
