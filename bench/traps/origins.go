package traps

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// handler answers a request of a host; false = the ordinary pages of the host answer.
type handler func(w *Web, res http.ResponseWriter, req *http.Request) bool

// Origins are hosts that lie or err in what surrounds their pages: robots.txt, validators, feeds,
// sitemaps, canonical links, cookies, names. Each has 40 ordinary pages; honest.test has nothing
// else.
func Origins() []Site {
	return []Site{
		origin("honest.test", nil, nothing),
		origin("robots-turns.test", nil, robotsTurns), origin("robots-big.test", nil, robotsBig),
		origin("robots-html.test", nil, robotsHTML), origin("robots-circle.test", nil, robotsCircle),
		origin("robots-empty.test", nil, robotsText("")),
		origin("etag-lies.test", nil, lyingETag), origin("etag-one.test", nil, oneETag),
		origin("modified-ahead.test", nil, modifiedAhead),
		origin("feed-guids.test", []string{"/feed.xml"}, feedOf(newGUIDs)), origin("feed-links.test", []string{"/feed.xml"}, feedOf(newLinks)),
		origin("feed-dates.test", []string{"/feed.xml"}, feedOf(oddDates)),
		origin("sitemap-now.test", nil, sitemapNow),
		origin("canonical-home.test", nil, canonical(func(string) string { return "/" })),
		origin("canonical-circle.test", nil, canonical(nextArticle)),
		origin("cookie-self.test", nil, cookieSelf), origin("cookie-door.test", nil, cookieDoor),
		origin("many-links.test", []string{"/many"}, manyLinks),
		origin("news-forever.test", []string{"/n/1"}, newsForever),
		wildcard(),
	}
}

func origin(name string, enter []string, handle handler) Site {
	plain := around(name, enter...)
	return Site{Name: name, Trap: true, honest: ordinaryPaths, handle: handle, serve: func(_ *Web, path, _ string) (string, bool) { return plain(path) }}
}

func nothing(*Web, http.ResponseWriter, *http.Request) bool { return false }

// write sends a text of a type.
func write(res http.ResponseWriter, kind, text string) bool {
	res.Header().Set("Content-Type", kind)
	_, _ = res.Write([]byte(text))
	return true
}

func robotsText(text string) handler {
	return func(_ *Web, res http.ResponseWriter, req *http.Request) bool {
		return req.URL.Path == "/robots.txt" && write(res, "text/plain", text)
	}
}

// robotsTurns says something else each time that it is asked.
func robotsTurns(w *Web, res http.ResponseWriter, req *http.Request) bool {
	if req.URL.Path != "/robots.txt" {
		return false
	}
	n := w.session.Add(1)
	return write(res, "text/plain", fmt.Sprintf("User-agent: *\nDisallow: /article/%d\nCrawl-delay: %d\nSitemap: http://robots-turns.test/map-%d.xml\n", n%10, n%3, n))
}

// robotsBig is a robots.txt of 10 MB whose first rule is one to obey.
func robotsBig(_ *Web, res http.ResponseWriter, req *http.Request) bool {
	if req.URL.Path != "/robots.txt" {
		return false
	}
	var b strings.Builder
	b.WriteString("User-agent: *\nDisallow: /article/7\n")
	for i := 0; b.Len() < 10<<20; i++ {
		fmt.Fprintf(&b, "Disallow: /*/%x*?x=%d\n", draws("rule", i).Uint64(), i)
	}
	return write(res, "text/plain", b.String())
}

func robotsHTML(_ *Web, res http.ResponseWriter, req *http.Request) bool {
	return req.URL.Path == "/robots.txt" && write(res, "text/html", page("Not found", "Disallow: / is what this page does not say. "))
}

func robotsCircle(_ *Web, res http.ResponseWriter, req *http.Request) bool {
	switch req.URL.Path {
	case "/robots.txt":
		http.Redirect(res, req, "/robots-b.txt", http.StatusFound)
	case "/robots-b.txt":
		http.Redirect(res, req, "/robots.txt", http.StatusFound)
	default:
		return false
	}
	return true
}

// changing is an article that has another text each minute.
func changing(host, path string) (string, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(path, "/article/"))
	if err != nil || n >= ordinary {
		return "", false
	}
	minute := time.Now().Unix() / 60
	return page(fmt.Sprintf("State of things in minute %d", minute), sentences(draws(host, path, minute), 12), fmt.Sprintf("/article/%d", (n+1)%ordinary)), true
}

// lyingETag says that a page did not change whenever it is asked, and its pages change each minute.
func lyingETag(_ *Web, res http.ResponseWriter, req *http.Request) bool {
	text, ok := changing(req.Host, req.URL.Path)
	if ok && req.Header.Get("If-None-Match") != "" {
		res.WriteHeader(http.StatusNotModified)
		return true
	}
	res.Header().Set("ETag", `"1"`)
	return ok && write(res, "text/html", text)
}

// oneETag has one ETag for all pages and versions, and never answers 304.
func oneETag(_ *Web, res http.ResponseWriter, req *http.Request) bool {
	res.Header().Set("ETag", `"same"`)
	text, ok := changing(req.Host, req.URL.Path)
	return ok && write(res, "text/html", text)
}

func modifiedAhead(_ *Web, res http.ResponseWriter, req *http.Request) bool {
	res.Header().Set("Last-Modified", time.Now().AddDate(20, 0, 0).UTC().Format(http.TimeFormat))
	res.Header().Set("Date", time.Now().AddDate(10, 0, 0).UTC().Format(http.TimeFormat))
	text, ok := changing(req.Host, req.URL.Path)
	return ok && write(res, "text/html", text)
}

// item of a feed, without its closing tag.
type itemOf func(w *Web, host string, i int) string

func feedOf(item itemOf) handler {
	return func(w *Web, res http.ResponseWriter, req *http.Request) bool {
		if req.URL.Path != "/feed.xml" {
			return false
		}
		var b strings.Builder
		b.WriteString(`<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title><link>http://` + req.Host + `/</link>`)
		for i := range ordinary {
			b.WriteString("<item><title>Item</title>" + item(w, req.Host, i) + "</item>")
		}
		return write(res, "application/rss+xml", b.String()+"</channel></rss>")
	}
}

func newGUIDs(w *Web, host string, i int) string {
	return fmt.Sprintf(`<guid isPermaLink="false">%x</guid><link>http://%s/article/%d</link><pubDate>%s</pubDate>`, w.session.Add(1)*7919, host, i, time.Now().UTC().Format(time.RFC1123Z))
}

// newLinks names each article under an address that was never seen.
func newLinks(w *Web, host string, i int) string {
	return fmt.Sprintf(`<link>http://%s/article/%d?at=%x</link><pubDate>%s</pubDate>`, host, i, 0xabc00000+w.session.Add(1)*7919, time.Now().UTC().Format(time.RFC1123Z))
}

func oddDates(_ *Web, host string, i int) string {
	date := ""
	if i%2 == 0 {
		date = "<pubDate>" + time.Now().AddDate(40, 0, 0).UTC().Format(time.RFC1123Z) + "</pubDate>"
	}
	return fmt.Sprintf(`<guid>http://%s/article/%d</guid>%s`, host, i, date)
}

// sitemapNow says of all its pages that they have changed now, whenever it is asked.
func sitemapNow(_ *Web, res http.ResponseWriter, req *http.Request) bool {
	now := time.Now().UTC().Format(time.RFC3339)
	switch req.URL.Path {
	case "/robots.txt":
		return write(res, "text/plain", "User-agent: *\nAllow: /\nSitemap: http://sitemap-now.test/map.xml\n")
	case "/map.xml":
		var b strings.Builder
		b.WriteString(`<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		for i := range ordinary {
			fmt.Fprintf(&b, "<url><loc>http://sitemap-now.test/article/%d</loc><lastmod>%s</lastmod><changefreq>always</changefreq></url>", i, now)
		}
		return write(res, "application/xml", b.String()+"</urlset>")
	}
	return false
}

func nextArticle(path string) string {
	n, _ := strconv.Atoi(strings.TrimPrefix(path, "/article/"))
	return fmt.Sprintf("/article/%d", (n+1)%ordinary)
}

// canonical adds a canonical link to another page to all ordinary pages.
func canonical(to func(path string) string) handler {
	return func(_ *Web, res http.ResponseWriter, req *http.Request) bool {
		body, ok := around(req.Host)(req.URL.Path)
		return ok && write(res, "text/html", strings.Replace(body, "</head>", `<link rel=canonical href="`+to(req.URL.Path)+`"></head>`, 1))
	}
}

// cookieSelf redirects whoever has no cookie to the same address, with one.
func cookieSelf(_ *Web, res http.ResponseWriter, req *http.Request) bool {
	if _, err := req.Cookie("visit"); err == nil || req.URL.Path == "/robots.txt" {
		return false
	}
	http.SetCookie(res, &http.Cookie{Name: "visit", Value: "1", Path: "/"})
	http.Redirect(res, req, req.URL.Path, http.StatusFound)
	return true
}

// cookieDoor redirects whoever has no cookie to a page that gives one and leads back.
func cookieDoor(_ *Web, res http.ResponseWriter, req *http.Request) bool {
	if req.URL.Path == "/door" {
		http.SetCookie(res, &http.Cookie{Name: "visit", Value: "1", Path: "/"})
		http.Redirect(res, req, req.URL.Query().Get("to"), http.StatusFound)
		return true
	}
	if _, err := req.Cookie("visit"); err == nil || req.URL.Path == "/robots.txt" {
		return false
	}
	http.Redirect(res, req, "/door?to="+req.URL.Path, http.StatusFound)
	return true
}

// manyLinks is a page with 100,000 links to pages that are not there, and 10 pages like it.
func manyLinks(_ *Web, res http.ResponseWriter, req *http.Request) bool {
	if !strings.HasPrefix(req.URL.Path, "/many") {
		return false
	}
	if len(req.URL.Path) > len("/many/0") {
		return false
	}
	var b strings.Builder
	b.WriteString("<!doctype html><title>Many</title><h1>Many</h1><p>" + sentences(draws(req.URL.Path), 12))
	for i := range 100_000 {
		fmt.Fprintf(&b, "<a href=/many/%d/%d>x</a>\n", i%10, i)
	}
	for i := range 10 {
		fmt.Fprintf(&b, "<a href=/many/%d>x</a>\n", i)
	}
	return write(res, "text/html", b.String())
}

// newsForever has pages with a new text each that name the next two and an article.
func newsForever(_ *Web, res http.ResponseWriter, req *http.Request) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(req.URL.Path, "/n/"))
	if err != nil || !strings.HasPrefix(req.URL.Path, "/n/") {
		return false
	}
	return write(res, "text/html", article(req.URL.Path, fmt.Sprintf("/n/%d", n+1), fmt.Sprintf("/n/%d", n+2), fmt.Sprintf("/article/%d", n%ordinary)))
}

// wildcard is a site with a host for every name: each page names five more.
func wildcard() Site {
	return Site{Name: "wildcard.test", Trap: true, honest: func() []string { return []string{"/"} }, below: true,
		handle: func(_ *Web, res http.ResponseWriter, req *http.Request) bool {
			if req.URL.Path == "/robots.txt" {
				http.NotFound(res, req)
				return true
			}
			var links []string
			for k := range 5 {
				links = append(links, fmt.Sprintf("http://h%x.wildcard.test/", draws(req.Host, k).Uint32()))
			}
			return write(res, "text/html", article(req.Host+req.URL.Path, append(links, "/about", "/contact")...))
		}}
}
