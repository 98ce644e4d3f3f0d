package truth

import (
	"net/http"
	"strings"
	"time"

	"millrace/ops/simweb/world"
)

// Allowed says whether a robots file lets an agent have a path (with query).
// No answer, a 5xx and a 429 forbid all (RFC 9309, 2.3.1.4; 429 as Google does);
// other 4xx and a redirect loop allow all.
func Allowed(f world.RobotsFile, agent, path string) bool {
	switch {
	case f.Status == 0, f.Status >= 500, f.Status == http.StatusTooManyRequests:
		return false
	case f.Status != http.StatusOK:
		return true
	}
	best, allow := -1, true
	for _, g := range groupsFor(f.Groups, agent) {
		for _, r := range g.Rules {
			n := len(r.Pattern)
			if n > best || n == best && r.Allow {
				if matches(r.Pattern, path) {
					best, allow = n, r.Allow
				}
			}
		}
	}
	return allow
}

// Delay is the Crawl-delay a robots file asks an agent for.
func Delay(f world.RobotsFile, agent string) time.Duration {
	var d time.Duration
	for _, g := range groupsFor(f.Groups, agent) {
		d = max(d, g.Delay)
	}
	return d
}

// groupsFor are the groups that name the agent, or else those for everyone.
func groupsFor(groups []world.Group, agent string) []world.Group {
	var named, all []world.Group
	for _, g := range groups {
		for _, a := range g.Agents {
			if strings.EqualFold(a, agent) {
				named = append(named, g)
			}
			if a == "*" {
				all = append(all, g)
			}
		}
	}
	if len(named) > 0 {
		return named
	}
	return all
}

// matches reports whether a pattern with * and a final $ matches the path's
// beginning.
func matches(pattern, path string) bool {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(path, parts[0]) {
		return false
	}
	rest := path[len(parts[0]):]
	for i, part := range parts[1:] {
		if anchored && i == len(parts)-2 {
			return strings.HasSuffix(rest, part)
		}
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return !anchored || rest == ""
}
