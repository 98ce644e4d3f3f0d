package robots

import (
	"strings"
	"time"
)

const (
	// MaxBytes is how much of a file is read: the least that RFC 9309 (2.5) asks for, and what
	// Google reads.
	MaxBytes = 500 * 1024
	// MaxSitemaps and maxSitemapBytes limit what a file can make others store. Real files name a
	// handful of sitemaps.
	MaxSitemaps     = 256
	maxSitemapBytes = 2048
	// maxDelay limits an absurd delay (a typing error, or milliseconds in place of seconds).
	// Callers limit it further.
	maxDelay = 24 * time.Hour
)

// Rules are what one robots.txt says to one crawler. The zero value allows everything.
type Rules struct {
	rules    []rule        // most specific first, allow before disallow
	delay    time.Duration // 0: none given
	sitemaps []string      // as written, for all crawlers
	agents   string        // the product tokens for which the file was parsed
}

// CrawlDelay is the time between requests that the site asks for; 0 if it says nothing.
func (r *Rules) CrawlDelay() time.Duration { return r.delay }

// Sitemaps are the values of the Sitemap lines, as written. The caller must check relative URLs and
// other hosts.
func (r *Rules) Sitemaps() []string { return r.sitemaps }

// Len is the number of rules for this crawler.
func (r *Rules) Len() int { return len(r.rules) }

// Parse reads the rules for the given product tokens (several if the crawler obeys several names).
// If no group names any of them, the groups for * are used.
func Parse(body []byte, agents ...string) *Rules {
	p := parser{agents: tokens(agents)}
	scan(text(limit(body)), p.line)
	return p.result()
}

// tokens returns the product tokens in names like "millrace/1.0".
func tokens(agents []string) []string {
	var ts []string
	for _, a := range agents {
		if t := agentToken(a); t != "" {
			ts = append(ts, t)
		}
	}
	return ts
}

// limit cuts a body at MaxBytes and then back to the last complete line.
func limit(body []byte) []byte {
	if len(body) <= MaxBytes {
		return body
	}
	end := MaxBytes
	for end > 0 && body[end-1] != '\n' && body[end-1] != '\r' {
		end--
	}
	return body[:end]
}

// audience is the set of crawlers that the present group names.
type audience uint8

const (
	toOthers audience = 0
	toAll    audience = 1 << iota
	toUs
)

// group collects the rules of all groups for one audience.
type group struct {
	seen  bool
	rules []rule
	delay time.Duration
}

type parser struct {
	agents   []string
	to       audience
	inRules  bool // after an Allow or Disallow line: the next User-agent line begins a new group
	all, own group
	sitemaps []string
}

func (p *parser) line(_ int, k key, value string) {
	switch k {
	case keyAgent:
		p.agent(value)
	case keyAllow, keyDisallow:
		p.inRules = true
		p.rule(k == keyAllow, value)
	case keyDelay:
		p.crawlDelay(value)
	case keySitemap:
		p.sitemap(value)
	}
}

func (p *parser) agent(value string) {
	if p.inRules {
		p.to, p.inRules = toOthers, false
	}
	if isStar(value) {
		p.to |= toAll
		p.all.seen = true
		return
	}
	// "googlebot, millrace" and "googlebot millrace" name us too, though one name a line is the
	// rule.
	for name := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' }) {
		if p.isOurs(agentToken(name)) {
			p.to |= toUs
			p.own.seen = true
		}
	}
}

func (p *parser) isOurs(token string) bool {
	for _, a := range p.agents {
		if strings.EqualFold(a, token) {
			return true
		}
	}
	return false
}

// addressed calls f for the collections that the present line belongs to.
func (p *parser) addressed(f func(*group)) {
	if p.to&toAll != 0 {
		f(&p.all)
	}
	if p.to&toUs != 0 {
		f(&p.own)
	}
}

// rule adds a pattern. An empty pattern says nothing: an empty Disallow allows all, which is the
// default.
func (p *parser) rule(allow bool, value string) {
	if value == "" || p.to == toOthers {
		return
	}
	r := compile(normalPattern(value), allow)
	p.addressed(func(g *group) { g.rules = append(g.rules, r) })
}

// crawlDelay keeps the longest delay of all merged groups.
func (p *parser) crawlDelay(value string) {
	d, ok := parseDelay(value)
	if !ok {
		return
	}
	p.addressed(func(g *group) { g.delay = max(g.delay, d) })
}

func (p *parser) sitemap(value string) {
	if value != "" && len(value) <= maxSitemapBytes && len(p.sitemaps) < MaxSitemaps {
		p.sitemaps = append(p.sitemaps, strings.Clone(value))
	}
}

func (p *parser) result() *Rules {
	g := &p.all
	if p.own.seen {
		g = &p.own
	}
	return &Rules{rules: order(g.rules), delay: g.delay, sitemaps: p.sitemaps, agents: strings.Join(p.agents, " ")}
}

// ValidAgent reports whether s is a product token as RFC 9309 (2.2.1) defines it: letters,
// underscore, hyphen.
func ValidAgent(s string) bool {
	return s != "" && agentToken(s) == s && !strings.ContainsAny(s, "0123456789")
}

// agentToken is the leading part of a name that can be a product token: "Foo/2.1" is Foo. Digits
// count, though the RFC has none: crawler2 is not crawler.
func agentToken(s string) string {
	n := 0
	for n < len(s) && (isAlpha(s[n]) || isDigit(s[n]) || s[n] == '-' || s[n] == '_') {
		n++
	}
	return s[:n]
}

// isStar accepts "*" alone, or followed by white space and more.
func isStar(s string) bool {
	return s != "" && s[0] == '*' && (len(s) == 1 || s[1] == ' ' || s[1] == '\t')
}

// parseDelay reads the number at the beginning of a value, in seconds with fractions: "10<BR>" is
// ten.
func parseDelay(s string) (time.Duration, bool) {
	var whole, frac, scale, digits = 0.0, 0.0, 1.0, 0
	i := 0
	for ; i < len(s) && isDigit(s[i]); i++ {
		whole, digits = min(whole*10+float64(s[i]-'0'), 1e9), digits+1
	}
	if i < len(s) && s[i] == '.' {
		for i++; i < len(s) && isDigit(s[i]) && scale < 1e6; i++ {
			scale *= 10
			frac, digits = frac*10+float64(s[i]-'0'), digits+1
		}
	}
	if digits == 0 {
		return 0, false
	}
	// Limited as a number of seconds, since a Duration could overflow.
	seconds := min(whole+frac/scale, maxDelay.Seconds())
	return time.Duration(seconds*1000+0.5) * time.Millisecond, true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlpha(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
