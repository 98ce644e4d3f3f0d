// Package embedded is the broker for one process: it turns a directory into a
// Kafka that listens on loopback, so that `millrace run` needs nothing installed
// and runs the very code that runs on a cluster.
//
// Promises: what was acknowledged survives kill -9 of the process; topics keep a
// bounded number of bytes.
//
// On failure: a damaged segment loses its rest (a line in the log says so); the
// broker must be closed before the directory is opened again.
//
// Caveats: nothing is synced to the disk, so a power loss can lose the newest
// records; there are no transactions and no compaction here (the fake broker's
// are not crash-safe): delivery is at least once, and millrace claims no more in
// this mode. After an unclean end the whole log is read into memory once at the
// start, which the byte caps of topics bound.
package embedded

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// retentionEvery is how often old segments are looked for: the broker does it by
// itself only until it is restarted.
const retentionEvery = time.Minute

// Broker is a running broker.
type Broker struct {
	cluster *kfake.Cluster
	stop    chan struct{}
	side    sync.WaitGroup
}

// Open starts a broker over dir ("" = in memory, for tests).
func Open(dir string, log *slog.Logger) (*Broker, error) {
	opts := []kfake.Opt{
		kfake.NumBrokers(1),
		kfake.ClusterID("millrace-embedded"),
		kfake.GroupMinSessionTimeout(time.Second),
		kfake.WithLogger(logger{log}),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}),
	}
	if dir != "" {
		opts = append(opts, kfake.DataDir(dir))
	}
	c, err := kfake.NewCluster(opts...)
	if err != nil {
		return nil, fmt.Errorf("embedded broker over %s: %w", dir, err)
	}
	b := &Broker{cluster: c, stop: make(chan struct{})}
	b.side.Go(b.retain)
	return b, nil
}

// Addrs returns the addresses it listens on.
func (b *Broker) Addrs() []string { return b.cluster.ListenAddrs() }

// Close writes what is open and stops.
func (b *Broker) Close() {
	close(b.stop)
	b.side.Wait()
	b.cluster.Close()
}

func (b *Broker) retain() {
	tick := time.NewTicker(retentionEvery)
	defer tick.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-tick.C:
			b.cluster.ApplyRetention()
		}
	}
}

// logger passes the broker's log on, one level lower: what it warns of is
// ordinary for its users.
type logger struct{ log *slog.Logger }

// Logf implements kfake.Logger.
func (l logger) Logf(level kfake.LogLevel, format string, args ...any) {
	switch level {
	case kfake.LogLevelError:
		l.log.Warn("broker", "says", fmt.Sprintf(format, args...))
	case kfake.LogLevelWarn, kfake.LogLevelInfo:
		l.log.Debug("broker", "says", fmt.Sprintf(format, args...))
	}
}
