//go:build linux

package scylla

import (
	"sync"
	"syscall"
	"testing"
	"time"

	"millrace/ops/cluster"
	"millrace/ops/cluster/clustertest"
	"millrace/schema"
	"millrace/streams/state"
	"millrace/streams/state/statetest"
)

// With Retrying the caller of a store whose only server restarts sees a pause
// and no error.
func TestWritesWaitForAServerThatRestarts(t *testing.T) {
	servers := ownServers(t, withNodes(1))
	w := newWriter(t, servers)
	<-w.halfway
	kill(t, servers, syscall.SIGTERM)
	<-w.failed
	start(t, servers)
	<-w.done
	w.wantAll()
}

// One replica of three may be killed at any time: writes go on, and no acknowledged write is
// missing when it is back.
func TestAcknowledgedRowsSurviveAKilledServer(t *testing.T) {
	servers := ownServers(t, withNodes(3))
	w := newWriter(t, servers)
	<-w.halfway
	kill(t, servers, syscall.SIGKILL)
	<-w.done
	start(t, servers)
	w.wantAll()
}

// A single node that acknowledges what is on its disk (commitlog_sync group) may be killed at any
// time, too. With periodic, the default, it loses the last rows: this test failed then.
func TestAcknowledgedRowsSurviveOnASingleSyncedServer(t *testing.T) {
	o := cluster.DefaultOptions()
	o.Nodes, o.Synced = 1, true
	servers := ownServers(t, o)
	w := newWriter(t, servers)
	found, err := Inspect(t.Context(), w.opts)
	if err != nil || found.Sync != "group" || found.Copies != 1 || MayLose(found.Copies, found.Sync) {
		t.Errorf("%+v, %v", found, err)
	}
	<-w.halfway
	kill(t, servers, syscall.SIGKILL)
	<-w.failed
	start(t, servers)
	<-w.done
	w.wantAll()
}

// writer writes rows one after the other.
type writer struct {
	*testing.T
	opts                  Options
	s                     state.Store
	halfway, failed, done chan struct{}
}

const writerRows = 400

func newWriter(t *testing.T, servers *cluster.Cluster) *writer {
	o := DefaultOptions()
	o.Hosts, o.Timeout = servers.CQLAddrs(), 5*time.Second
	o.ReplicationFactor = len(o.Hosts)
	if err := provision(t.Context(), o, statetest.Tables()); err != nil {
		t.Fatal(err)
	}
	w := &writer{T: t, opts: o, halfway: make(chan struct{}), failed: make(chan struct{}), done: make(chan struct{})}
	failed := sync.OnceFunc(func() { close(w.failed) })
	w.s = state.Retrying(open(t, o), state.DefaultBackoff(), func(string, error, time.Duration) { failed() })
	go w.write()
	return w
}

func (w *writer) write() {
	defer close(w.done)
	for n := range writerRows {
		if err := w.s.Write(w.Context(), []state.Mutation{rowOf(n)}); err != nil {
			w.Errorf("row %d: %v", n, err)
		}
		if n == writerRows/2 {
			close(w.halfway)
		}
	}
}

func (w *writer) wantAll() {
	for n := range writerRows {
		if _, err := w.s.Get(w.Context(), schema.Polite, rowOf(n).Key); err != nil {
			w.Errorf("row %d: %v", n, err)
		}
	}
}

func rowOf(n int) state.Mutation {
	return state.Mutation{Table: schema.Polite, TS: 1, Cells: state.Cells{state.Str("st")},
		Key: state.Key{state.Str("key" + state.Num(int64(n)).String())}}
}

func withNodes(n int) cluster.Options {
	o := cluster.DefaultOptions()
	o.Nodes = n
	return o
}

func ownServers(t *testing.T, o cluster.Options) *cluster.Cluster {
	clustertest.NeedOwn(t)
	o.Brokers, o.Dir = 0, t.TempDir()
	servers, err := cluster.Up(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := servers.Wipe(); err != nil {
			t.Error(err)
		}
	})
	return servers
}

func kill(t *testing.T, servers *cluster.Cluster, signal syscall.Signal) {
	t.Helper()
	if err := servers.Kill(t.Context(), "node", 1, signal); err != nil {
		t.Fatal(err)
	}
}

func start(t *testing.T, servers *cluster.Cluster) {
	t.Helper()
	if err := servers.Start(t.Context(), "node", 1); err != nil {
		t.Fatal(err)
	}
}
