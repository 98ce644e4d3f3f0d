package truth

import "fmt"

// ScopeOf returns the rule of scope of a name: the hosts of the seeds ("host"),
// their sites ("site") or everything ("any"). www.a.test is another host than
// a.test, and of the same site.
func ScopeOf(name string, seeds []string) (func(host string) bool, error) {
	switch name {
	case "any":
		return nil, nil
	case "host":
		return among(seeds, func(host string) string { return host }), nil
	case "site":
		return among(seeds, siteName), nil
	}
	return nil, fmt.Errorf("truth: scope: %q is none of host, site, any", name)
}

// among takes the hosts whose key is that of a seed's host.
func among(seeds []string, key func(host string) string) func(host string) bool {
	in := map[string]bool{}
	for _, s := range seeds {
		in[key(hostName(s))] = true
	}
	return func(host string) bool { return in[key(host)] }
}
