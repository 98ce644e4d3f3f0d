package wire

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"millrace/consumers/schedule"
	"millrace/ops/web"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// RecheckKnown calls Recheck with the URLs that the crawl knows, and returns the others with the
// reason.
func (s *additions) RecheckKnown(ctx context.Context, urls []string, prefix bool) (web.Rechecked, error) {
	var out web.Rechecked
	var known []string
	for _, raw := range urls {
		here, why, err := s.knownAs(ctx, raw, prefix)
		if err != nil {
			return out, err
		}
		if len(here) == 0 {
			out.Unknown = append(out.Unknown, web.UnknownURL{URL: raw, Why: why})
			continue
		}
		known = append(known, here...)
	}
	if out.Accepted = len(known); len(known) == 0 {
		return out, nil
	}
	return out, s.Recheck(ctx, known, prefix)
}

// knownAs returns what a URL names that can be fetched again, or why there is nothing. A prefix
// without a scheme stands for both.
func (s *additions) knownAs(ctx context.Context, raw string, prefix bool) (known []string, why string, err error) {
	spellings := []string{raw}
	if prefix && !strings.Contains(raw, "://") {
		spellings = []string{"https://" + raw, "http://" + raw}
	}
	for _, as := range spellings {
		not, err := s.unknown(ctx, as, prefix)
		if err != nil {
			return nil, "", err
		}
		if not == "" {
			known = append(known, as)
		}
		why = cmp.Or(why, not)
	}
	return known, why, nil
}

// unknown returns why a URL, or with prefix everything below it, cannot be fetched again; "" if it
// can.
func (s *additions) unknown(ctx context.Context, raw string, prefix bool) (string, error) {
	found, host, err := s.isKnown(ctx, raw, prefix)
	switch {
	case err != nil || found && isRobots(raw):
		return "", err
	case found:
		return s.keptOutNow(ctx, raw)
	}
	what := "the crawl does not know it: add it with millrace produce seeds"
	switch {
	case prefix && host:
		what = "the crawl knows nothing below it"
	case prefix, isRobots(raw):
		what = "the crawl knows no page of this host"
	}
	if other := otherScheme(raw); other != "" {
		if found, _, err = s.isKnown(ctx, other, prefix); found {
			what = "the crawl does not know it; it knows " + other
		}
	}
	return what, err
}

// isKnown reports whether there is something to fetch again, and whether the crawl knows the host.
// A robots.txt is no page: it is read again before the next page of its host.
func (s *additions) isKnown(ctx context.Context, raw string, prefix bool) (found, host bool, err error) {
	story, err := s.Frontier(ctx, raw)
	switch {
	case err != nil:
		return false, false, err
	case story.URL == "":
		return false, false, &web.UserError{Message: fmt.Sprintf("%s is %s (%s)", raw, story.Verdict, story.Drop)}
	}
	found, host = story.Row != nil, story.Host != nil
	if !found && host && prefix {
		found, err = s.knowsBelow(ctx, raw)
	}
	return found || host && isRobots(story.URL), host, err
}

// knowsBelow reports whether the crawl knows a URL below one.
func (s *additions) knowsBelow(ctx context.Context, raw string) (bool, error) {
	u, err := s.Canon.Parse(raw)
	if err != nil {
		return false, err
	}
	_, prefixes := below(string(u.RowKey()))
	for _, p := range prefixes {
		if some, err := schedule.Browse(ctx, s.Store, p, "", 1); err != nil || len(some) > 0 {
			return len(some) > 0, err
		}
	}
	return false, nil
}

func isRobots(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && u.Path == "/robots.txt" && u.RawQuery == ""
}

// otherScheme returns the URL with http in place of https, or the other way round.
func otherScheme(raw string) string {
	if rest, ok := strings.CutPrefix(raw, "https://"); ok {
		return "http://" + rest
	}
	if rest, ok := strings.CutPrefix(raw, "http://"); ok {
		return "https://" + rest
	}
	return ""
}

// Recheck makes URLs due now, or with prefix all known URLs below them. It returns when the
// requests are on urls.discovered.
func (s *additions) Recheck(ctx context.Context, urls []string, prefix bool) error {
	var ms []*schema.Discovered
	for _, raw := range urls {
		more, err := s.recheck(raw, prefix)
		if err != nil {
			return err
		}
		ms = append(ms, more...)
	}
	out, err := streams.NewProducer(ctx, s.Kafka, "recheck", topics.Discovered())
	if err != nil {
		return err
	}
	defer out.Close()
	return out.Send(ctx, ms...)
}

func (s *additions) recheck(raw string, prefix bool) ([]*schema.Discovered, error) {
	u, err := s.Canon.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", raw, err)
	}
	page, prefixes := string(u.RowKey()), []string(nil)
	if prefix {
		page, prefixes = below(page)
	}
	var ms []*schema.Discovered
	add := func(r *schema.Recheck) {
		r.Reason = "operator"
		ms = append(ms, &schema.Discovered{
			Host: string(u.Host()), DiscoveredAt: time.Now().UnixMilli(), Body: &schema.Discovered_Recheck{Recheck: r},
		})
	}
	if page != "" {
		add(&schema.Recheck{Target: &schema.Recheck_RowKey{RowKey: page}})
	}
	for _, p := range prefixes {
		add(&schema.Recheck{Target: &schema.Recheck_Prefix{Prefix: p}})
	}
	return ms, nil
}
