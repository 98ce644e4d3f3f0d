package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
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
	Files  taps.Options
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

// ParseTap reads FORMAT=PLACE.
func ParseTap(s string) (TapSpec, error) {
	format, out, ok := strings.Cut(s, "=")
	if !ok || out == "" {
		return TapSpec{}, fmt.Errorf("tap: %q is not of the form FORMAT=DIR, such as parquet=./documents", s)
	}
	spec := TapSpec{Format: format, Out: out, Files: taps.DefaultOptions()}
	return spec, spec.Validate()
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
	p, err := place.Open(ctx, spec.Out)
	if err != nil {
		return nil, nil, err
	}
	host, _ := os.Hostname() // only for display
	spec.Files.Writer = fmt.Sprintf("%s/%d", host, os.Getpid())
	t, err := taps.New(ctx, spec.Files, taps.Deps{
		Place: p, Format: f.make(cfg), Topic: spec.Topic, Group: spec.Group, Kafka: kafka, Logger: log, Meter: meter,
	})
	if err != nil {
		return nil, nil, errors.Join(err, p.Close())
	}
	return t, p, nil
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
	if spec.Group == "" { // rights on groups with other names are not checked
		if err := checkRights(ctx, kafka, topics.RoleTap); err != nil {
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
	t.run = func(ctx context.Context) error { return t.Tap.Run(ctx, c) }
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
	s.Compare(ctx, t.Reader, time.Now())
	return s, nil
}

// Drain returns when all records that are in the log now are in files.
func (t *Tap) Drain(ctx context.Context) error { return t.Tap.Drain(ctx, t.Reader) }

// OpenTaps makes the configured taps. Run runs them beside the groups.
func (s *opened) OpenTaps(ctx context.Context) error {
	for _, text := range s.Config.Taps {
		spec, err := ParseTap(text)
		if err != nil {
			return err
		}
		t, p, err := openTap(ctx, s.Config, spec, s.Log, s.Meter, "")
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
			if err := s.keepRunning(ctx, name, func(ctx context.Context) error { return t.Run(ctx, s.streams()) }); err != nil {
				s.Log.Error("tap ends", "group", name, "error", err)
			}
		})
	}
}

// DrainTaps returns when the taps of this process have written all records that are in the log now.
func (s *opened) DrainTaps(ctx context.Context) error {
	for _, t := range s.taps {
		if err := t.Drain(ctx, s.Reader); err != nil {
			return fmt.Errorf("tap %s: %w", t.Group().Name, err)
		}
	}
	return nil
}
