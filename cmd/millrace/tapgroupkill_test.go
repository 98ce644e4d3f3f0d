package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"millrace/consumers/taps/opensearch/opensearchtest"
	"millrace/streams/streamstest"
)

// crew is the processes of one tap, which share its partitions.
type crew struct {
	t       *testing.T
	args    []string
	members [3]*exec.Cmd
}

// start starts the members that do not run.
func (c *crew) start() {
	for i, m := range c.members {
		if m == nil {
			c.members[i], _ = process(c.t, append(c.args, "--member", fmt.Sprint("member", i))...)
		}
	}
}

// kill ends members with SIGKILL.
func (c *crew) kill(which ...int) {
	for _, i := range which {
		if err := c.members[i].Process.Kill(); err != nil {
			c.t.Errorf("%v, member %d: it had ended before it was killed: %v", c.args[:2], i, err)
		}
		_ = c.members[i].Wait() // says that it was killed
		c.members[i] = nil
	}
}

// end ends all members in order.
func (c *crew) end() {
	for i, m := range c.members {
		if err := m.Process.Signal(syscall.SIGTERM); err != nil {
			c.t.Error(err)
		}
		if err := m.Wait(); err != nil {
			c.t.Errorf("%v, member %d: %v", c.args[:2], i, err)
		}
	}
}

// deaths says which members are killed in each round: each alone, two together, all.
var deaths = [][]int{{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 1, 2}}

// Three processes of a tap share its partitions, and are ended with SIGKILL in turn and together
// while they write, also while the others take over. At the end each record is in one file, once,
// and nothing that was not finished is left.
func TestProcessesOfATapThatAreKilledTogetherWriteEachRecordOnce(t *testing.T) {
	for format, read := range map[string]func(*testing.T, string) map[string]int{"parquet": rowsOf, "jsonl": linesOf} {
		t.Run(format, func(t *testing.T) {
			opts := streamstest.Options(t)
			src := &tapSource{t: t, opts: opts}
			src.publish(60)
			dir := t.TempDir()
			c := &crew{t: t, args: []string{"consume", format, "--out", dir, "--brokers", strings.Join(opts.Brokers, ","),
				"--roll-every", "100ms", "--log-level", "error"}}
			c.start()
			for round, dead := range deaths {
				looks := [][]string{{"_millrace/staging", ""}, {"_millrace/notes"}}[round%2]
				before := filesIn(t, dir, looks)
				src.publish(20)
				becomes(t, format+": a file that is new", func() bool { return grew(filesIn(t, dir, looks), before) })
				c.kill(dead...)
				c.start()
			}
			last, out := process(t, append(c.args, "--member", "last", "--until-end")...)
			if err := last.Wait(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			c.end()
			got := read(t, dir)
			if src.want(format, got); len(got) != src.n {
				t.Errorf("%d records of %d", len(got), src.n)
			}
			// A member that was killed last, and began again, swept its own partitions; what it
			// left in those of others is swept when they are taken over the next time.
			again, _ := process(t, append(c.args, "--member", "last", "--until-end")...)
			if err := again.Wait(); err != nil {
				t.Error(err)
			}
			for _, path := range filesBelow(t, dir, "") {
				name, _ := filepath.Rel(dir, path)
				note := strings.HasPrefix(name, "_millrace/notes/") && !strings.HasPrefix(filepath.Base(name), ".")
				if strings.HasPrefix(name, "day=") && strings.Contains(name, "/docs.unique-p") || note || name == "_millrace/tap.json" {
					continue
				}
				t.Errorf("left behind: %s", name)
			}
		})
	}
}

// The same of the tap into OpenSearch: the index is the fold of docs.unique in the end, and the lag
// is 0. Against a real OpenSearch too, if the environment names one.
func TestOpenSearchTapsThatAreKilledTogetherCatchUp(t *testing.T) {
	backs := map[string]http.Handler{"in process": opensearchtest.New()}
	if real := os.Getenv("MILLRACE_TEST_OPENSEARCH"); real != "" {
		to, err := url.Parse(real)
		if err != nil {
			t.Fatal(err)
		}
		backs["real"] = httputil.NewSingleHostReverseProxy(to)
	}
	for name, back := range backs {
		t.Run(name, func(t *testing.T) {
			var bulks atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Path, "_bulk") {
					bulks.Add(1)
				}
				back.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			index := fmt.Sprintf("together-%d", rand.Uint32())
			opts := streamstest.Options(t)
			docs := &foldedDocs{t: t, opts: opts, want: map[string]string{}}
			c := &crew{t: t, args: []string{"consume", "opensearch", "--to", server.URL, "--index", index,
				"--brokers", strings.Join(opts.Brokers, ","), "--log-level", "error"}}
			c.start()
			for _, dead := range deaths {
				before := bulks.Load()
				docs.publish(60)
				becomes(t, "a request with documents", func() bool { return bulks.Load() > before })
				c.kill(dead...)
				c.start()
			}
			becomes(t, "the fold of docs.unique in the index", func() bool { return maps.Equal(docs.want, indexed(t, server.URL, index)) })
			becomes(t, "a lag of 0", func() bool { return docs.behind("tap-opensearch-"+index) == 0 })
			c.end()
		})
	}
}
