package page

import "strings"

// siteNames are the names of the page's site. Such a string is seldom the page's title.
type siteNames struct {
	stated map[string]bool // by metadata, as keys
	home   map[string]bool // texts of links to the home page
	host   string          // without dots and hyphens
	label  string          // the longest label of the host
}

func namesOfSite(f *facts, l linked, at address) siteNames {
	s := siteNames{stated: map[string]bool{}, home: map[string]bool{}, host: strings.NewReplacer(".", "", "-", "").Replace(at.host)}
	for label := range strings.SplitSeq(at.host, ".") {
		if len(label) > len(s.label) {
			s.label = label
		}
	}
	s.label = strings.ReplaceAll(s.label, "-", "")
	for _, name := range []string{f.meta["og:site_name"], f.meta["application-name"], f.meta["apple-mobile-web-app-title"], l.publisher} {
		if ws := wordsOf(name); len(ws) > 0 {
			s.stated[strings.Join(ws, " ")] = true
		}
	}
	for _, n := range f.anchors {
		if at.isHome(attr(n, "href")) {
			s.home[strings.Join(wordsOf(textOf(n)), " ")] = true
		}
	}
	return s
}

// like returns how much a title resembles the site's name: 4 if metadata states it, 3 if a link to
// the home page has it as its text, 2 if it is a part of the host name, 1 if it contains one.
func (s *siteNames) like(t *title) float32 {
	joined := strings.ReplaceAll(t.key, " ", "")
	switch {
	case s.stated[t.key]:
		return 4
	case s.home[t.key]:
		return 3
	case len(joined) > 3 && strings.Contains(s.host, joined):
		return 2
	case len(s.label) > 3 && strings.Contains(joined, s.label):
		return 1
	}
	return 0
}

// An address is that of the page, to be compared with links.
type address struct{ host, path string }

func addressOf(u string) address {
	_, rest, _ := strings.Cut(u, "://")
	_, path, _ := strings.Cut(rest, "/")
	path, _, _ = strings.Cut(path, "#")
	return address{strings.TrimPrefix(strings.ToLower(hostOf(u)), "www."), strings.Trim(path, "/")}
}

// isHome reports whether a link of the page leads to the site's home page.
func (a address) isHome(ref string) bool {
	path, _, _ := strings.Cut(ref, "#")
	if path == "" {
		return false
	}
	if host := hostOf(ref); host != "" {
		to := addressOf(ref)
		if to.host != a.host {
			return false
		}
		path = to.path
	}
	switch strings.Trim(path, "/") {
	case "", ".", "index.html", "index.php":
		return true
	}
	return false
}
