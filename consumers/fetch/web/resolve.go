package web

import (
	"fmt"
	"net"
	"sort"
	"strings"
)

// mapping maps hosts to other addresses, for tests, staging sites and the synthetic web. The most
// specific entry comes first.
type mapping []mapped

type mapped struct {
	host   string // whole host, if not wild
	suffix string // ".test" of *.test; "" of *
	wild   bool
	to     string // HOST:PORT
}

func parseMapping(list []string) (mapping, error) {
	var m mapping
	for _, s := range list {
		pattern, to, ok := strings.Cut(s, "=")
		if host, port, err := net.SplitHostPort(to); !ok || err != nil || host == "" || port == "" || pattern == "" {
			return nil, fmt.Errorf("%q is not PATTERN=HOST:PORT", s)
		}
		pattern = strings.ToLower(pattern)
		switch {
		case pattern == "*":
			m = append(m, mapped{wild: true, to: to})
		case strings.HasPrefix(pattern, "*."):
			m = append(m, mapped{wild: true, suffix: pattern[1:], to: to})
		case strings.Contains(pattern, "*"):
			return nil, fmt.Errorf("%q: * may only stand for the front of a host", s)
		default:
			m = append(m, mapped{host: pattern, to: to})
		}
	}
	sort.SliceStable(m, func(i, j int) bool {
		return !m[i].wild && m[j].wild || m[i].wild == m[j].wild && len(m[i].suffix) > len(m[j].suffix)
	})
	return m, nil
}

// CheckResolve reports the first entry of Options.Resolve that is not PATTERN=HOST:PORT.
func CheckResolve(list []string) error {
	_, err := parseMapping(list)
	return err
}

// find returns the HOST:PORT of a mapped host, or "".
func (m mapping) find(host string) string {
	if len(m) == 0 {
		return ""
	}
	host = strings.ToLower(host)
	for _, e := range m {
		if !e.wild && e.host == host || e.wild && strings.HasSuffix(host, e.suffix) {
			return e.to
		}
	}
	return ""
}
