package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"millrace/consumers/dedupe"
	"millrace/consumers/extract"
	"millrace/consumers/feeds"
	"millrace/consumers/fetch"
	"millrace/consumers/index"
	"millrace/consumers/index/search"
	"millrace/consumers/links"
	"millrace/consumers/ranks"
	"millrace/consumers/schedule"
	"millrace/consumers/sitemaps"
	"millrace/ops/provision"
	"millrace/ops/watch"
	"millrace/ops/web"
	"millrace/producers/indexnow"
	"millrace/producers/websub"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// restartAfter is the pause before a group that failed is started again.
const restartAfter = 2 * time.Second

// groups holds the parts of consumer groups that other parts of the process call, or whose options
// can be wrong. Open makes them, whether the groups run in this process or not.
//
// It is large because it has a field and a constructor for each consumer group.
type groups struct {
	*opened
	scope     *scope
	indexPace *indexPace
	rebuild   rebuild
	replay    replay

	propose func(ctx context.Context, host string) ([]web.Proposal, error) // proposes rules from patterns; nil: no proposals

	schedule *schedule.Group
	fetcher  atomic.Pointer[fetch.Fetcher] // nil: fetch does not run in this process
	extract  *extract.Worker
	dedupe   *dedupe.Deduper
	ranks    *ranks.Ranks
	table    *ranks.Table
	shards   *index.Shards
	arrivals watch.Arrivals
	websub   *websub.Subscriber // nil: WebSub is off
	lists    *feeds.Feeds       // reads feeds for websub
	indexnow *indexnow.Endpoint // nil: IndexNow is off
	source   search.Source
	searcher *search.Searcher
}

// openGroups makes the parts in groups.
func (s *groups) openGroups(c *cluster) (err error) {
	s.schedule, err = schedule.New(s.scheduleOptions(), schedule.Deps{
		Store: s.Store, Canonicalizer: s.Canon, Logger: s.Log, Clock: s.outside.Clock, Ready: s.control.Ready,
	})
	if err != nil {
		return err
	}
	s.propose = s.proposals
	if s.extract, err = s.Config.extractor(s.Canon, s.Log, s.Dir.file("pdf"), s.control.Set()); err != nil {
		return err
	}
	s.onClose(s.extract.Close)
	if err := s.openDedupe(); err != nil {
		return err
	}
	if s.ranks, err = ranks.New(ranks.DefaultOptions(), ranks.Deps{Store: s.Store, Logger: s.Log}); err != nil {
		return err
	}
	if err := s.openWebSub(); err != nil {
		return err
	}
	if err := s.openIndexNow(); err != nil {
		return err
	}
	if err := s.newIndex(); err != nil {
		return err
	}
	return s.openSearch(c)
}

// newIndex makes the index and begins to follow the topic ranks. A process of a cluster opens the
// files of the index only when it runs the group index.
func (s *groups) newIndex() (err error) {
	s.table = ranks.NewTable()
	ctx, stop := context.WithCancel(context.Background())
	var following sync.WaitGroup
	following.Go(func() { s.table.Follow(ctx, s.Reader, s.Log) })
	s.onClose(func() { stop(); following.Wait() })
	s.shards, err = index.New(s.indexOptions(), index.Deps{
		Logger: s.Log, Proof: s.proof, Anchors: s.anchors, Partitions: s.Meta.SitePartitions, Empty: s.isEmpty,
	})
	if err != nil {
		return err
	}
	s.onClose(func() {
		if err := s.shards.Close(); err != nil {
			s.Log.Error("index not closed in order", "error", err)
		}
	})
	s.onClose(s.rebuild.close)
	s.onClose(s.replay.close)
	if s.keeper != nil && !s.Config.NoIndex {
		s.keeper.Follow(topics.Links().Name, index.Group, s.linksRead)
	}
	if s.Config.Embedded() {
		return s.shards.Open()
	}
	return nil
}

func (s *groups) indexOptions() index.Options {
	o := index.DefaultOptions()
	o.Dir = s.Dir.file("index")
	o.Shard.Ranks = s.table
	o.Arrived = func(listed time.Time) { s.arrivals.Add(listed, time.Now()) }
	// Small batches cost more in merging: with batches of one second indexing took 30 to 45 % less
	// CPU than with 250 ms. Pages are promised to be found within five seconds.
	o.SmallBatch, o.Pause = 200, time.Second
	if s.Config.Embedded() { // the built-in broker does not compact
		o.MaxAge = 0
	}
	return o
}

// isEmpty reports whether nothing was ever published in a partition of docs.unique.
func (s *groups) isEmpty(ctx context.Context, partition int32) bool {
	end, err := s.Reader.End(ctx, topics.Unique().Name, partition)
	return err == nil && end == 0
}

// proof returns what dedupe noted about a partition of docs.unique (offset, digest, number of
// documents), if it noted that for the topic with the present id.
func (s *groups) proof(ctx context.Context, p int32) (proof index.Proof, ok bool, err error) {
	id, err := s.Reader.TopicID(ctx, topics.Unique().Name)
	if err != nil {
		return proof, false, err
	}
	proof.Offset, proof.Digest, proof.Documents, ok, err = dedupe.ProofOf(ctx, s.Store, p, id)
	return proof, ok, err
}

func (s *groups) scheduleOptions() schedule.Options {
	o := schedule.DefaultOptions()
	o.Delay, o.MaxPages, o.InScope, o.Rules = s.Config.Delay, s.Config.MaxPages, s.scope.has, s.control.Set()
	s.Config.recrawl(&o)
	o.Traps, o.Breadth = s.Config.Traps, s.Config.Order == "breadth"
	o.URLsPerHost, o.PagesPerHost, o.HostsPerSite = s.Config.MaxURLsHost, s.Config.MaxPagesHost, s.Config.MaxHostsSite
	o.PoliteBy = schedule.PoliteBy(politeBy(s.Config.PoliteBy))
	if s.Config.MaxDepth > 0 {
		o.MaxDepth = int32(s.Config.MaxDepth)
	}
	return o
}

// recrawl copies the settings of re-crawls.
func (c Config) recrawl(o *schedule.Options) {
	o.Interval, o.MinInterval, o.MaxInterval = c.Recrawl, c.RecrawlMin, c.RecrawlMax
	o.RecrawlShare, o.WeighByScore = float64(c.RecrawlShare)/100, c.RecrawlBy == "score"
	o.MinFeed, o.MaxFeed = c.FeedMin, c.FeedMax
	if o.FeedInterval = min(max(o.FeedInterval, c.FeedMin), c.FeedMax); c.Recrawl == 0 {
		o.FeedInterval = 0
	}
}

// runner runs groups of this process.
type runner struct {
	*opened
	*groups
	*cluster
}

// Groups returns the names of the groups that `run` runs: all, but for index with no-index.
func (c Config) Groups() []string {
	return slices.DeleteFunc(topics.GroupNames(), func(name string) bool { return c.NoIndex && name == index.Group })
}

// Run runs members of the named groups, and the taps, until ctx ends. If Kafka or the store denies
// a group a right, Run ends with an error that names it; rights that can be checked are checked
// first.
func (s *runner) Run(ctx context.Context, names ...string) error {
	runs := map[string]func(context.Context) error{
		"schedule": s.runSchedule, "fetch": s.runFetch, "extract": s.runExtract, "dedupe": s.runDedupe,
		"index": s.runIndex, "feeds": s.runFeeds, "sitemaps": s.runSitemaps, "documents": s.runDocuments,
		"links": s.runLinks, "ranks": s.runRanks,
	}
	for _, name := range names {
		if runs[name] == nil {
			return fmt.Errorf("no group %q (groups: %v)", name, topics.GroupNames())
		}
	}
	if err := s.mayRun(ctx, names); err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	s.running.Store(&names)
	s.scope.ctx.Store(&ctx)
	defer s.running.Store(nil)
	var all sync.WaitGroup
	if len(names) > 0 {
		all.Go(func() { s.counts.Keep(ctx) })
		all.Go(func() { s.control.Keep(ctx) })
	}
	if s.roster != nil && len(names) > 0 {
		all.Go(func() {
			s.roster.Keep(ctx, func() *schema.MemberRow {
				s.dropMoved(ctx)
				return s.memberRow(names)
			})
		})
	}
	if s.keeper != nil {
		all.Go(func() { s.keeper.Run(ctx) })
		all.Go(func() { s.disk.watch(ctx) })
	}
	if s.keeper != nil && slices.Contains(names, "index") {
		all.Go(func() { s.indexPace.watch(ctx, s.uniqueEnds, s.indexed) })
	}
	for _, name := range names {
		all.Go(func() {
			if err := s.keepRunning(ctx, name, runs[name]); err != nil {
				end(err)
			}
		})
	}
	if s.Config.Learn > 0 && slices.Contains(names, "schedule") {
		all.Go(func() { s.keepLearning(ctx) })
	}
	s.runTaps(ctx, all.Go)
	if s.websub != nil && len(names) > 0 {
		all.Go(func() { s.runWebSub(ctx) })
	}
	if s.indexnow != nil && len(names) > 0 {
		all.Go(func() { s.indexnow.Run(ctx) })
	}
	all.Wait()
	if err := context.Cause(ctx); streams.Denied(err) {
		return err
	}
	return nil
}

// mayRun returns an error with the rights that this process lacks to run groups on a cluster.
func (s *runner) mayRun(ctx context.Context, names []string) error {
	if s.mayWrite == nil || len(names) == 0 {
		return nil
	}
	if err := s.mayWrite(ctx); err != nil {
		return err
	}
	if s.websub != nil || s.indexnow != nil {
		names = append(slices.Clone(names), topics.RoleSeeds)
	}
	return checkRights(ctx, s.Kafka, names...)
}

// uniqueEnds returns the ends of the partitions of docs.unique.
func (s *groups) uniqueEnds(ctx context.Context) (map[int32]int64, error) {
	return s.Reader.Ends(ctx, topics.Unique().Name)
}

// indexed returns how far the index of this process has read docs.unique.
func (s *groups) indexed() map[int32]int64 {
	out := map[int32]int64{}
	for _, h := range s.shards.Status() {
		out[h.Partition] = h.Offset
	}
	return out
}

// linksRead returns how far the index of this process has read the topic links.
func (s *groups) linksRead() map[int32]int64 {
	out := map[int32]int64{}
	for _, h := range s.shards.Status() {
		out[h.Partition] = h.Links
	}
	return out
}

// keepRunning runs a group and starts it again restartAfter after it failed, until ctx ends. If the
// group is denied a right it returns an error that names it.
func (s *runner) keepRunning(ctx context.Context, name string, run func(context.Context) error) error {
	for ctx.Err() == nil {
		err := run(ctx)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if streams.Denied(err) {
			return errors.Join(checkRights(ctx, s.Kafka, name), fmt.Errorf("group %s ends: %w", name, err))
		}
		s.Log.Error("group failed, starting it again", "group", name, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(restartAfter):
		}
	}
	return nil
}

func (s *runner) streams() streams.Config {
	c := streams.DefaultConfig()
	c.Kafka, c.Logger, c.Meter, c.Marks = s.Kafka, s.Log, s.Meter, provision.Marks(s.Store)
	if s.keeper != nil {
		c.Hold, c.Ease = s.hold, s.indexPace.Hold
	}
	c.Layout = streams.Layout{PerHost: s.Meta.HostPartitions, PerSite: s.Meta.SitePartitions}
	c.StopWithin = 6 * time.Second // with the time in which fetch gives up requests that hang, less than ten seconds in all
	if s.Config.Member != "" {
		c.Member, c.Static = s.Config.Member, true
	}
	return c
}

// hold reports whether the frontier of `run` starts nothing new, urgent or not.
func (s *runner) hold() bool {
	low, _ := s.disk.Low()
	return low || s.keeper.Full() || s.groups.dedupe.Full()
}

func (s *runner) runSchedule(ctx context.Context) error {
	return runGroup(ctx, s, "schedule", topics.Discovered(), s.groups.schedule.Task)
}

func (s *runner) runFetch(ctx context.Context) error {
	if err := s.Config.ValidateFetch(); err != nil {
		return err
	}
	f, err := fetch.New(s.fetchOptions(), fetch.Deps{Store: s.Store, Canon: s.Canon, Logger: s.Log})
	if err != nil {
		return err
	}
	defer f.Close()
	s.groups.fetcher.Store(f)
	defer s.groups.fetcher.Store(nil)
	return runGroup(ctx, s, "fetch", topics.Scheduled(), f.Task)
}

func (c Config) fetchOptions() fetch.Options {
	o := fetch.DefaultOptions()
	o.Name, o.Version, o.Contact, o.Delay = c.UserAgent, Version(), c.Contact, c.Delay
	o.Web.AllowPrivate, o.Web.Resolve, o.Web.Ports = c.AllowPrivate, c.Resolve, c.ports()
	o.Web.MaxFileBytes = int64(c.MaxFile) << 20
	o.Bench.InFlight, o.Bench.AddressGap = c.Requests, c.DelayIP
	if o.Bench.SiteDelay = c.DelaySite; c.DelaySite == 0 {
		o.Bench.SiteDelay = c.Delay
	}
	return o
}

// fetchOptions returns the options of fetch from the configuration and from Outside.
func (s *groups) fetchOptions() fetch.Options {
	o := s.Config.fetchOptions()
	o.Web.Dial, o.Slower, o.ByIP = s.outside.Dial, s.slower, s.Config.PoliteBy == "ip"
	if s.outside.Fetch != nil {
		s.outside.Fetch(&o)
	}
	return o
}

func (s *runner) runExtract(ctx context.Context) error {
	start := func(p *streams.Partition) streams.Task[*schema.Page] { return extract.New(s.groups.extract, p) }
	return runGroup(ctx, s, "extract", topics.Pages(), start)
}

func (s *runner) runDocuments(ctx context.Context) error {
	start := func(p *streams.Partition) streams.Task[*schema.Page] {
		return extract.NewDocuments(s.groups.extract, p)
	}
	return runGroup(ctx, s, extract.Documents, topics.Files(), start)
}

func (s *runner) runFeeds(ctx context.Context) error {
	g, err := feeds.New(feeds.DefaultOptions(), feeds.Deps{Canon: s.Canon})
	if err != nil {
		return err
	}
	return runGroup(ctx, s, feeds.Group, topics.Feeds(), g.Task)
}

func (s *runner) runSitemaps(ctx context.Context) error {
	g, err := sitemaps.New(sitemaps.DefaultOptions(), sitemaps.Deps{Canon: s.Canon})
	if err != nil {
		return err
	}
	return runGroup(ctx, s, sitemaps.Group, topics.Feeds(), g.Task)
}

func (s *runner) runDedupe(ctx context.Context) error {
	return runGroup(ctx, s, dedupe.Group, topics.Extracted(), s.groups.dedupe.Task)
}

// openDedupe makes the group dedupe. It cleans docs.unique only on the built-in broker, and reads a
// round's rows concurrently only if the store is not in this process.
func (s *groups) openDedupe() (err error) {
	o, deps := dedupe.DefaultOptions(), dedupe.Deps{Store: s.Store, Logger: s.Log}
	o.Transactions, o.ReadAhead = s.Kafka.Transactions, !s.Config.Embedded()
	if s.Config.Embedded() {
		deps.Trimmer = trimmer{s}
	}
	s.dedupe, err = dedupe.New(o, deps)
	return err
}

func (s *runner) runLinks(ctx context.Context) error {
	g, err := links.New(links.DefaultOptions(), links.Deps{Store: s.Store, Canon: s.Canon, Logger: s.Log})
	if err != nil {
		return err
	}
	return runGroup(ctx, s, links.Group, topics.Found(), g.Task)
}

func (s *runner) runRanks(ctx context.Context) error {
	return runGroup(ctx, s, ranks.Group, topics.Graph(), s.groups.ranks.Task)
}

func (s *runner) runIndex(ctx context.Context) error {
	if err := s.groups.shards.Open(); err != nil {
		return err
	}
	return runGroup(ctx, s, index.Group, topics.Unique(), s.groups.shards.Task)
}

// runGroup looks the group up in topics.Groups and runs a member of it.
func runGroup[M topics.Message](ctx context.Context, s *runner, name string, t topics.Topic[M], start func(*streams.Partition) streams.Task[M]) error {
	g, err := topics.GroupNamed(name)
	if err != nil {
		return err
	}
	return streams.Run(ctx, s.streams(), g, t, start)
}

// Status returns the state of this process's part of the frontier.
func (s *groups) Status() schedule.Status { return s.schedule.Status() }
