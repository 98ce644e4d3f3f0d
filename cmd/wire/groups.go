package wire

import (
	"context"
	"math"
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
	"millrace/ops/watch"
	"millrace/ops/web"
	"millrace/producers/indexnow"
	"millrace/producers/websub"
	"millrace/topics"
)

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

	schedule *schedule.Schedule
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
	if s.ranks, err = ranks.New(ranks.DefaultOptions(), ranks.Deps{Graph: links.Graph{Store: s.Store}, Logger: s.Log}); err != nil {
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
	o.PagesPerSite = s.Config.MaxPagesSite
	o.BytesPerHost = s.Config.MaxMiBHost << 20
	o.PoliteBy = schedule.PoliteBy(politeBy(s.Config.PoliteBy))
	if s.Config.MaxDepth > 0 {
		o.MaxDepth = int32(min(s.Config.MaxDepth, math.MaxInt32))
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
	o.Web.Dial, o.Slower, o.Judge, o.ByIP = s.outside.Dial, s.slower, s.judgeWaiting, s.Config.PoliteBy == "ip"
	o.Requested = countAnswers(s.Meter)
	if s.outside.Fetch != nil {
		s.outside.Fetch(&o)
	}
	return o
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

// uniqueEnds returns the ends of the partitions of docs.unique.
func (s *groups) uniqueEnds(ctx context.Context) (map[int32]int64, error) {
	return s.Reader.Ends(ctx, topics.Unique().Name)
}

// published returns how many records this process appended to docs.unique.
func (s *groups) published() int64 {
	return s.Meter.Value(dedupe.Group, "sent", topics.Unique().Name)
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

// Status returns the state of this process's part of the frontier.
func (s *groups) Status() schedule.Status { return s.schedule.Status() }
