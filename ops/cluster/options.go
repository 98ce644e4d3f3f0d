//go:build linux

package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
)

// Options says which servers to start, and where.
type Options struct {
	Brokers  int          // Kafka servers: 0, 1 or 3
	Nodes    int          // Cassandra nodes: 0, 1 or 3
	Search   int          // OpenSearch nodes: 0 or 1
	Dir      string       // all files of the cluster; made if absent
	PortBase int          // the cluster listens on PortBase..PortBase+29; 0: a free range is chosen
	Secured  bool         // TLS, passwords and rights everywhere but for OpenSearch: see Access
	Synced   bool         // Cassandra acknowledges a write when it is on the disk: what one node needs to lose none with SIGKILL
	Log      *slog.Logger // what is started and stopped; the servers' own logs are in Dir
}

// DefaultOptions is one broker and one node in the user's cache folder. Dir is
// empty, and Validate refuses it, where the user has no such folder.
func DefaultOptions() Options {
	o := Options{Brokers: 1, Nodes: 1, Log: slog.New(slog.DiscardHandler)}
	if cache, err := os.UserCacheDir(); err == nil {
		o.Dir = filepath.Join(cache, "millrace", "cluster")
	}
	return o
}

// Validate reports the first option that cannot be met.
func (o Options) Validate() error {
	switch {
	case !countAllowed(o.Brokers):
		return fmt.Errorf("cluster: Brokers is %d, want 0, 1 or 3", o.Brokers)
	case !countAllowed(o.Nodes):
		return fmt.Errorf("cluster: Nodes is %d, want 0, 1 or 3", o.Nodes)
	case o.Search != 0 && o.Search != 1:
		return fmt.Errorf("cluster: Search is %d, want 0 or 1", o.Search)
	case o.Brokers+o.Nodes+o.Search == 0:
		return errors.New("cluster: none of Brokers, Nodes and Search is set")
	case o.Dir == "":
		return errors.New("cluster: Dir is empty")
	case o.PortBase != 0 && (o.PortBase < 1024 || o.PortBase > 65535-portSpan):
		return fmt.Errorf("cluster: PortBase is %d, want 0 or 1024 to %d", o.PortBase, 65535-portSpan)
	case o.Log == nil:
		return errors.New("cluster: Log is nil")
	}
	return nil
}

// countAllowed: with two servers neither Kafka's quorum nor a majority of
// replicas survives the loss of one, so two would test less than one.
func countAllowed(n int) bool { return n == 0 || n == 1 || n == 3 }

// settings holds the servers and ports that the first Up chose for a Dir.
type settings struct {
	Brokers  int  `json:"brokers"`
	Nodes    int  `json:"nodes"`
	Search   int  `json:"search,omitempty"`
	PortBase int  `json:"port_base"`
	Secured  bool `json:"secured,omitempty"`
	Synced   bool `json:"synced,omitempty"`
}

const settingsFile = "settings.json"

// loadSettings returns fs.ErrNotExist where dir holds no cluster.
func loadSettings(dir string) (settings, error) {
	var s settings
	b, err := os.ReadFile(filepath.Join(dir, settingsFile))
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("cluster: %s in %s: %w", settingsFile, dir, err)
	}
	return s, nil
}

// settle returns the settings of o.Dir, made from o where there are none yet.
func settle(o Options) (settings, error) {
	have, err := loadSettings(o.Dir)
	if err == nil {
		return have, have.match(o)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return have, err
	}
	s := settings{Brokers: o.Brokers, Nodes: o.Nodes, Search: o.Search, PortBase: o.PortBase, Secured: o.Secured, Synced: o.Synced}
	if s.PortBase == 0 {
		if s.PortBase, err = freePorts(); err != nil {
			return s, err
		}
	}
	b, err := json.Marshal(s)
	if err != nil {
		return s, err
	}
	return s, writeFile(filepath.Join(o.Dir, settingsFile), b)
}

func (s settings) match(o Options) error {
	if s.Brokers == o.Brokers && s.Nodes == o.Nodes && s.Search == o.Search && s.Secured == o.Secured && s.Synced == o.Synced &&
		(o.PortBase == 0 || o.PortBase == s.PortBase) {
		return nil
	}
	return fmt.Errorf("cluster: %s holds %d brokers, %d nodes and %d of OpenSearch at port %d (secured: %v, synced: %v): wipe it first, or choose another Dir",
		o.Dir, s.Brokers, s.Nodes, s.Search, s.PortBase, s.Secured, s.Synced)
}
