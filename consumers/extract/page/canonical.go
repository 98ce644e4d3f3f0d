package page

import (
	"strings"

	"millrace/schema"
)

// takesHome reports whether a page names a home page of its site as canonical without being
// another address of it. Templates do that by mistake for all pages of a site; if it were believed,
// none of them would be published.
func takesHome(own, canonical schema.URL) bool {
	return canonical.Site() == own.Site() && canonical.PathQuery() == "/" && !isHome(own.PathQuery())
}

// isHome reports whether a path is one of those under which home pages stand, such as /,
// /index.html?from=mail, /en/ and /en-gb/home.
func isHome(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	for s := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		name, _, _ := strings.Cut(strings.ToLower(s), ".")
		switch name {
		case "", "index", "default", "home", "homepage", "main", "start", "welcome":
		default:
			if !isLocale(name) {
				return false
			}
		}
	}
	return true
}

// isLocale reports whether a name is one of a language, or of a language and a region: en, en-gb,
// pt_br.
func isLocale(name string) bool {
	if len(name) == 5 && (name[2] == '-' || name[2] == '_') {
		return isLocale(name[:2]) && isLocale(name[3:])
	}
	return len(name) == 2 && letter(name[0]) && letter(name[1])
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' }
