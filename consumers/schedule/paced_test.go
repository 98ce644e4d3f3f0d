package schedule

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"millrace/bench/traps"
	"millrace/consumers/extract"
	"millrace/schema"
)

// pace says how many of the waiting requests and of the waiting pages come next. quiet says that
// nothing can happen but that a page is judged.
type pace struct {
	name  string
	turns func(r *rand.Rand, asked, fetched int, quiet bool) (requests, judged int)
}

// paces are ways in which judging may come late: all of it as late as it can, and in any order.
func paces() []pace {
	return []pace{
		{"as late as possible", func(_ *rand.Rand, a, f int, quiet bool) (int, int) {
			if quiet {
				return a, f
			}
			return a, 0
		}},
		{"in any order", func(r *rand.Rand, a, f int, quiet bool) (int, int) {
			if quiet {
				return a, f
			}
			return r.IntN(a + 1), r.IntN(f/8 + 1)
		}},
	}
}

// paced is a crawl of one site without a network: a page is asked, and judged, when the pace says
// so.
type paced struct {
	*world
	web    *traps.Web
	site   string
	worker *extract.Worker
	pages  []*schema.Page // asked, not judged
	next   int            // first of out that may not be done
	drawn  *rand.Rand
}

func newPaced(t *testing.T, site traps.Site, seed uint64) *paced {
	t.Helper()
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		t.Fatal(err)
	}
	worker, err := extract.New(extract.DefaultOptions(), extract.Deps{Canon: canon, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(worker.Close)
	p := &paced{web: traps.New(site), site: site.Name, worker: worker, drawn: rand.New(rand.NewPCG(seed, 7))}
	w := newWorldOf(t, newMemory(), schema.HostOf(site.Name), testPartitions, func(o *Options) { o.Delay, o.Traps = 0, true })
	p.world = w
	w.append(&schema.Discovered{Host: string(schema.HostOf(site.Name)), Body: &schema.Discovered_Add{
		Add: &schema.Add{Producer: "seeds", Items: []*schema.AddItem{{Url: "http://" + site.Name + "/"}}}}})
	return p
}

// crawl goes on until the frontier has nothing to do and every page is judged.
func (p *paced) crawl(at pace) {
	p.t.Helper()
	still := 0
	for turns := 0; still < 8; turns++ {
		if turns > 200_000 {
			p.t.Fatalf("%s does not end: %+v", p.site, p.group.Status())
		}
		p.run()
		open := p.unfinishedFrom()
		asked, judged := at.turns(p.drawn, len(open), len(p.pages), len(open) == 0 && still >= 4)
		for _, i := range open[:asked] {
			p.ask(i)
		}
		for range judged {
			p.judge()
		}
		if still++; asked+judged > 0 || len(open) > 0 {
			still = 0
		}
		p.clock = p.clock.Add(250 * time.Millisecond)
	}
	if len(p.pages) > 0 {
		p.t.Fatalf("%s: %d pages are not judged", p.site, len(p.pages))
	}
}

func (p *paced) unfinishedFrom() []int {
	for p.next < len(p.out) && p.done[p.next] {
		p.next++
	}
	var open []int
	for i := p.next; i < len(p.out); i++ {
		if !p.done[i] {
			open = append(open, i)
		}
	}
	return open
}

// ask does what fetch does with a URL.
func (p *paced) ask(i int) {
	s := p.out[i]
	first := len(p.done) == 0
	res := p.get(s.Url)
	to := res.Header().Get("Location")
	p.finish(i, func(o *schema.Outcome) {
		if first {
			o.HostNotice = p.robots()
		}
		if to != "" {
			o.Result, o.HttpStatus, o.RedirectTo = schema.Outcome_REDIRECT, int32(res.Code), "http://"+p.site+to
			return
		}
		if o.HttpStatus = int32(res.Code); res.Code != http.StatusOK {
			o.Result = schema.Outcome_GONE
			return
		}
		o.Served = schema.Kind_PAGE
		if strings.HasPrefix(res.Body.String(), "<?xml") {
			o.Served = schema.Kind_SITEMAP
		}
		o.Bytes = int64(res.Body.Len())
	})
	switch {
	case to != "":
		next := linksTo(schema.HostOf(p.site), ":http"+to)
		next.GetLinks().SourceRowKey, next.GetLinks().Links[0].Rel, next.GetLinks().Redirects = s.RowKey, relRedirect, s.Redirects+1
		p.append(next)
	case res.Code != http.StatusOK:
	case strings.HasPrefix(res.Body.String(), "<?xml"):
		p.list(s, res.Body.String())
	default:
		p.pages = append(p.pages, &schema.Page{RowKey: s.RowKey, Url: s.Url, Site: s.Site, Kind: schema.Kind_PAGE, Rev: s.Rev,
			HttpStatus: 200, ContentType: "text/html; charset=utf-8", Body: res.Body.Bytes(), BodyLength: int64(res.Body.Len()),
			Depth: s.Depth, FetchedAt: p.clock.UnixMilli()})
	}
}

func (p *paced) get(url string) *httptest.ResponseRecorder {
	res := httptest.NewRecorder()
	p.web.ServeHTTP(res, httptest.NewRequest(http.MethodGet, url, nil))
	return res
}

func (p *paced) robots() *schema.HostNotice {
	n := &schema.HostNotice{Robots: schema.HostNotice_ALLOW_ALL}
	for line := range strings.Lines(p.get("http://" + p.site + "/robots.txt").Body.String()) {
		if at, ok := strings.CutPrefix(strings.TrimSpace(line), "Sitemap: "); ok {
			n.Robots, n.Sitemaps = schema.HostNotice_RULES, append(n.Sitemaps, at)
		}
	}
	return n
}

// list does what sitemaps does with a list.
func (p *paced) list(s *schema.Scheduled, body string) {
	kind := schema.Kind_PAGE
	if strings.Contains(body, "<sitemapindex") {
		kind = schema.Kind_SITEMAP
	}
	add := &schema.Add{Producer: producerSitemaps, FeedRowKey: s.RowKey}
	for _, m := range regexp.MustCompile(`<loc>([^<]*)</loc>`).FindAllStringSubmatch(body, -1) {
		add.Items = append(add.Items, &schema.AddItem{Url: m[1], Kind: kind, Depth: s.Depth + 1})
	}
	p.append(&schema.Discovered{Host: string(schema.HostOf(p.site)), Body: &schema.Discovered_Add{Add: add}})
}

// judge does what extract does with the page that has waited longest.
func (p *paced) judge() {
	page := p.pages[0]
	p.pages = p.pages[1:]
	made, err := p.worker.Work(p.t.Context(), page)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, d := range made.Discovered {
		if schema.Host(d.Host) == schema.HostOf(p.site) {
			p.append(d)
		}
	}
}

// mostInATrap is the largest number of requests that a trap may cost a host, robots.txt left out.
const mostInATrap = 200

// What a trap costs, and what is found of an honest site, does not depend on how soon pages are
// judged: neither on how fast the machine is, nor on the order in which the answers come.
func TestTrapsAreCutHoweverLatePagesAreJudged(t *testing.T) {
	for i, site := range traps.Sites() {
		for k, at := range paces() {
			if !site.Trap && site.Name != "shop.test" && i%2 != k {
				continue // one pace each: they are many
			}
			t.Run(fmt.Sprintf("%s, %s", site.Name, at.name), func(t *testing.T) {
				p := newPaced(t, site, uint64(k))
				p.crawl(at)
				c := p.web.Counts()[0]
				t.Logf("%d beside, %d of %d found", c.Extra, c.Found, c.Honest)
				if c.Found != c.Honest || c.Honest == 0 {
					t.Errorf("%d of %d honest pages found", c.Found, c.Honest)
				}
				if c.Trap && c.Extra > mostInATrap {
					t.Errorf("%d requests in the trap, at most %d", c.Extra, mostInATrap)
				}
			})
		}
	}
}

// The same of further traps, which hide what gives those away.
func TestHostileSitesAreCut(t *testing.T) {
	for i, site := range traps.Hostile() {
		t.Run(site.Name, func(t *testing.T) {
			p := newPaced(t, site, uint64(i))
			p.crawl(paces()[i%2])
			list, wanted := p.useful(site)
			found := 0
			for _, ok := range list {
				if ok {
					found++
				}
			}
			c := p.web.Counts()[0]
			t.Logf("%d fetches, of %d texts %d, of %d pages %d", len(list), wanted, found, c.Honest, c.Found)
			if found != wanted && c.Found != c.Honest || wanted == 0 {
				t.Errorf("%d of %d texts and %d of %d pages found", found, wanted, c.Found, c.Honest)
			}
			if beside := len(list) - found; c.Trap && beside > mostInATrap {
				t.Errorf("%d fetches without a text that was missing, at most %d", beside, mostInATrap)
			}
		})
	}
}

// useful returns for each page that was judged, in order, whether it brought a wanted text that no
// page before it did, and how many texts are wanted.
func (p *paced) useful(site traps.Site) (out []bool, wanted int) {
	texts := map[string]bool{}
	for _, path := range site.Pages() {
		res := p.get("http://" + p.site + path)
		made, err := p.worker.Work(p.t.Context(), &schema.Page{RowKey: string(schema.JoinRowKey(schema.HostOf(p.site), ":http"+path)),
			Url: "http://" + p.site + path, Kind: schema.Kind_PAGE, ContentType: "text/html; charset=utf-8", Body: res.Body.Bytes()})
		if err != nil {
			p.t.Fatal(err)
		}
		texts[string(made.Extracted.GetDoc().GetTextHash())] = true
	}
	wanted = len(texts)
	for _, r := range p.in {
		switch b := r.Value.Body.(type) {
		case *schema.Discovered_Digest:
			hash := string(b.Digest.TextHash)
			out = append(out, texts[hash])
			delete(texts, hash)
		case *schema.Discovered_Outcome:
			if b.Outcome.Rule != "" { // an answer of the frontier to itself, without a request
				continue
			}
			if b.Outcome.Result != schema.Outcome_OK || b.Outcome.Served != schema.Kind_PAGE {
				out = append(out, false)
			}
		}
	}
	return out, wanted
}

// usefulProfiles says what part of the second half of the fetches must bring a wanted text.
func usefulProfiles() map[string]float64 {
	return map[string]float64{"docs.test": 0.8, "news.test": 0.6}
}

// Of a manual each chapter of which stands at five addresses, and of a news site with pages to
// print, to share and to comment, most fetches in the second half of the crawl bring a text that is
// wanted, and no such text is missed: shapes that repeat what other pages have step back.
func TestFetchesAreUsefulWhereMostLinksAreNot(t *testing.T) {
	for _, site := range traps.Profiles() {
		for k, at := range paces() {
			t.Run(site.Name+", "+at.name, func(t *testing.T) {
				p := newPaced(t, site, uint64(k))
				p.crawl(at)
				list, wanted := p.useful(site)
				found, second := 0, 0.0
				for i, ok := range list {
					if ok {
						found++
						if i >= len(list)/2 {
							second++
						}
					}
				}
				second /= float64(len(list) - len(list)/2)
				t.Logf("%d fetches, %d of %d texts, second half %.3f", len(list), found, wanted, second)
				if least := usefulProfiles()[site.Name]; found != wanted || second < least || wanted == 0 {
					t.Errorf("%d of %d texts found, %.3f of the second half useful, want %.2f", found, wanted, second, least)
				}
			})
		}
	}
}
