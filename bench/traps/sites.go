package traps

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ordinary is the number of pages that each trap host has beside its trap.
const ordinary = 40

func ordinaryPaths() []string {
	out := []string{"/"}
	for i := range ordinary {
		out = append(out, fmt.Sprintf("/article/%d", i))
	}
	return out
}

// around serves the ordinary pages of a host, each of which links to what enters the trap.
func around(host string, enter ...string) func(path string) (string, bool) {
	return func(path string) (string, bool) {
		links := append([]string{}, enter...)
		n, err := strconv.Atoi(strings.TrimPrefix(path, "/article/"))
		if path != "/" && (err != nil || n >= ordinary || !strings.HasPrefix(path, "/article/")) {
			return "", false
		}
		for k := range 8 {
			links = append(links, fmt.Sprintf("/article/%d", (n*5+k)%ordinary))
		}
		return article(host+path, links...), true
	}
}

type server func(w *Web, path, query string) (string, bool)

// withTrap serves a host's ordinary pages and its trap.
func withTrap(name string, enter []string, trap server) Site {
	plain := around(name, enter...)
	return Site{Name: name, Trap: true, honest: ordinaryPaths, serve: func(w *Web, path, query string) (string, bool) {
		if body, ok := plain(path); ok {
			return body, true
		}
		return trap(w, path, query)
	}}
}

func trapSites() []Site {
	return []Site{
		withTrap("calendar.test", []string{"/calendar/2026-05-12"}, calendar),
		sessions(),
		withTrap("facets.test", []string{"/shop"}, facets),
		withTrap("paths.test", []string{"/tree/"}, growing),
		withTrap("soft404.test", []string{"/lost/a"}, lost),
		withTrap("random.test", []string{"/r/start"}, invented),
		withTrap("sitemaps.test", nil, sitemaps),
	}
}

func calendar(_ *Web, path, _ string) (string, bool) {
	day, err := time.Parse("2006-01-02", strings.TrimPrefix(path, "/calendar/"))
	if err != nil {
		return "", false
	}
	at := func(d time.Time) string { return "/calendar/" + d.Format("2006-01-02") }
	return page("Calendar of "+day.Format("2 January 2006"), "There are no events on "+day.Format("Monday, 2 January 2006")+" in the mill. ",
		at(day.AddDate(0, 0, 1)), at(day.AddDate(0, 0, -1)), at(day.AddDate(0, 1, 0)), at(day.AddDate(1, 0, 0))), true
}

// sessions is a host each link of which has a new session id.
func sessions() Site {
	plain := around("sessions.test")
	return Site{Name: "sessions.test", Trap: true, honest: func() []string { return []string{"/"} }, serve: func(w *Web, path, _ string) (string, bool) {
		body, ok := plain(path)
		for strings.Contains(body, `">More`) {
			body = strings.Replace(body, `">More`, fmt.Sprintf(`?visit=%x">Next`, 0xabc00000+w.session.Add(1)*7919), 1)
		}
		return body, ok
	}}
}

func facets(_ *Web, path, query string) (string, bool) {
	if path != "/shop" {
		return "", false
	}
	var links []string
	for _, name := range []string{"color", "size", "brand", "sort", "view", "stock"} {
		for v := range 6 {
			if !strings.Contains(query, name+"=") {
				links = append(links, strings.TrimPrefix("/shop?"+query+"&"+fmt.Sprintf("%s=%d", name, v), "&"))
			}
		}
	}
	for i := range links {
		links[i] = strings.Replace(links[i], "?&", "?", 1)
	}
	r := draws(len(query) % 3)
	return page("Shop", sentences(r, 8), links...), true
}

func growing(_ *Web, path, _ string) (string, bool) {
	if !strings.HasPrefix(path, "/tree/") || len(path) > 1500 {
		return "", false
	}
	return page("Tree", sentences(draws("tree"), 8), path+"left/", path+"right/", path+"more/"), true
}

func lost(_ *Web, path, _ string) (string, bool) {
	if path == "/robots.txt" || strings.HasPrefix(path, "/sitemap") {
		return "", false
	}
	r := draws(path)
	var links []string
	for range 10 {
		links = append(links, fmt.Sprintf("/lost/%x", r.Uint32()), fmt.Sprintf("/%s", strings.ToLower(strings.Fields(sentences(r, 1))[1])))
	}
	return page("Welcome", "We could not find "+path+" here. Perhaps one of these helps. ", links...), true
}

func invented(_ *Web, path, _ string) (string, bool) {
	if !strings.HasPrefix(path, "/r/") {
		return "", false
	}
	r := draws(path)
	var links []string
	for range 10 {
		links = append(links, fmt.Sprintf("/r/%x", r.Uint64()))
	}
	return page(sentences(r, 1)[:24], sentences(r, 20), links...), true
}

func sitemaps(_ *Web, path, _ string) (string, bool) {
	if path == "/robots.txt" {
		return "User-agent: *\nAllow: /\nSitemap: http://sitemaps.test/map/0.xml\n", true
	}
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(path, "/map/"), ".xml"))
	if err != nil {
		return "", false
	}
	body := `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	for k := 1; k <= 5; k++ {
		body += fmt.Sprintf("<sitemap><loc>http://sitemaps.test/map/%d.xml</loc></sitemap>", n*5+k)
	}
	return body + "</sitemapindex>", true
}

// Sizes of the honest sites.
const (
	eventDays = 150
	threads   = 240
	products  = 240
	articles  = 240
	episodes  = 160
)

func honestSites() []Site {
	return []Site{events(), forum(), shop(), wiki(), serial()}
}

// hasEvent reports whether something is on on a day after the first of 2026.
func hasEvent(day int) bool { return day >= 0 && day < eventDays && draws("event", day).IntN(3) == 0 }

func events() Site {
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	path := func(day int) string { return first.AddDate(0, 0, day).Format("/events/2006/01/02") }
	return Site{Name: "events.test", serve: func(_ *Web, p, _ string) (string, bool) {
		if p == "/" {
			return article("events", path(60)), true
		}
		at, err := time.Parse("/events/2006/01/02", p)
		if err != nil {
			return "", false
		}
		day := int(at.Sub(first).Hours() / 24)
		if hasEvent(day) {
			return page("On "+at.Format("2 January"), sentences(draws("what", day), 3), path(day-1), path(day+1)), true
		}
		return page("On "+at.Format("2 January"), "Nothing is on that day. ", path(day-1), path(day+1)), true
	}, honest: func() []string {
		out := []string{"/"}
		for d := range eventDays {
			if hasEvent(d) {
				out = append(out, path(d))
			}
		}
		return out
	}}
}

func drawnID(kind string, i int) string { return fmt.Sprintf("%016x", draws(kind, i).Uint64()) }

func forum() Site {
	index := map[string]int{}
	for i := range threads {
		index[drawnID("thread", i)] = i
	}
	return Site{Name: "forum.test", serve: func(_ *Web, p, q string) (string, bool) {
		if p == "/" {
			n, _ := strconv.Atoi(strings.TrimPrefix(q, "page="))
			links := []string{fmt.Sprintf("/?page=%d", n+1)}
			for i := n * 20; i < min(n*20+20, threads); i++ {
				links = append(links, "/t/"+drawnID("thread", i))
			}
			if n*20 >= threads {
				return "", false
			}
			return page("Forum", "Threads of the forum. ", links...), true
		}
		i, ok := index[strings.TrimPrefix(p, "/t/")]
		if !ok {
			return "", false
		}
		return page("Thread", sentences(draws("post", i), 2), "/t/"+drawnID("thread", (i+1)%threads)), true
	}, honest: func() []string {
		var out []string
		for i := range threads {
			out = append(out, "/t/"+drawnID("thread", i))
		}
		return out
	}}
}

func shop() Site {
	product := func(i int) string { return fmt.Sprintf("/product/fine-old-%d-of-the-mill", 1000+i) }
	return Site{Name: "shop.test", serve: func(_ *Web, p, q string) (string, bool) {
		if strings.HasPrefix(p, "/product/") {
			for i := range products {
				if p == product(i) {
					return page(fmt.Sprintf("Product %d", i), sentences(draws("product", i), 4), "/list"), true
				}
			}
			return "", false
		}
		if p != "/" && p != "/list" {
			return "", false
		}
		var color, size, n int
		_, _ = fmt.Sscanf(q, "color=%d&size=%d&page=%d", &color, &size, &n)
		var links []string
		for v := range 6 {
			links = append(links, fmt.Sprintf("/list?color=%d&size=%d&page=0", v, size), fmt.Sprintf("/list?color=%d&size=%d&page=0", color, v))
		}
		at := (color*6 + size) * products / 36
		for i := at; i < min(products, at+products/36+1); i++ {
			links = append(links, product(i))
		}
		return page("Our products", "Choose what you like. ", links...), true
	}, honest: func() []string {
		var out []string
		for i := range products {
			out = append(out, product(i))
		}
		return out
	}}
}

func wiki() Site {
	title := func(i int) string { return fmt.Sprintf("/wiki/Page_%s", drawnID("wiki", i)[:6]) }
	index := map[string]int{}
	for i := range articles {
		index[title(i)] = i
	}
	return Site{Name: "wiki.test", serve: func(_ *Web, p, _ string) (string, bool) {
		i, ok := index[p]
		if p != "/" && !ok {
			return "", false
		}
		r := draws("links", i)
		links := []string{title((i + 1) % articles)}
		for range 20 {
			links = append(links, title(r.IntN(articles)))
		}
		return article("wiki"+p, links...), true
	}, honest: func() []string {
		var out []string
		for i := range articles {
			out = append(out, title(i))
		}
		return out
	}}
}

func serial() Site {
	path := func(i int) string { return fmt.Sprintf("/episode/%d", i) }
	return Site{Name: "serial.test", serve: func(_ *Web, p, _ string) (string, bool) {
		i, err := strconv.Atoi(strings.TrimPrefix(p, "/episode/"))
		if p == "/" {
			return article("serial", path(episodes-1)), true
		}
		if err != nil || i >= episodes || i < 0 {
			return "", false
		}
		if i == 0 {
			return article(p, path(1)), true
		}
		return article(p, path(i-1), path(min(i+1, episodes-1))), true
	}, honest: func() []string {
		var out []string
		for i := range episodes {
			out = append(out, path(i))
		}
		return out
	}}
}
