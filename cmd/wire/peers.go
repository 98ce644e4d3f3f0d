package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"millrace/consumers/index"
	"millrace/consumers/index/remote"
	"millrace/consumers/index/search"
	"millrace/ops/members"
	"millrace/ops/watch"
	"millrace/ops/web"
	"millrace/schema"
)

// cluster is this process's view of the other processes of a cluster, and what it publishes about
// itself.
type cluster struct {
	*opened
	roster          *members.Roster          // nil without a cluster
	id              string                   // of this process in the list of members
	siteAt, peersAt string                   // addresses at which this process listens; "": it does not
	running         atomic.Pointer[[]string] // groups that Run runs in this process
	counts          *members.Counts          // counters of all processes, over all time
}

func newCluster(o *opened) (*cluster, error) {
	c := &cluster{opened: o}
	id, err := o.Dir.ID()
	if err != nil {
		return nil, err
	}
	c.counts = members.NewCounts(members.DefaultOptions(), o.Store, o.Log, o.Meter, id)
	if o.Config.Embedded() {
		return c, nil
	}
	if c.id = o.outside.ID; c.id == "" {
		if c.id, err = o.Config.memberID(); err != nil {
			return nil, err
		}
	}
	c.roster, err = members.New(members.DefaultOptions(), o.Store, o.Log)
	return c, err
}

// openSearch makes the searcher, over the shards of this process; on a cluster over those of all
// processes.
func (s *groups) openSearch(c *cluster) (err error) {
	s.source = s.shards
	if !s.Config.Embedded() {
		client, err := peerHTTP(s.Meta.Token)
		if err != nil {
			return fmt.Errorf("%w (millrace provision makes it)", err)
		}
		s.onClose(client.CloseIdleConnections)
		s.source = &remote.Source{
			Local: s.shards, Count: s.Meta.SitePartitions, Logger: s.Log, Empty: s.isEmpty,
			Peers: func() []*remote.Peer { return c.peers(client) },
		}
	}
	s.searcher, err = search.New(search.DefaultOptions(), s.source)
	return err
}

// peerHTTP returns an HTTP client for the peers of a cluster. It uses no proxy and follows no
// redirects, because peers send none.
func peerHTTP(secret string) (*http.Client, error) {
	id, err := remote.NewIdentity(secret)
	if err != nil {
		return nil, err
	}
	return &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 32, IdleConnTimeout: time.Minute, TLSClientConfig: id.Client},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// peers lists the other processes that answer for a part of the index.
func (s *cluster) peers(client *http.Client) []*remote.Peer {
	var out []*remote.Peer
	for _, m := range s.roster.List(context.Background()) {
		if m.Peers != "" && m.Id != s.id {
			out = append(out, &remote.Peer{URL: "https://" + m.Peers, HTTP: client})
		}
	}
	return out
}

// peerServer answers searches of other processes.
type peerServer struct {
	address  string // the address at which they reach it
	listener net.Listener
	handler  *remote.Handler
	http     *http.Server
}

// listenToPeers begins to listen for peers; it returns nil if peers is not configured.
func (s *answers) listenToPeers() (*peerServer, error) {
	if s.Config.Peers == "" {
		return nil, nil
	}
	id, err := remote.NewIdentity(s.Meta.Token)
	if err != nil {
		return nil, fmt.Errorf("%w (millrace provision makes it)", err)
	}
	h, err := remote.NewHandler(remote.DefaultOptions(), s.groups.shards)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", s.Config.Peers)
	if errors.Is(err, syscall.EADDRINUSE) { // explained here, because callers of Listen attribute EADDRINUSE to --listen
		return nil, fmt.Errorf("%s is taken: name another address with --peers", s.Config.Peers)
	}
	if err != nil {
		return nil, fmt.Errorf("peers: %w", err)
	}
	address, err := advertise(s.Config.Peers, l.Addr())
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &peerServer{
		address: address, listener: tls.NewListener(netutil.LimitListener(l, maxPeerConns), id.Server), handler: h,
		http: &http.Server{
			Handler: web.LogPanics(h, s.Log), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute,
			ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug), // TLS errors of clients that are no peers
		},
	}, nil
}

// maxPeerConns bounds the connections at once; further ones wait until one ends.
const maxPeerConns = 1024

// advertise returns the address that other processes dial: the configured host, or this machine's
// name if it is empty or 0.0.0.0, with the port that the listener got.
func advertise(configured string, taken net.Addr) (string, error) {
	host, _, err := net.SplitHostPort(configured)
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		if host, err = os.Hostname(); err != nil {
			return "", fmt.Errorf("peers: %w", err)
		}
	}
	_, port, err := net.SplitHostPort(taken.String())
	return net.JoinHostPort(host, port), err
}

// run answers until ctx ends. A nil peerServer does nothing.
func (p *peerServer) run(ctx context.Context) error {
	if p == nil {
		return nil
	}
	ended := make(chan error, 1)
	go func() { ended <- p.http.Serve(p.listener) }()
	<-ctx.Done()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	err := p.http.Shutdown(late)
	if err != nil {
		err = p.http.Close()
	}
	p.handler.Close()
	if e := <-ended; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// ready returns an error if a search would be incomplete, with the reasons.
func (s *answers) ready() error {
	if s.Config.NoIndex {
		return nil
	}
	if s.Config.Embedded() {
		return s.groups.shards.Ready()
	}
	v, err := s.groups.source.View(context.Background())
	if err != nil {
		return err
	}
	for _, sh := range v.Shards {
		err = errors.Join(err, sh.Release())
	}
	for _, g := range v.Gaps {
		err = errors.Join(err, errors.New(g.String()))
	}
	return err
}

// memberRow returns this process's row in the list of members.
func (s *runner) memberRow(groups []string) *schema.MemberRow {
	row := &schema.MemberRow{Id: s.id, Address: s.siteAt, Peers: s.peersAt, Groups: groups, Live: liveOf(s.Status(), s.requests())}
	row.Live.Arrivals = s.arrivals.Counts(time.Now())
	for _, h := range s.groups.shards.Status() {
		row.Shards = append(row.Shards, &schema.ShardOffset{
			Partition: h.Partition, Generation: int64(h.Generation), Offset: h.Offset, Documents: h.Docs,
			Owned: h.Owned, Era: h.Era, Need: h.Need,
		})
	}
	return row
}

// dropMoved closes shards of partitions that moved, once the new owner has read at least as far as
// this process. Until then this process still answers from them.
func (s *runner) dropMoved(ctx context.Context) {
	list := s.roster.List(ctx)
	for _, here := range s.groups.shards.Status() {
		if here.Owned || here.Error != "" || !movedAway(here, list, s.id) {
			continue
		}
		if err := s.groups.shards.Drop(here.Partition); err != nil {
			s.Log.Warn("index shard that moved away not closed", "partition", here.Partition, "error", err)
		}
	}
}

// movedAway reports whether another member owns a partition, has read at least as far as the shard
// here, and has caught up.
func movedAway(here index.ShardStatus, list []*schema.MemberRow, own string) bool {
	return slices.ContainsFunc(list, func(m *schema.MemberRow) bool {
		return m.Id != own && m.Peers != "" && slices.ContainsFunc(m.Shards, func(o *schema.ShardOffset) bool {
			further := o.Era > here.Era || o.Era == here.Era && o.Offset >= here.Offset
			return o.Partition == here.Partition && o.Owned && further && o.Need > 0 && o.Offset >= o.Need
		})
	})
}

// memberID returns a name that no other process of the cluster has: Config.Member, or host and
// process id.
func (c Config) memberID() (string, error) {
	if c.Member != "" {
		return c.Member, nil
	}
	host, err := os.Hostname()
	return fmt.Sprintf("%s/%d", host, os.Getpid()), err
}

// members lists the processes of the cluster for the dashboard.
func (s *cluster) members(ctx context.Context) ([]watch.Member, error) {
	if s.roster == nil {
		return nil, nil
	}
	var out []watch.Member
	for _, m := range s.roster.List(ctx) {
		out = append(out, watch.Member{ID: m.Id, Groups: m.Groups, Addr: m.Address, SeenAt: fromMillis(m.SeenAt)})
	}
	return out, nil
}

// shardsElsewhere lists shards that other processes have and this one does not.
func (s *cluster) shardsElsewhere(here []watch.Shard) []watch.Shard {
	if s.roster == nil {
		return nil
	}
	best := map[int32]watch.Shard{}
	for _, m := range s.roster.List(context.Background()) {
		for _, o := range m.Shards {
			known := slices.ContainsFunc(here, func(h watch.Shard) bool { return h.Partition == o.Partition })
			if old, ok := best[o.Partition]; m.Id != s.id && !known && (!ok || old.Offset < o.Offset) {
				best[o.Partition] = watch.Shard{Partition: o.Partition, Generation: int(o.Generation), Docs: o.Documents, Offset: o.Offset, Member: m.Id}
			}
		}
	}
	return slices.SortedFunc(maps.Values(best), func(a, b watch.Shard) int { return cmp.Compare(a.Partition, b.Partition) })
}
