package fetch

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/schema"
	"millrace/topics"
)

// behind is a host that shows its pages only to those who send the cookie of its door. With at ""
// the page itself sets the cookie, else a page at that path does.
func behind(at string) func(r web.Request, path string) web.Result {
	return func(r web.Request, path string) web.Result {
		name, to, _ := strings.Cut(path, "?to=")
		switch {
		case path == "/robots.txt":
			return web.Result{Status: 404}
		case strings.Contains(r.Cookie, "visit=1"):
			return web.Result{Status: 200, Body: []byte("page " + path)}
		case at == "":
			return web.Result{Status: 302, Header: header("Location", path, "Set-Cookie", "visit=1; Path=/")}
		case name == at:
			return web.Result{Status: 302, Header: header("Location", to, "Set-Cookie", "visit=1; Path=/")}
		}
		return web.Result{Status: 302, Header: header("Location", at+"?to="+path)}
	}
}

// A page behind a door is fetched as itself, each request after the delay, and no cookie is sent
// for the next page.
func TestAPageBehindADoorForCookiesIsFetched(t *testing.T) {
	for at, asked := range map[string]string{
		"":      "/robots.txt /0 /0 /1 /1",
		"/door": "/robots.txt /0 /door?to=/0 /0 /1 /door?to=/1 /1",
	} {
		inWorld(t, nil, func(w *world) {
			w.origin.answer = behind(at)
			w.schedule(urlN("a.test", 0))
			w.schedule(urlN("a.test", 1))
			w.wait(20 * time.Second)
			if got := w.origin.paths("a.test"); got != asked {
				t.Errorf("door %q: asked for %s", at, got)
			}
			w.checkGaps("a.test", time.Second)
			pages := w.pages(topics.Pages())
			if got := w.results(); got != "OK OK" || len(pages) != 2 || string(pages[0].Body) != "page /0" || !strings.HasSuffix(pages[0].RowKey, "/0") {
				t.Errorf("door %q: results %s, pages %v", at, got, pages)
			}
			if len(w.links()) != 0 {
				t.Errorf("door %q: redirects became links: %v", at, w.links())
			}
			for _, h := range w.origin.all() {
				if h.path == "/1" && h.request.Cookie != "" {
					return // the second request of /1
				}
			}
			t.Errorf("door %q: no request with a cookie", at)
		})
	}
}

// Cookies of one page are not sent for another one.
func TestCookiesEndWithTheirPage(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.origin.answer = behind("")
		for n := range 3 {
			w.schedule(urlN("a.test", n))
		}
		w.wait(20 * time.Second)
		asked := map[string]int{}
		for _, h := range w.origin.all() {
			if asked[h.path]++; (asked[h.path] == 2) != (h.request.Cookie == "visit=1") || asked[h.path] > 2 {
				t.Errorf("request %d of %s with cookie %q", asked[h.path], h.path, h.request.Cookie)
			}
		}
	})
}

// A chain that does not come back to its URL ends within six requests, and what is left is the
// first redirect. After three of them the host's pages cost one request again.
func TestAChainThatDoesNotComeBackEnds(t *testing.T) {
	n := 0
	for name, c := range map[string]struct {
		answer func(r web.Request, path string) web.Result
		most   int // requests of the first URL
	}{
		"a new cookie at each redirect": {func(_ web.Request, path string) web.Result {
			n++
			return web.Result{Status: 302, Header: header("Location", path, "Set-Cookie", fmt.Sprintf("c%d=1", n))}
		}, 6},
		"a page to log in": {func(_ web.Request, path string) web.Result {
			if strings.HasPrefix(path, "/login") {
				return web.Result{Status: 200, Body: []byte("Name and password")}
			}
			return web.Result{Status: 302, Header: header("Location", "/login?next="+path)}
		}, 2},
		"a loop without a cookie": {func(_ web.Request, path string) web.Result {
			return web.Result{Status: 302, Header: header("Location", path)}
		}, 1},
		"another host": {func(_ web.Request, path string) web.Result {
			return web.Result{Status: 302, Header: header("Location", "https://b.test/door?to="+path, "Set-Cookie", "visit=1")}
		}, 1},
	} {
		inWorld(t, nil, func(w *world) {
			w.origin.answer = func(r web.Request, path string) web.Result {
				if path == "/robots.txt" {
					return web.Result{Status: 404}
				}
				return c.answer(r, path)
			}
			for i := range 12 {
				w.schedule(urlN("a.test", i))
			}
			w.wait(2 * time.Minute)
			if got := w.results(); got != strings.TrimSpace(strings.Repeat("REDIRECT ", 12)) {
				t.Errorf("%s: results %s", name, got)
			}
			if got := len(w.pages(topics.Pages())); got != 0 {
				t.Errorf("%s: %d pages", name, got)
			}
			w.checkGaps("a.test", time.Second)
			all := w.origin.all()
			if most := 1 + doorsClosed*c.most + 12 - doorsClosed + 2*c.most; len(all) > most || strings.Count(fmt.Sprint(paths(all)), " /0 ") > c.most {
				t.Errorf("%s: %d requests, at most %d: %v", name, len(all), most, paths(all))
			}
		})
	}
}

func paths(all []hit) (out []string) {
	for _, h := range all {
		out = append(out, h.path)
	}
	return out
}

// Robots.txt and operators are asked for each page of a chain.
func TestADoorThatIsForbiddenIsNotEntered(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"robots.txt": nil,
		"a rule": func(o *Options) {
			o.Judge = func(_ *schema.Scheduled, u schema.URL) Judgement {
				if strings.HasPrefix(u.PathQuery(), "/door") {
					return Judgement{Reason: "excluded", Rule: "r1"}
				}
				return Judgement{}
			}
		},
	} {
		inWorld(t, change, func(w *world) {
			answer := behind("/door")
			w.origin.answer = func(r web.Request, path string) web.Result {
				if path == "/robots.txt" && change == nil {
					return web.Result{Status: 200, Body: []byte("User-agent: *\nDisallow: /door\n")}
				}
				return answer(r, path)
			}
			w.schedule(urlN("a.test", 0))
			w.wait(20 * time.Second)
			if got := w.origin.paths("a.test"); got != "/robots.txt /0" || w.results() != "REDIRECT" {
				t.Errorf("%s: asked for %s, results %s", name, got, w.results())
			}
		})
	}
}

// Cookies above the limits are left out, and those of another path are not sent.
func TestCookiesHaveLimits(t *testing.T) {
	h := http.Header{}
	h.Add("Set-Cookie", "big="+strings.Repeat("x", maxCookieBytes))
	h.Add("Set-Cookie", "other=1; Path=/elsewhere")
	for i := range 30 {
		h.Add("Set-Cookie", fmt.Sprintf("c%d=%s", i, strings.Repeat("y", 1000)))
	}
	inWorld(t, nil, func(w *world) {
		w.origin.answer = func(r web.Request, path string) web.Result {
			if path == "/robots.txt" {
				return web.Result{Status: 404}
			}
			if r.Cookie == "" {
				h.Set("Location", path)
				return web.Result{Status: 302, Header: h}
			}
			return web.Result{Status: 200, Body: []byte("page")}
		}
		w.schedule(urlN("a.test", 0))
		w.wait(20 * time.Second)
		all := w.origin.all()
		sent := all[len(all)-1].request.Cookie
		if n := strings.Count(sent, "c"); len(sent) > maxCookieHeader || n < 5 || strings.Contains(sent, "big") || strings.Contains(sent, "other") {
			t.Errorf("%d bytes of cookies: %.200s", len(sent), sent)
		}
	})
}
