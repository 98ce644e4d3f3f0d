// Package embedded is a Kafka broker inside the process, so that `millrace run` needs nothing
// installed and runs the same code as on a cluster. It is kfake, the fake broker of the Kafka
// client franz-go, over a directory.
//
// # Goals
//
// The same consumer groups work on it as on a real Kafka. Nobody outside the process can reach it,
// unless a Door is opened: then readers with its password can read every topic and keep groups of
// their own.
//
// # How it works
//
// The clients of the process connect through pipes in memory (Dial); the broker has no port. Before
// it opens a directory that was not closed in order, it checks the checksum of every batch, one
// batch in memory at a time, cuts what is damaged, and writes the snapshots that let kfake open the
// log without reading it into memory (recover.go).
//
// # Promises
//
// Acknowledged records survive kill -9 of the process. Damaged batches are cut and reported
// (Damage), never read as whole. A request that comes through a Door has a bounded size
// (reader.go), is one of a short list (allowed.go), and is encoded anew for the broker. Readers
// cannot append, and cannot join, move or delete the groups of this program.
//
// # On failure
//
// A damaged batch ends its segment: all records after it in this segment are lost. Open fails if
// the directory cannot be read or written.
//
// # Limits
//
// Nothing is synced to the disk, so a power loss can lose the newest records; MachineStart lets
// readers see that the machine was started again. There are no transactions and no compaction
// (kfake's are not crash-safe). The broker deletes no records by itself: streams.Keeper deletes
// those that every group has read, and compacts tables. kfake does not set the time of records
// (LogAppendTime); all producers are in this process and set it from the same clock. A Door takes
// 128 connections, fetches of 16 MiB at most, groups of 64 members with 64 KiB each, commits with
// 4 KiB of metadata, and keeps no fetch sessions. It has one user for all readers, who can disturb
// each other's groups.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// maxMembers bounds the members of a group, each of which the broker keeps with its request.
const maxMembers = "64"

// Broker is a running broker.
type Broker struct {
	cluster *kfake.Cluster
	pipes   *pipes // nil: the broker listens on a port
	dir     string // "": in memory

	mu     sync.Mutex
	damage []Damage
}

// Open starts a broker over dir that only this process can reach ("" = in memory, for tests).
func Open(dir string, log *slog.Logger) (*Broker, error) {
	p := newPipes()
	b, err := open(dir, log, kfake.ListenFn(p.listen))
	if err != nil {
		return nil, err
	}
	b.pipes = p
	return b, nil
}

// OpenPort starts a broker that listens on a free loopback port, without authentication: for tests
// that break connections, and for clients with their own dialer.
func OpenPort(dir string, log *slog.Logger) (*Broker, error) { return open(dir, log) }

func open(dir string, log *slog.Logger, more ...kfake.Opt) (*Broker, error) {
	b := &Broker{dir: dir}
	opts := append([]kfake.Opt{
		kfake.NumBrokers(1),
		kfake.ClusterID("millrace-embedded"),
		kfake.GroupMinSessionTimeout(time.Second),
		kfake.WithLogger(&logger{log: log, damaged: b.damaged}),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0", "group.max.size": maxMembers}),
	}, more...)
	if dir != "" {
		var err error
		if b.damage, err = prepare(dir); err != nil {
			return nil, fmt.Errorf("embedded broker over %s: %w", dir, err)
		}
		opts = append(opts, kfake.DataDir(dir))
	}
	c, err := kfake.NewCluster(opts...)
	if err != nil {
		return nil, fmt.Errorf("embedded broker over %s: %w", dir, err)
	}
	b.cluster = c
	for _, d := range b.Damage() {
		log.Error("a part of the log is damaged and was cut", "topic", d.Topic, "partition", d.Partition,
			"from_offset", d.From, "bytes", d.Bytes)
	}
	return b, nil
}

// Addrs returns the broker's addresses for clients. After Open they can be reached only through
// Dial.
func (b *Broker) Addrs() []string { return b.cluster.ListenAddrs() }

// Dial connects a client of this process.
func (b *Broker) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if b.pipes == nil {
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}
	return b.pipes.dial(ctx)
}

// Damage lists the parts of the log that were cut.
func (b *Broker) Damage() []Damage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Damage(nil), b.damage...)
}

func (b *Broker) damaged(d Damage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.damage = append(b.damage, d)
}

// Sync returns when what was acknowledged in a partition is on the disk.
func (b *Broker) Sync(topic string, partition int32) error {
	if b.dir == "" {
		return nil
	}
	dir := filepath.Join(b.dir, "partitions", fmt.Sprintf("%s-%d", url.PathEscape(topic), partition))
	bases, err := segments(dir)
	if err != nil {
		return err
	}
	for _, base := range bases {
		err := syncFile(filepath.Join(dir, segmentName(base)))
		if err != nil && !errors.Is(err, os.ErrNotExist) { // deleted meanwhile
			return err
		}
	}
	return syncFile(dir)
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Close writes open files and stops the broker.
func (b *Broker) Close() { b.cluster.Close() }

// MachineStart returns an id of this boot of the machine (Linux boot_id): after another boot, a log
// that was not closed may have lost its end. It is "" on systems without such an id: then a loss is
// found only if the log is shorter than what was read of it.
func MachineStart() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// logger passes the broker's messages on: its errors as warnings, its warnings and infos at level
// debug, because they are about normal events (members come and go). Messages about damage, in
// segments that prepare did not check, go to damaged instead.
type logger struct {
	log     *slog.Logger
	damaged func(Damage)
}

// cutFormat is the format of kfake's message when it cuts a segment: topic, partition, first
// offset, bytes.
const cutFormat = "partition %s-%d segment %d: truncating %d corrupt bytes"

// Logf implements kfake.Logger.
func (l *logger) Logf(level kfake.LogLevel, format string, args ...any) {
	switch {
	case format == cutFormat && len(args) == 4:
		d := Damage{}
		d.Topic, _ = args[0].(string)
		d.Partition, _ = args[1].(int32)
		d.From, _ = args[2].(int64)
		if n, ok := args[3].(int); ok {
			d.Bytes = int64(n)
		}
		l.damaged(d)
	case level == kfake.LogLevelError:
		l.log.Warn("broker", "says", fmt.Sprintf(format, args...))
	case level == kfake.LogLevelWarn || level == kfake.LogLevelInfo:
		l.log.Debug("broker", "says", fmt.Sprintf(format, args...))
	}
}
