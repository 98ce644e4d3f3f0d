package wire

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"millrace/consumers/schedule"
	"millrace/ops/deadletters"
	"millrace/ops/records"
	"millrace/ops/watch"
	"millrace/ops/web"
	"millrace/schema"
)

// Watch returns the source of the report that dashboard, metrics, status and progress print.
func (s *survey) Watch() (*watch.Watch, error) {
	return watch.New(watch.DefaultOptions(), watch.Sources{
		Lag: s.lag, Positions: s.Reader.Positions, Meter: s.Meter,
		Counts: s.counts.Total,
		Frontier: func(ctx context.Context) (watch.Frontier, error) {
			f, err := s.frontierStatus(ctx)
			return frontier(f), err
		},
		Requests:    s.allRequests,
		Index:       s.indexShards,
		Members:     s.members,
		Pages:       s.countPages,
		Freshness:   s.freshness,
		Notices:     s.notes,
		DeadLetters: func(ctx context.Context) (int64, error) { return deadletters.Count(ctx, s.Reader) },
	})
}

// frontier converts the frontier's status for the dashboard.
func frontier(f schedule.Status) watch.Frontier {
	out := watch.Frontier{
		Hosts: f.Hosts, HostsReady: int64(f.Ready), HostsWaiting: int64(f.Waiting),
		Queued: f.URLs[schema.UrlRow_QUEUED], InFlight: f.InFlight, Fetched: f.Pages, NextDue: f.Next,
		Recovering: f.Recovering, Full: f.Full,
		ByStatus: map[string]int64{}, ByReason: f.Causes, Drops: f.Drops,
	}
	for _, day := range slices.Sorted(maps.Keys(f.Days)) {
		d := f.Days[day]
		out.Days = append(out.Days, watch.Day{Date: time.UnixMilli(day * 24 * time.Hour.Milliseconds()).UTC().Format(time.DateOnly),
			Fetched: d.Fetched, Useful: d.Useful, Fit: d.Fit, Documents: d.Documents, Share: float64(d.Useful) / float64(max(d.Fetched, 1))})
	}
	for status, n := range f.URLs {
		out.ByStatus[status.String()] = n
	}
	return out
}

func (s *groups) requests() (r watch.Requests) {
	if f := s.fetcher.Load(); f != nil {
		now := f.Requests()
		r.InFlight, r.Most, r.Slow, r.Elsewhere, r.Early = now.InFlight, now.Most, now.Slow, now.Elsewhere, now.Early
		if since := f.OfflineSince(); !since.IsZero() {
			r.OfflineSince = since.UTC().Format(time.RFC3339)
		}
	}
	return r
}

func (s *survey) indexShards() []watch.Shard {
	var out []watch.Shard
	for _, h := range s.groups.shards.Status() {
		w := watch.Shard{
			Partition: h.Partition, Generation: h.Generation, Docs: h.Docs, Offset: h.Offset,
			Time: h.Time, Proven: h.Proven, Frozen: h.Frozen, Problem: h.Error,
		}
		switch {
		case h.Error == "" && h.Replacing:
			w.Problem = "is filled anew, because " + h.Anew + "; what was there answers until then"
		case h.Error == "" && h.Missing > 0:
			w.Problem = fmt.Sprintf("catches up: at record %d of %d", h.Offset, h.Need)
		case h.Difference != nil:
			w.Problem = "differs from docs.unique: rebuild it"
		}
		out = append(out, w)
	}
	return append(out, s.shardsElsewhere(out)...)
}

// answers implements the requests of search page, dashboard and API.
type answers struct {
	*opened
	*groups
	*cluster
	*survey
	*additions
}

// Server is a web server that listens already; it answers when Run is called.
type Server struct {
	web   *web.Server
	watch *watch.Watch
	peers *peerServer // nil: none
}

// Listen begins to listen for the search page, dashboard and API, and writes the address into the
// data directory for other commands. If peers is set it listens for peers, too.
func (s *answers) Listen() (*Server, error) {
	site, err := s.listen()
	if err != nil {
		return nil, err
	}
	if site.peers, err = s.listenToPeers(); err != nil {
		return nil, errors.Join(err, site.web.Close())
	}
	if site.peers != nil {
		s.peersAt = site.peers.address
	}
	s.siteAt = site.Addr()
	return site, nil
}

func (s *answers) listen() (*Server, error) {
	token, err := s.Dir.Token()
	if err != nil {
		return nil, err
	}
	w, err := s.Watch()
	if err != nil {
		return nil, err
	}
	opts := web.DefaultOptions()
	opts.Listen, opts.Names, opts.PublicSearch = s.Config.Listen, s.Config.ServeNames, s.Config.Public
	server, err := web.New(opts, web.Deps{
		Watch: w, Token: token, Logger: s.Log,
		Search: s.searchPage, Suggest: s.Suggest, Text: s.Text, Why: s.Why, Ready: s.ready, Healthy: s.healthy,
		Recheck: s.RecheckKnown, Seed: s.seedURLs, Idler: s.Idler, Rebuild: s.Rebuild, Rebuilding: s.Rebuilding, Operators: &operators{s.opened, s.groups, s.cluster, s.additions},
		WebSub: s.hubs(), IndexNow: s.announced(), Ranks: s.Ranks, DeadLetters: s.DeadLetters, PutBack: s.PutBack, Records: s.Records, Follow: s.Follow, Replayer: s,
	})
	if err != nil {
		return nil, err
	}
	if err := s.Dir.SetAddress(server.Addr()); err != nil {
		return nil, errors.Join(err, server.Close())
	}
	return &Server{web: server, watch: w}, nil
}

// Addr returns the address at which the server listens.
func (s *Server) Addr() string { return s.web.Addr() }

// Report returns the state of the pipeline.
func (s *Server) Report(ctx context.Context) watch.Report { return s.watch.Report(ctx) }

// Run answers until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	sampled, answered := make(chan error, 1), make(chan error, 1)
	go func() { sampled <- s.watch.Run(ctx) }()
	go func() { answered <- s.peers.run(ctx) }()
	return errors.Join(s.web.Run(ctx), <-sampled, <-answered)
}

// noIndex returns an error that says why no part of the index answers.
func (s *answers) noIndex(ctx context.Context) error {
	if s.Config.NoIndex {
		return &web.Unavailable{Message: "This crawl runs without an index: start it again without --no-index to search."}
	}
	if s.Config.Embedded() || s.runs(ctx, "index") {
		return &web.Unavailable{Message: "The index is being opened: ask again in a moment."}
	}
	return &web.Unavailable{Message: "No process of the group index is there: start one with millrace consume index --peers HOST:PORT."}
}

// seedURLs is SeedAllowed, with errors about a URL returned as user errors.
func (s *answers) seedURLs(ctx context.Context, urls []string, scope string) (web.Seeded, error) {
	out, err := s.SeedAllowed(ctx, urls, scope)
	var bad *schema.URLError
	if errors.As(err, &bad) {
		return out, &web.UserError{Message: err.Error()}
	}
	return out, err
}

// healthy runs a real query on the index.
func (s *answers) healthy(ctx context.Context) error {
	if s.Config.NoIndex {
		return nil
	}
	_, err := s.Search(ctx, "a", 0, 1)
	return err
}

// DeadLetters lists dead letters, newest first.
func (s *answers) DeadLetters(ctx context.Context, limit int) ([]deadletters.Letter, error) {
	return deadletters.List(ctx, s.Reader, limit)
}

// PutBack appends dead letters to the topics that they came from; nil: all of them.
func (s *answers) PutBack(ctx context.Context, offsets []int64) (int, error) {
	return deadletters.PutBack(ctx, s.Kafka, s.Reader, offsets)
}

// Records calls each for records of a topic.
func (s *answers) Records(ctx context.Context, topic string, o records.Options, each func(records.Record) error) error {
	if err := records.Each(ctx, s.Reader, topic, o, each); err != nil {
		return fmt.Errorf("topic %s: %w", topic, err)
	}
	return nil
}

// Follow gives records of a topic to a follower as they come, until ctx ends.
func (s *answers) Follow(ctx context.Context, topic string, o records.Options, begin records.Position, to records.Follower) error {
	if err := records.Follow(ctx, s.Reader, topic, o, begin, to); err != nil {
		return fmt.Errorf("topic %s: %w", topic, err)
	}
	return nil
}
