package fetch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/schema"
)

// Sighting is the result of Look, for people and as JSON.
type Sighting struct {
	URL        string         `json:"url"`
	Robots     RobotsSighting `json:"robots"`
	Status     int            `json:"status,omitempty"` // 0: no answer, or no request
	Addr       string         `json:"addr,omitempty"`
	ElapsedMS  int64          `json:"elapsed_ms,omitempty"`
	Bytes      int64          `json:"bytes,omitempty"` // of the body as received
	Truncated  bool           `json:"truncated,omitempty"`
	Headers    []string       `json:"headers,omitempty"`
	Outcome    string         `json:"outcome"` // as in Outcome.result
	Error      string         `json:"error,omitempty"`
	RedirectTo string         `json:"redirect_to,omitempty"`

	Page *schema.Page `json:"-"` // the Page that would be appended; nil if none
}

// RobotsSighting is the verdict of robots.txt about the URL.
type RobotsSighting struct {
	URL        string   `json:"url"`              // the last URL requested for it
	Status     int      `json:"status,omitempty"` // of the last answer
	Error      string   `json:"error,omitempty"`
	Allowed    bool     `json:"allowed"`
	Because    string   `json:"because"` // the line that decides, or the reason why none does
	CrawlDelay string   `json:"crawl_delay,omitempty"`
	Sitemaps   []string `json:"sitemaps,omitempty"`
}

// Look fetches one URL as the group would, but stores nothing: robots.txt first, then the delay,
// then one request without following redirects. It calls wait before every delay. An error means
// that ctx ended or the options are invalid.
func Look(ctx context.Context, o Options, canon *schema.Canonicalizer, url schema.URL, wait func(time.Duration)) (*Sighting, error) {
	c, err := o.client()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	l := look{o: o, web: c, canon: canon, url: url, wait: wait, delay: o.Delay, seen: &Sighting{URL: url.String()}}
	return l.seen, l.run(ctx)
}

// look is the state of one call of Look.
type look struct {
	o       Options
	web     asker
	canon   *schema.Canonicalizer
	url     schema.URL
	wait    func(time.Duration)
	delay   time.Duration
	started time.Time // of the last request to the host
	seen    *Sighting
}

func (l *look) run(ctx context.Context) error {
	if err := l.robots(ctx); err != nil {
		return err
	}
	if !l.seen.Robots.Allowed {
		l.seen.Outcome = outcomeName(schema.Outcome_ROBOTS)
		return nil
	}
	r, err := l.ask(ctx, web.Request{URL: l.url.String()})
	if err != nil {
		return err
	}
	l.answered(r)
	return nil
}

// robots requests robots.txt, follows its redirects, and notes whether the URL is allowed, and the
// delay.
func (l *look) robots(ctx context.Context) error {
	at, see := l.url.Scheme()+"://"+l.url.Authority()+"/robots.txt", &l.seen.Robots
	for hops := 0; ; hops++ {
		r, err := l.ask(ctx, robotsRequest(at))
		if err != nil {
			return err
		}
		see.URL, see.Status = at, r.Status
		next, redirected := target(at, r)
		if redirected && hops < maxRobotsRedirects {
			at = next.String()
			continue
		}
		l.ruled(r)
		return nil
	}
}

// ruled notes what the answer for robots.txt means (RFC 9309, 2.3.1).
func (l *look) ruled(r *web.Result) {
	see := &l.seen.Robots
	if r.Err != nil {
		see.Error, see.Because = r.Err.Error(), "it cannot be read"
		return
	}
	switch robotsVerdict(r.Status) {
	case schema.HostNotice_UNREACHABLE:
		see.Because = "it cannot be read"
	case schema.HostNotice_ALLOW_ALL:
		see.Allowed, see.Because = true, "there is none"
	case schema.HostNotice_RULES:
		rules, ok := rulesOf(r, l.o.agents())
		if !ok {
			see.Because = "it cannot be read"
			return
		}
		path := l.url.PathQuery()
		see.Allowed, see.Because = rules.Allowed(path), rules.Decisive(path)
		if see.Because == "" {
			see.Because = "no line is about it"
		}
		see.Sitemaps = sitemaps(l.canon, l.url, rules)
		if d := rules.CrawlDelay(); d > 0 {
			see.CrawlDelay = d.String()
			l.delay = max(l.delay, min(d, l.o.MaxDelay))
		}
	}
}

// ask makes one request, after the delay if the last one went to the same site.
func (l *look) ask(ctx context.Context, r web.Request) (*web.Result, error) {
	own := sameSite(l.url, string(l.url.Site()), r.URL)
	if rest := l.delay - time.Since(l.started); own && !l.started.IsZero() && rest > 0 {
		l.wait(rest)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(rest):
		}
	}
	r.MayWrite = ctx.Err
	res := l.web.Do(ctx, r)
	if own && res.Written {
		l.started = res.Started
	}
	return res, ctx.Err()
}

// answered notes the answer and the Outcome that a fetch would have.
func (l *look) answered(r *web.Result) {
	see := l.seen
	see.Status, see.Bytes, see.Truncated, see.ElapsedMS = r.Status, int64(len(r.Body)), r.Truncated, r.Elapsed.Milliseconds()
	see.Headers = headerLines(r.Header)
	if r.Addr.IsValid() {
		see.Addr = r.Addr.String()
	}
	if r.Err != nil {
		see.Outcome, see.Error = outcomeName(resultOfError(r.Err.Kind)), r.Err.Error()
		return
	}
	result := resultOf(r.Status)
	see.Outcome = outcomeName(result)
	switch result {
	case schema.Outcome_REDIRECT:
		if to, err := l.canon.Resolve(l.url, locationOf(r.Header)); err == nil {
			see.RedirectTo = to.String()
		}
	case schema.Outcome_OK:
		see.Page = pageOf(&schema.Scheduled{
			RowKey: string(l.url.RowKey()), Url: l.url.String(), Site: string(l.url.Site()), Kind: schema.Kind_PAGE, Rev: 1,
		}, r)
	}
}

// sameSite reports whether a URL may have the same politeness key: hosts of one site count as the
// same.
func sameSite(own schema.URL, site, other string) bool {
	u, err := new(schema.Canonicalizer).Parse(other)
	return err == nil && (u.Host() == own.Host() || string(u.Site()) == site)
}

func outcomeName(r schema.Outcome_Result) string { return strings.ToLower(r.String()) }

func headerLines(h http.Header) []string {
	var out []string
	for name, values := range h {
		for _, v := range values {
			out = append(out, name+": "+headerValue(v))
		}
	}
	slices.Sort(out)
	return out
}

// Print writes the sighting as text.
func (s *Sighting) Print(w io.Writer) error {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-11s %s\n", name, value)
		}
	}
	line("url", s.URL)
	line("robots.txt", s.Robots.verdict())
	line("crawl-delay", s.Robots.CrawlDelay)
	line("sitemaps", strings.Join(s.Robots.Sitemaps, " "))
	line("answer", s.answer())
	line("error", s.Error)
	line("outcome", s.Outcome)
	line("redirect", s.RedirectTo)
	if len(s.Headers) > 0 {
		fmt.Fprintf(&b, "headers\n    %s\n", strings.Join(s.Headers, "\n    "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *RobotsSighting) verdict() string {
	word := "forbidden"
	if r.Allowed {
		word = "allowed"
	}
	detail := r.URL
	if r.Status != 0 {
		detail += fmt.Sprintf(", status %d", r.Status)
	}
	if r.Error != "" {
		detail += ", " + r.Error
	}
	return fmt.Sprintf("%s: %s  (%s)", word, r.Because, detail)
}

func (s *Sighting) answer() string {
	if s.Status == 0 {
		return ""
	}
	cut := ""
	if s.Truncated {
		cut = ", cut"
	}
	return fmt.Sprintf("%d in %d ms from %s, %d bytes%s", s.Status, s.ElapsedMS, s.Addr, s.Bytes, cut)
}
