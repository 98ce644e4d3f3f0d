package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"millrace/cmd/settings"
	"millrace/consumers/taps"
	"millrace/consumers/taps/place"
	"millrace/consumers/taps/table"
	"millrace/consumers/taps/warc"
	"millrace/streams"
	"millrace/topics"
)

// TapSpec configures a tap: the format, the place and the topic.
type TapSpec struct {
	Format string
	Out    string
	Topic  string // "": the format's first topic
	Group  string // "": named after format and place
}

// tapFormat is a file format and the topics that it can read.
type tapFormat struct {
	name   string
	topics []string // the first is read unless another is named
	make   func(Config) taps.Format
}

func tapFormats() []tapFormat {
	var all []string
	for _, t := range topics.All() {
		if t.Name != topics.DeadLetters().Name && t.Name != topics.Unique().Name {
			all = append(all, t.Name)
		}
	}
	return []tapFormat{
		{"parquet", []string{topics.Unique().Name}, func(Config) taps.Format { return table.NewDocuments() }},
		{"jsonl", append([]string{topics.Unique().Name}, all...), func(Config) taps.Format { return taps.JSONL{} }},
		{"warc", []string{topics.Pages().Name, topics.Files().Name, topics.Feeds().Name}, func(c Config) taps.Format {
			return warc.Format{Software: "millrace/" + Version(), Operator: c.Contact}
		}},
		{"links", []string{topics.Discovered().Name}, func(Config) taps.Format { return table.NewLinks() }},
	}
}

// TapFormats returns the names of the formats of taps that write files.
func TapFormats() []string {
	var out []string
	for _, f := range tapFormats() {
		out = append(out, f.name)
	}
	return out
}

// ParseTap reads FORMAT=PLACE or FORMAT:TOPIC=PLACE.
func ParseTap(s string) (TapSpec, error) {
	what, out, ok := strings.Cut(s, "=")
	format, topic, named := strings.Cut(what, ":")
	if !ok || out == "" || named && topic == "" {
		return TapSpec{}, fmt.Errorf("tap: %q is not of the form FORMAT=DIR or FORMAT:TOPIC=DIR, such as parquet=./documents or jsonl:links.found=./lines", s)
	}
	spec := TapSpec{Format: format, Out: out, Topic: topic}
	return spec, spec.Validate()
}

// CheckTap returns an error for a wrong tap, or wrong bounds of its files.
func (c Config) CheckTap(s TapSpec) error { return errors.Join(s.Validate(), c.tapFiles().Validate()) }

// tapFiles returns the bounds of the files of taps.
func (c Config) tapFiles() taps.Options {
	o := taps.DefaultOptions()
	o.RollBytes, o.RollEvery, o.Patience = int64(c.RollMiB)<<20, c.RollEvery, c.TapWait
	return o
}

// Validate returns an error for a wrong format or topic.
func (s TapSpec) Validate() error {
	i := slices.IndexFunc(tapFormats(), func(f tapFormat) bool { return f.name == s.Format })
	if i < 0 {
		near := ""
		if n := settings.Nearest(s.Format, TapFormats()); n != "" {
			near = ": did you mean " + n + "?"
		}
		return fmt.Errorf("no tap %q%s (taps into files: %s)", s.Format, near, strings.Join(TapFormats(), ", "))
	}
	if f := tapFormats()[i]; s.Topic != "" && !slices.Contains(f.topics, s.Topic) {
		return fmt.Errorf("%s cannot be made of %s: it is made of %s", s.Format, s.Topic, strings.Join(f.topics, ", "))
	}
	return s.checkGroup()
}

// checkGroup refuses the names of the crawl's own groups, whose offsets a tap would move on over
// records that they have not read, and names that are no words.
func (s TapSpec) checkGroup() error {
	switch name := s.Group; {
	case name == "":
		return nil
	case slices.Contains(topics.GroupNames(), name) || name == topics.PutBackGroup:
		return fmt.Errorf("the group %s is one of the crawl itself: give the tap a name of its own", name)
	case len(name) > 200 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != "":
		return fmt.Errorf("%q is no name of a group: letters, digits, dots, _ and -, at most 200", name)
	}
	return nil
}

// Tap is an opened tap.
type Tap struct {
	*taps.Tap
	Reader *streams.Log
	Meter  *streams.Meter
	place  place.Place
	run    func(context.Context) error
	close  func()
}

// openTap opens the place and makes a tap that writes to it.
func openTap(ctx context.Context, cfg Config, spec TapSpec, log *slog.Logger, meter *streams.Meter, kafka string) (*taps.Tap, place.Place, error) {
	if err := spec.Validate(); err != nil {
		return nil, nil, err
	}
	f := tapFormats()[slices.IndexFunc(tapFormats(), func(f tapFormat) bool { return f.name == spec.Format })]
	if spec.Topic == "" {
		spec.Topic = f.topics[0]
	}
	if err := besideCrawl(spec.Out); err != nil {
		return nil, nil, err
	}
	p, err := place.Open(ctx, spec.Out)
	if err != nil {
		return nil, nil, err
	}
	host, _ := os.Hostname() // only for display
	files := cfg.tapFiles()
	files.Writer = fmt.Sprintf("%s/%d", host, os.Getpid())
	t, err := taps.New(ctx, files, taps.Deps{
		Place: p, Format: f.make(cfg), Topic: spec.Topic, Group: spec.Group, Kafka: kafka, Logger: log, Meter: meter,
	})
	if err != nil {
		return nil, nil, errors.Join(err, p.Close())
	}
	return t, p, nil
}

// besideCrawl refuses a new tap in the data directory of a crawl, or below it, where its files
// would lie among those of the crawl.
func besideCrawl(out string) error {
	whole, err := filepath.Abs(out)
	if err != nil || strings.Contains(out, "://") || exists(filepath.Join(out, "_millrace", "tap.json")) {
		return err
	}
	if at := crawlAbove(whole); at != "" {
		return fmt.Errorf("tap: %s lies in %s, which holds a crawl: name a directory beside it", out, at)
	}
	return nil
}

// OpenTap opens a tap on the log that the configuration names: a cluster's, or that of a data
// directory that is not in use.
func OpenTap(ctx context.Context, cfg Config, spec TapSpec, log *slog.Logger) (*Tap, error) {
	if cfg.Embedded() {
		return openTapHere(ctx, cfg, spec, log)
	}
	kafka, err := cfg.kafka(ctx, log)
	if err != nil {
		return nil, err
	}
	role := ""
	if spec.Group == "" { // rights on groups with other names are not checked
		role = topics.RoleTap
		if err := checkRights(ctx, kafka, role); err != nil {
			return nil, err
		}
	}
	t := &Tap{Meter: streams.NewMeter()}
	c := streams.DefaultConfig()
	c.Kafka, c.Logger, c.Meter = kafka, log, t.Meter
	cfg.setMember(&c)
	if t.Reader, err = streams.NewLog(c.Kafka); err != nil {
		return nil, err
	}
	id, err := t.Reader.ClusterID(ctx)
	if err == nil {
		t.Tap, t.place, err = openTap(ctx, cfg, spec, log, t.Meter, id)
	}
	if err != nil {
		t.Reader.Close()
		return nil, err
	}
	t.run = func(ctx context.Context) error { return namingRights(ctx, kafka, role, t.Tap.Run(ctx, c)) }
	t.close = func() {
		t.Reader.Close()
		_ = t.place.Close()
	}
	return t, nil
}

// openTapHere opens a data directory and makes a tap on its log; no other group runs.
func openTapHere(ctx context.Context, cfg Config, spec TapSpec, log *slog.Logger) (*Tap, error) {
	if err := spec.Validate(); err != nil { // before the directory is opened
		return nil, err
	}
	cfg.Taps = nil
	sys, err := Open(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	t := &Tap{Reader: sys.Reader, Meter: sys.Meter}
	if t.Tap, t.place, err = openTap(ctx, cfg, spec, log, sys.Meter, ""); err != nil {
		sys.Close()
		return nil, err
	}
	t.run = func(ctx context.Context) error { return t.Tap.Run(ctx, sys.runner.streams()) }
	t.close = func() {
		_ = t.place.Close()
		sys.Close()
	}
	return t, nil
}

// Run writes until ctx ends.
func (t *Tap) Run(ctx context.Context) error { return t.run(ctx) }

// Close closes log and place. Run must have returned.
func (t *Tap) Close() { t.close() }

// Status returns the status of the tap, over all processes that write to its place.
func (t *Tap) Status(ctx context.Context) (taps.Status, error) {
	s, err := taps.Look(ctx, t.place)
	if err != nil {
		return s, err
	}
	for _, here := range t.Here().Partitions {
		for i := range s.Partitions {
			if p := &s.Partitions[i]; p.Partition == here.Partition {
				p.Waiting, p.Bytes, p.Since, p.Error = here.Waiting, here.Bytes, here.Since, here.Error
			}
		}
	}
	s.Errors = append(s.Errors, t.Here().Errors...)
	s.Compare(ctx, t.Reader, time.Now())
	return s, nil
}

// Drain returns when all records that are in the log now are in files. See taps.Tap.Drain.
func (t *Tap) Drain(ctx context.Context, tell func(*taps.StuckError)) error {
	return t.Tap.Drain(ctx, t.Reader, tell)
}

// OpenTaps makes the configured taps. Run runs them beside the groups.
func (s *opened) OpenTaps(ctx context.Context) error {
	for _, text := range s.Config.Taps {
		spec, err := ParseTap(text)
		if err != nil {
			return err
		}
		kafka := ""
		if !s.Config.Embedded() {
			if err := checkRights(ctx, s.Kafka, topics.RoleTap); err != nil {
				return err
			}
			if kafka, err = s.Reader.ClusterID(ctx); err != nil {
				return err
			}
		}
		t, p, err := openTap(ctx, s.Config, spec, s.Log, s.Meter, kafka)
		if err != nil {
			return err
		}
		s.taps = append(s.taps, t)
		s.onClose(func() { _ = p.Close() })
	}
	return nil
}

// runTaps runs the taps until ctx ends. A tap that fails is started again; one that is denied a
// right ends, and its error is dropped here.
func (s *runner) runTaps(ctx context.Context, wait func(func())) {
	for _, t := range s.taps {
		wait(func() {
			name := t.Group().Name
			if err := s.keepRunning(ctx, name, topics.RoleTap, func(ctx context.Context) error { return t.Run(ctx, s.streams()) }); err != nil {
				s.Log.Error("tap ends", "group", name, "error", err)
			}
		})
	}
}

// lag returns how far all groups are behind. A tap of this process is among the readers from its
// start; other readers are when they have committed something.
func (s *opened) lag(ctx context.Context) streams.Lag {
	lag := s.Reader.Lag(ctx)
	for _, t := range s.taps {
		g := t.Group()
		if slices.ContainsFunc(lag.Readers, func(l streams.GroupLag) bool { return l.Group == g.Name }) {
			continue
		}
		more := s.Reader.LagOf(ctx, g)
		lag.Readers, lag.Errors = append(lag.Readers, more.Groups...), append(lag.Errors, more.Errors...)
	}
	return lag
}

// DrainTaps returns when the taps of this process have written all records that are in the log now.
// A tap that writes nothing for TapWait is left, and is part of the error; the others are drained.
func (s *opened) DrainTaps(ctx context.Context, tell func(*taps.StuckError)) error {
	var all []error
	for _, t := range s.taps {
		if err := t.Drain(ctx, s.Reader, tell); err != nil {
			all = append(all, fmt.Errorf("tap %s=%w", t.Here().Format, err))
		}
	}
	return errors.Join(all...)
}
