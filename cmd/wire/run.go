package wire

import (
	"context"
	"fmt"
	"millrace/consumers/dedupe"
	"millrace/consumers/extract"
	"millrace/consumers/feeds"
	"millrace/consumers/fetch"
	"millrace/consumers/index"
	"millrace/consumers/links"
	"millrace/consumers/near"
	"millrace/consumers/ranks"
	"millrace/consumers/schedule"
	"millrace/consumers/sitemaps"
	"millrace/ops/provision"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
	"slices"
	"sync"
	"time"
)

// restartAfter is the pause before a group that failed is started again.
const restartAfter = 2 * time.Second

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
	runs, err := s.runsOf(names)
	if err != nil {
		return err
	}
	if err := s.mayRun(ctx, names); err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	if s.disk != nil && s.disk.waits != nil {
		s.disk.waits(ctx)
	}
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
		all.Go(func() { s.indexPace.watch(ctx, uniqueLog{s.uniqueEnds, s.published}, s.indexed) })
	}
	for _, name := range names {
		all.Go(func() {
			if err := s.keepRunning(ctx, name, name, runs[name]); err != nil {
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

// runs has an entry for every group of topics.Groups: how it is run in this process.
func (s *runner) runs() map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"schedule": s.runSchedule, "fetch": s.runFetch, "extract": s.runExtract, "dedupe": s.runDedupe,
		"index": s.runIndex, "feeds": s.runFeeds, "sitemaps": s.runSitemaps, "documents": s.runDocuments,
		"links": s.runLinks, "ranks": s.runRanks, "near": s.runNear,
	}
}

// runsOf returns the entries of the named groups. The error tells a name that is no group from a
// group that nobody wrote an entry for.
func (s *runner) runsOf(names []string) (map[string]func(context.Context) error, error) {
	runs := s.runs()
	for _, name := range names {
		if runs[name] != nil {
			continue
		}
		if _, err := topics.GroupNamed(name); err == nil {
			return nil, fmt.Errorf("group %q has no entry in runs of cmd/wire/run.go: write a method that runs it, and add it there", name)
		}
		return nil, fmt.Errorf("no group %q (groups: %v)", name, topics.GroupNames())
	}
	return runs, nil
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

// keepRunning runs a group and starts it again restartAfter after it failed, until ctx ends. If the
// group is denied a right it returns an error that names it, as one of its role.
func (s *runner) keepRunning(ctx context.Context, name, role string, run func(context.Context) error) error {
	for ctx.Err() == nil {
		err := run(ctx)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if streams.Denied(err) {
			return namingRights(ctx, s.Kafka, role, fmt.Errorf("group %s ends: %w", name, err))
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
	s.Config.setMember(&c)
	return c
}

// hold reports whether the frontier of `run` starts nothing new, urgent or not.
func (s *runner) hold() bool {
	low, _ := s.disk.Low()
	return low || s.keeper.Full() || s.groups.dedupe.Full()
}

func (s *runner) runSchedule(ctx context.Context) error {
	return runGroup(ctx, s, schedule.Group, topics.Discovered(), s.groups.schedule.Task)
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
	return runGroup(ctx, s, fetch.Group, topics.Scheduled(), f.Task)
}

func (s *runner) runExtract(ctx context.Context) error {
	return runGroup(ctx, s, extract.Group, topics.Pages(), s.groups.extract.Task)
}

func (s *runner) runDocuments(ctx context.Context) error {
	return runGroup(ctx, s, extract.Documents, topics.Files(), s.groups.extract.FileTask)
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

func (s *runner) runLinks(ctx context.Context) error {
	o := links.DefaultOptions()
	o.ReadAhead = !s.Config.Embedded()
	g, err := links.New(o, links.Deps{Store: s.Store, Canon: s.Canon, Logger: s.Log})
	if err != nil {
		return err
	}
	return runGroup(ctx, s, links.Group, topics.Found(), g.Task)
}

func (s *runner) runNear(ctx context.Context) error {
	o := near.DefaultOptions()
	o.ReadAhead = !s.Config.Embedded()
	g, err := near.New(o, near.Deps{Store: s.Store})
	if err != nil {
		return err
	}
	return runGroup(ctx, s, near.Group, topics.NearFound(), g.Task)
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
