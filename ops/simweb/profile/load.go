package profile

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed *.yaml
var shipped embed.FS

// Names lists the shipped profiles.
func Names() []string { return []string{"d15", "fast", "nasty", "news", "university"} }

// Load returns a shipped profile by its name, or reads the file of that name if
// it ends in .yaml.
func Load(name string) (Profile, error) {
	if strings.HasSuffix(name, ".yaml") {
		text, err := os.ReadFile(name)
		if err != nil {
			return Profile{}, err
		}
		return Parse(text)
	}
	text, err := shipped.ReadFile(name + ".yaml")
	if err != nil {
		return Profile{}, fmt.Errorf("no profile %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return Parse(text)
}

// Parse reads and checks a profile.
func Parse(text []byte) (Profile, error) {
	var p Profile
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&p); err != nil && !errors.Is(err, io.EOF) {
		return Profile{}, err
	}
	return p, p.Validate()
}

// Roles lists the roles of Profile.Leaves: what a leaf page can be.
func Roles() []string {
	return []string{
		"copy", "near", "alias", "canonical_copy", "noindex", "private", "pdf", "image", "huge",
		"redirect", "redirect_out", "redirect_loop", "missing", "gone", "error", "busy", "slow_down",
		"hang", "reset", "cut", "wrong_type", "wrong_charset", "broken_gzip", "meta_refresh",
		"length_short", "length_long",
	}
}

// Shapes lists the ways of Profile.Twins to name a page by another URL.
func Shapes() []string {
	return []string{"slash", "session", "tracking", "order", "www", "https", "index"}
}

// RobotsKinds lists the answers of Robots.Answers.
func RobotsKinds() []string {
	return []string{
		"none", "forbidden", "error", "busy", "slow_down", "hang", "reset", "moved", "moved_out", "loop",
		"huge", "html", "deny_all", "messy", "empty",
	}
}

// Validate says what is wrong with a profile, all of it.
func (p Profile) Validate() error {
	return errors.Join(
		atLeast("hosts", p.Hosts, 1),
		atLeast("hosts_per_site", p.HostsPerSite, 1),
		atLeast("pages.min", p.Pages.Min, 1),
		atLeast("pages.max", p.Pages.Max, p.Pages.Min),
		atLeast("size.min", p.Size.Min, 500),
		atLeast("size.median", p.Size.Median, p.Size.Min),
		atLeast("size.max", p.Size.Max, p.Size.Median),
		atLeast("links.fanout", p.Links.Fanout, 2),
		atLeast("links.mean", p.Links.Mean, 1),
		shares("leaves", p.Leaves, Roles()),
		shares("twins", p.Twins, Shapes()),
		shares("robots.answers", p.Robots.Answers, RobotsKinds()),
		p.validateShares(),
		p.validateRates(),
	)
}

func (p Profile) validateShares() error {
	var errs []error
	for name, v := range map[string]float64{
		"links.external": p.Links.External, "links.odd": p.Links.Odd,
		"life.born": p.Life.Born, "life.dies": p.Life.Dies,
		"change.share": p.Change.Share, "change.no_etag": p.Change.NoETag,
		"change.no_last_modified":  p.Change.NoLastModified,
		"robots.crawl_delay_share": p.Robots.CrawlDelayShare, "items.share": p.Items.Share,
		"sitemaps.share": p.Sitemaps.Share, "sitemaps.gzip": p.Sitemaps.Gzip,
		"sitemaps.false_mod": p.Sitemaps.FalseMod, "sitemaps.no_mod": p.Sitemaps.NoMod,
		"sitemaps.stale": p.Sitemaps.Stale, "sitemaps.in_robots": p.Sitemaps.InRobots,
		"sitemaps.bad_format": p.Sitemaps.BadFormat, "sitemaps.news": p.Sitemaps.News,
		"alternates.hosts": p.Alternates.Hosts, "alternates.pages": p.Alternates.Pages,
		"latency.slow_share": p.Latency.SlowShare,
		"hosting.https":      p.Hosting.HTTPS, "hosting.soft_404": p.Hosting.Soft404,
		"hosting.overload": p.Hosting.Overload, "hosting.not_gzip": p.Hosting.NotGzip,
		"traps.calendar": p.Traps.Calendar, "traps.maze": p.Traps.Maze, "traps.facets": p.Traps.Facets,
	} {
		if !(v >= 0 && v <= 1) {
			errs = append(errs, fmt.Errorf("%s: %v is not a share (0..1)", name, v))
		}
	}
	return errors.Join(errs...)
}

func (p Profile) validateRates() error {
	l := p.Languages
	return errors.Join(
		unless(l.English >= 0 && l.Russian >= 0 && l.Chinese >= 0 && l.English+l.Russian+l.Chinese > 0,
			"languages: weights must not be negative and need a sum above 0"),
		unless(p.Links.Popularity >= 1, "links.popularity: must be at least 1 (uniform)"),
		unless(p.Pages.Alpha >= 0, "pages.alpha: must not be negative"),
		unless(p.Life.Born+p.Life.Dies == 0 || p.Life.Span > 0, "life.span: needed by born and dies"),
		unless(p.Change.Share == 0 || p.Change.Fastest > 0 && p.Change.Slowest >= p.Change.Fastest,
			"change: 0 < fastest <= slowest"),
		unless(p.Items.Share == 0 || p.Items.Every > 0 && p.Items.Feed > 0, "items: every and feed must be above 0"),
		unless(p.Sitemaps.Share == 0 || p.Sitemaps.PerFile > 0, "sitemaps.per_file: must be above 0"),
		unless(p.Robots.CrawlDelayShare == 0 || p.Robots.CrawlDelay > 0, "robots.crawl_delay: must be above 0"),
		unless(p.History >= 0 && p.Latency.Median >= 0 && p.Latency.Slow >= 0, "durations must not be negative"),
	)
}

func unless(ok bool, text string) error {
	if ok {
		return nil
	}
	return errors.New(text)
}

func atLeast(name string, v, least int) error {
	return unless(v >= least, fmt.Sprintf("%s: %d is below %d", name, v, least))
}

func shares(name string, m map[string]float64, known []string) error {
	sum := 0.0
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(known, k) {
			return fmt.Errorf("%s: no %q; there are %s", name, k, strings.Join(known, ", "))
		}
		if !(m[k] >= 0) {
			return fmt.Errorf("%s.%s: %v is not a share", name, k, m[k])
		}
		sum += m[k]
	}
	return unless(sum <= 1, fmt.Sprintf("%s: shares sum to %v, above 1", name, sum))
}
