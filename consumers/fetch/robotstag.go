package fetch

import (
	"net/http"
	"slices"
	"strings"
)

// robotsTag is Outcome.error_kind of a 304 whose X-Robots-Tag forbids to index the page.
const robotsTag = "robots_tag"

// forbidsIndex reports whether the X-Robots-Tag of an answer has noindex or none for one of these
// agents, or for all. Only the answer to a request without validators is read in full, by extract;
// but a page that such a request made a document of did not forbid that then.
func forbidsIndex(h http.Header, agents []string) bool {
	for _, tag := range h.Values("X-Robots-Tag") {
		ours := true
		for word := range strings.SplitSeq(strings.ToLower(tag), ",") {
			if name, rest, ok := strings.Cut(word, ":"); ok {
				name = strings.TrimSpace(name)
				if strings.HasPrefix(name, "max-") || name == "unavailable_after" || strings.Contains(name, " ") { // of a date
					continue
				}
				ours = slices.ContainsFunc(agents, func(a string) bool { return strings.EqualFold(a, name) })
				word = rest
			}
			if word = strings.TrimSpace(word); ours && (word == "noindex" || word == "none") {
				return true
			}
		}
	}
	return false
}
