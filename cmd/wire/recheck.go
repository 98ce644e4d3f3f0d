package wire

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

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
		why, err := s.unknown(ctx, raw, prefix)
		switch {
		case err != nil:
			return out, err
		case why != "":
			out.Unknown = append(out.Unknown, web.UnknownURL{URL: raw, Why: why})
		default:
			known = append(known, raw)
		}
	}
	if out.Accepted = len(known); len(known) == 0 {
		return out, nil
	}
	return out, s.Recheck(ctx, known, prefix)
}

// unknown returns why a URL, or with prefix its host, cannot be fetched again; "" if it can.
func (s *additions) unknown(ctx context.Context, raw string, prefix bool) (string, error) {
	found, err := s.isKnown(ctx, raw, prefix)
	if found {
		return s.keptOutNow(ctx, raw)
	}
	if err != nil {
		return "", err
	}
	what := "the crawl does not know it: add it with millrace produce seeds"
	if prefix || strings.HasSuffix(raw, "/robots.txt") {
		what = "the crawl knows no page of this host"
	}
	if other := otherScheme(raw); other != "" {
		if found, err = s.isKnown(ctx, other, prefix); found {
			what = "the crawl does not know it; it knows " + other
		}
	}
	return what, err
}

func (s *additions) isKnown(ctx context.Context, raw string, prefix bool) (bool, error) {
	story, err := s.Frontier(ctx, raw)
	if err == nil && story.URL == "" {
		return false, &web.UserError{Message: fmt.Sprintf("%s is %s (%s)", raw, story.Verdict, story.Drop)}
	}
	return story.Row != nil || story.Host != nil && (prefix || isRobots(story.URL)), err
}

// isRobots reports whether a URL is that of a robots.txt. It is no page: it is read again before
// the next page of its host.
func isRobots(canonical string) bool {
	u, err := url.Parse(canonical)
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
