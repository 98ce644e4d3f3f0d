package world

import (
	"net/http"
	"strings"
	"time"
)

// Rule is one Allow or Disallow line.
type Rule struct {
	Allow   bool
	Pattern string
}

// Group is a group of a robots file.
type Group struct {
	Agents []string
	Rules  []Rule
	Delay  time.Duration
}

// RobotsFile is a host's robots.txt after its redirects were followed.
type RobotsFile struct {
	// Kind is the profile's name of the answer, "" for ordinary rules.
	Kind string
	// Status is the one at the end of the redirects; 0 if no answer comes.
	Status int
	Groups []Group
}

func (w *World) robotsKind(h Host) string {
	kind, _ := w.robots.pick(w.hash(forRobots, uint64(h)))
	if kind == "moved_out" && w.robotsElsewhere(h) == h {
		return ""
	}
	return kind
}

// robotsElsewhere is the host a moved_out robots.txt is found on: the next one.
func (w *World) robotsElsewhere(h Host) Host { return Host((uint64(h) + 1) % uint64(w.p.Hosts)) }

// RobotsOf tells what a host's robots.txt says.
func (w *World) RobotsOf(h Host) RobotsFile {
	f := RobotsFile{Kind: w.robotsKind(h), Status: http.StatusOK}
	switch f.Kind {
	case "none":
		f.Status = http.StatusNotFound
	case "forbidden":
		f.Status = http.StatusForbidden
	case "error":
		f.Status = http.StatusInternalServerError
	case "busy":
		f.Status = http.StatusServiceUnavailable
	case "slow_down":
		f.Status = http.StatusTooManyRequests
	case "hang", "reset":
		f.Status = 0
	case "loop":
		f.Status = http.StatusFound
	case "deny_all":
		f.Groups = []Group{{Agents: []string{"*"}, Rules: []Rule{{false, "/"}}}}
	case "messy":
		f.Groups = w.messyGroups(h)
	case "html", "empty":
	default:
		f.Groups = w.ordinaryGroups(h)
	}
	return f
}

func (w *World) ordinaryGroups(h Host) []Group {
	all := Group{Agents: []string{"*"}, Rules: []Rule{{false, "/private/"}, {false, "/*?sid="}, {true, "/private/open"}}}
	if w.trait(h, traitDelay, w.p.Robots.CrawlDelayShare) {
		all.Delay = w.p.Robots.CrawlDelay
	}
	return []Group{{Agents: []string{"otherbot"}, Rules: []Rule{{false, "/"}}}, all}
}

// messyGroups has two groups for everyone, which must be merged, and one that
// names the agent, which then stands alone.
func (w *World) messyGroups(h Host) []Group {
	groups := []Group{
		{Agents: []string{"*"}, Rules: []Rule{{false, "/private"}, {true, "/private/*1.html$"}}},
		{Agents: []string{"otherbot", "thirdbot"}, Rules: []Rule{{false, "/"}}},
		{Agents: []string{"*"}, Rules: []Rule{{false, "/*.pdf$"}, {false, "/sport/"}}},
	}
	if h%2 == 0 {
		groups = append(groups, Group{Agents: []string{w.opts.Agent}, Rules: []Rule{{false, "/private/"}, {false, "/images/"}}})
	}
	return groups
}

func (w *World) answerRobots(a *Answer) {
	f := w.RobotsOf(a.Ref.Host)
	a.Type = "text/plain; charset=utf-8"
	i := a.Ref.Page.Index()
	if i >= 2 || i == 1 { // where a robots.txt moved to
		return
	}
	a.Status = f.Status
	main := w.Main(a.Ref.Host)
	switch f.Kind {
	case "hang":
		a.Role = Hang
	case "reset":
		a.Role = Reset
	case "busy", "slow_down":
		a.RetryAfter = time.Minute
	case "html":
		a.Type = HTML
	case "moved":
		a.Status, a.Location = http.StatusMovedPermanently, Ref{a.Ref.Host, main, ID(Robots, 1)}
	case "moved_out":
		to := w.robotsElsewhere(a.Ref.Host)
		a.Status, a.Location = http.StatusFound, Ref{to, w.Main(to), ID(Robots, 2+uint64(a.Ref.Host))}
	case "loop":
		a.Location = Ref{a.Ref.Host, main, ID(Robots, 0)}
	}
}

// hugeRobots is the size of a huge robots file: above the 500 KiB a crawler
// must read (RFC 9309, 2.5). What stands behind them disallows everything.
const hugeRobots = 600 << 10

func (w *World) renderRobots(dst []byte, a *Answer) []byte {
	h := a.Ref.Host
	if i := a.Ref.Page.Index(); i >= 2 {
		h = Host(i - 2)
	}
	f := w.RobotsOf(h)
	switch f.Kind {
	case "html":
		return append(dst, "<!doctype html><title>Welcome</title><p>There is no robots file here.\n<p>Disallow: /\n"...)
	case "messy":
		return renderMessy(dst, f)
	}
	start := len(dst)
	dst = AppendGroups(dst, f.Groups, "\n")
	if w.HasSitemap(h) && w.trait(h, traitInRobots, w.p.Sitemaps.InRobots) {
		dst = append(dst, "\nSitemap: "...)
		dst = append(w.AppendURL(dst, Ref{h, w.Main(h), ID(Sitemap, 0)}, a.Port), '\n')
	}
	if f.Kind == "huge" {
		for len(dst)-start < hugeRobots {
			dst = append(dst, "# this line is here to fill the file with something\n"...)
		}
		dst = append(dst, "User-agent: *\nDisallow: /\n"...)
	}
	return dst
}

// AppendGroups writes groups as a robots file does.
func AppendGroups(dst []byte, groups []Group, eol string) []byte {
	for _, g := range groups {
		for _, agent := range g.Agents {
			dst = append(append(append(dst, "User-agent: "...), agent...), eol...)
		}
		for _, r := range g.Rules {
			verb := "Disallow: "
			if r.Allow {
				verb = "Allow: "
			}
			dst = append(append(append(dst, verb...), r.Pattern...), eol...)
		}
		if g.Delay > 0 {
			dst = append(append(append(dst, "Crawl-delay: "...), seconds(g.Delay)...), eol...)
		}
		dst = append(dst, eol...)
	}
	return dst
}

// renderMessy writes what parsers trip over: a byte order mark, CRLF, odd case,
// comments, unknown lines.
func renderMessy(dst []byte, f RobotsFile) []byte {
	body := string(AppendGroups(nil, f.Groups, "  # comment\r\n"))
	body = strings.ReplaceAll(body, "User-agent: ", "USER-agent :\t")
	body = strings.ReplaceAll(body, "Disallow: ", "disallow:")
	return append(append(dst, "\uFEFF# robots\r\nNonsense line\r\nHost: example.test\r\n"...), body...)
}
