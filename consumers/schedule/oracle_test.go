package schedule

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"millrace/bench/traps"
)

// oracle crawls a site in the order in which links are found, and fetches only URLs that it wants.
// It returns for each fetch whether it brought a page that was to be found.
func oracle(p *paced, site traps.Site, wants func(path string) bool) (fetches []bool) {
	wanted := map[string]bool{}
	for _, path := range site.Pages() {
		wanted[path] = true
	}
	href := regexp.MustCompile(`href="?([^">\s]+)`)
	queue, known := []string{"/"}, map[string]bool{"/": true}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		fetches = append(fetches, wanted[path])
		for _, m := range href.FindAllStringSubmatch(p.get("http://"+site.Name+path).Body.String(), -1) {
			if to := m[1]; strings.HasPrefix(to, "/") && !known[to] && wants(to) {
				known[to] = true
				queue = append(queue, to)
			}
		}
	}
	return fetches
}

// usefulHalf returns the useful part of the second half of some fetches.
func usefulHalf(list []bool) float64 {
	n, half := 0, list[len(list)/2:]
	for _, ok := range half {
		if ok {
			n++
		}
	}
	return float64(n) / float64(len(half))
}

// What of the useful share can be known before a fetch. Who knows what each URL brings fetches
// almost nothing else. Who knows what each kind of URL brings has to fetch the lists, because they
// may name what nothing else names: of the second half of its crawl of the news site nine tenths
// are useful.
func TestWhatAnOracleReaches(t *testing.T) {
	lists := map[string][]string{"news.test": {"/section/", "/tag/", "/author/"}, "docs.test": {"/genindex-"}}
	for _, site := range traps.Profiles() {
		p := newPaced(t, site, 1)
		pages := map[string]bool{}
		for _, path := range site.Pages() {
			pages[path] = true
		}
		each := oracle(p, site, func(path string) bool { return pages[path] })
		kinds := oracle(p, site, func(path string) bool {
			return pages[path] || slices.ContainsFunc(lists[site.Name], func(l string) bool { return strings.HasPrefix(path, l) })
		})
		t.Logf("%s: knows each URL: %d fetches, second half %.3f; knows each kind: %d, %.3f", site.Name,
			len(each), usefulHalf(each), len(kinds), usefulHalf(kinds))
		if n := len(pages); len(each) != n+1 || len(kinds) <= n+1 || usefulHalf(each) < .99 {
			t.Errorf("%s: %d and %d fetches for %d pages", site.Name, len(each), len(kinds), n)
		}
	}
}
