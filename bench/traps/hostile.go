package traps

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Hostile are further traps, each of which hides what gives the seven of Sites away, and honest
// sites that look like them.
func Hostile() []Site {
	return []Site{
		withTrap("months.test", []string{"/events/2026/may/12"}, proverbs(12)),
		pathFacets(), pathSessions(), prefixes(), letters(), visitors(), relatives(),
		withTrap("suggests.test", []string{"/found/nothing"}, suggests),
		withTrap("turns.test", []string{"/go?from=home"}, turns),
		withTrap("tags.test", []string{"/tag/mill"}, tags),
		deadSitemap(), monthsArchive(), pathShop(),
		withTrap("proverbs.test", []string{"/events/2026/may/12"}, proverbs(50)),
		origin("news-forever.test", []string{"/n/1"}, newsForever),
		kind404(),
		withTrap("almanac.test", []string{"/almanac/2026-05-12"}, almanac),
		signed("signed.test", "/n/%d-%08x", 2, 0), signed("signature.test", "/n/%d?sig=%08x", 3, 0),
		days("compact.test", "/day/20060102"), days("compactparam.test", "/events?date=20060102"),
		days("compactmonth.test", "/month/200601/02.html"), diary(),
		chain("chain.test", "/n/%d-%08x"), chain("chainnumber.test", "/n/%d?id=%d"),
		series("novel.test", 2000, func(i int) string { return fmt.Sprintf("/novel/chapter-%d", i+1) }),
		series("chapters.test", 600, rising), series("titles.test", 400, titled),
	}
}

// To is an answer of a site that is a redirect.
func To(path string) string { return redirectTo + path }

// redirectTo begins answers that are redirects.
const redirectTo = "-> "

// proverbs is a calendar without end whose months are words, with one of n proverbs a day.
func proverbs(n int) server {
	return func(_ *Web, path, _ string) (string, bool) { return proverb(path, n) }
}

func proverb(path string, n int) (string, bool) {
	day, err := time.Parse("/events/2006/January/2", path)
	if err != nil {
		return "", false
	}
	at := func(d time.Time) string { return strings.ToLower(d.Format("/events/2006/January/2")) }
	said := sentences(draws("proverb", day.YearDay()%n), 2)
	return page(day.Format("Events of Monday, 2 January 2006"), "Nothing is on. The proverb of the day: "+said,
		at(day.AddDate(0, 0, 1)), at(day.AddDate(0, 0, -1)), at(day.AddDate(0, 1, 0)), at(day.AddDate(0, -1, 0))), true
}

// almanac is a chain of days without end, with a long text for each.
func almanac(_ *Web, path, _ string) (string, bool) {
	day, err := time.Parse("/almanac/2006-01-02", path)
	if err != nil {
		return "", false
	}
	return article(path, day.AddDate(0, 0, 1).Format("/almanac/2006-01-02"), day.AddDate(0, 0, -1).Format("/almanac/2006-01-02")), true
}

// kind404 is an honest serial whose server answers unknown numbers with 200, and with episodes that
// might be meant, drawn anew.
func kind404() Site {
	path := func(i int) string { return fmt.Sprintf("/episode/%d", i) }
	return Site{Name: "kind404.test", serve: func(_ *Web, p, _ string) (string, bool) {
		i, err := strconv.Atoi(strings.TrimPrefix(p, "/episode/"))
		switch {
		case p == "/":
			return article("kind404", path(0)), true
		case err != nil || !strings.HasPrefix(p, "/episode/"):
			return "", false
		case i >= 0 && i < episodes:
			return article("kind404"+p, path(min(i+1, episodes-1)), path(max(i-1, 0))), true
		}
		r := draws("kind404", p)
		var links []string
		text := "We have no such episode. "
		for range 6 {
			k := r.IntN(episodes)
			links = append(links, path(k))
			text += sentences(draws("teaser", k), 2)
		}
		return page("Our episodes", text, links...), true
	}, honest: func() []string { return each(episodes, path) }}
}

// filters of pathFacets and pathShop.
func filters() []string {
	var out []string
	for _, name := range []string{"color", "size", "brand", "price", "rating", "stock"} {
		for v := range 5 {
			out = append(out, fmt.Sprintf("%s-%d", name, v))
		}
	}
	return out
}

// pathFacets is a shop whose filters are segments of the path, in any order, over 240 products.
func pathFacets() Site {
	product := func(i int) string { return fmt.Sprintf("/product/%d", i) }
	return Site{Name: "pathfacets.test", Trap: true, serve: func(_ *Web, p, _ string) (string, bool) {
		if i, err := strconv.Atoi(strings.TrimPrefix(p, "/product/")); err == nil && i >= 0 && i < products {
			return article("pathfacets"+p, "/shop/"), true
		}
		if p == "/" {
			return article("pathfacets", "/shop/"), true
		}
		chosen, ok := strings.CutPrefix(p, "/shop/")
		if !ok {
			return "", false
		}
		var set, links []string
		for _, f := range strings.Split(strings.Trim(chosen, "/"), "/") {
			switch {
			case f == "":
			case !slices.Contains(filters(), f) || slices.Contains(set, f):
				return "", false
			default:
				set = append(set, f)
			}
		}
		for _, f := range filters() {
			if !slices.Contains(set, f) && len(set) < 12 {
				links = append(links, "/shop/"+strings.Join(append(slices.Clone(set), f), "/")+"/")
			}
		}
		for i := range products {
			if within(i, set) {
				links = append(links, product(i))
			}
		}
		return page("Shop", sentences(draws("pathfacets"), 6), links...), true
	}, honest: func() []string { return append(each(products, product), "/") }}
}

// within reports whether a product has what the filters ask for.
func within(i int, set []string) bool {
	for _, f := range set {
		if draws("has", i, f).IntN(3) == 0 {
			return false
		}
	}
	return true
}

// pathSessions is a host that puts a new session id before the path of every link.
func pathSessions() Site {
	plain := around("pathsessions.test")
	return Site{Name: "pathsessions.test", Trap: true, honest: ordinaryPaths, serve: func(w *Web, path, _ string) (string, bool) {
		if rest, ok := strings.CutPrefix(path, "/s/"); ok {
			_, after, _ := strings.Cut(rest, "/")
			path = "/" + after
		}
		body, ok := plain(path)
		return renew(body, `href="/`, func() string { return fmt.Sprintf(`href="/s/%x/`, 0xabc00000+w.session.Add(1)*7919) }), ok
	}}
}

// renew replaces each old by another new.
func renew(body, old string, next func() string) string {
	parts := strings.Split(body, old)
	for i := 1; i < len(parts); i++ {
		parts[i] = next() + parts[i]
	}
	return strings.Join(parts, "")
}

// prefixes is a host whose links put one more language before the path.
func prefixes() Site {
	plain := around("prefixes.test", "/en/", "/de/", "/fr/")
	return Site{Name: "prefixes.test", Trap: true, honest: ordinaryPaths, serve: func(_ *Web, path, _ string) (string, bool) {
		before := ""
		for len(path) > 4 && slices.Contains([]string{"/en/", "/de/", "/fr/"}, path[:4]) || path == "/en/" || path == "/de/" || path == "/fr/" {
			before, path = before+path[:3], path[3:]
		}
		body, ok := plain(path)
		if before != "" {
			body = strings.ReplaceAll(body, `href="/`, `href="`+before+`/`)
		}
		return body, ok && len(before) < 600
	}}
}

// letters is a host that does not tell capitals from small letters, and links to its pages with
// any.
func letters() Site {
	plain := around("letters.test")
	return Site{Name: "letters.test", Trap: true, honest: ordinaryPaths, serve: func(w *Web, path, _ string) (string, bool) {
		body, ok := plain(strings.ToLower(path))
		return renew(body, `href="/article`, func() string {
			r, name := draws("case", w.session.Add(1)), []byte("article")
			if r.IntN(3) == 0 {
				return `href="/article` // one link in three is as it should be
			}
			for i := range name {
				if r.IntN(2) == 0 {
					name[i] -= 'a' - 'A'
				}
			}
			return `href="/` + string(name)
		}), ok
	}}
}

// visitors is a host with a new session id in every link, and pages that never have the same text
// twice: a number of the visitor, a proverb, the time.
func visitors() Site {
	plain := around("visitors.test")
	return Site{Name: "visitors.test", Trap: true, honest: func() []string { return []string{"/"} }, serve: func(w *Web, path, _ string) (string, bool) {
		body, ok := plain(path)
		n := w.session.Add(1)
		said := fmt.Sprintf("</main><footer><p>You are visitor number %d. The proverb for you: %s</footer>", n, sentences(draws("visit", n), 2))
		body = strings.Replace(body, "</main>", said, 1)
		return renew(body, `">More`, func() string { return fmt.Sprintf(`?visit=%x">Next`, 0xabc00000+w.session.Add(1)*7919) }), ok
	}}
}

// relatives is a host whose links leave out the slash at the beginning, and that serves its pages
// below any folder.
func relatives() Site {
	plain := around("relatives.test")
	return Site{Name: "relatives.test", Trap: true, honest: ordinaryPaths, serve: func(_ *Web, path, _ string) (string, bool) {
		if i := strings.LastIndex(path, "/article/"); i > 0 && len(path) < 1500 {
			body, ok := plain(path[i:])
			return strings.ReplaceAll(body, `<li><a href="/article/`, `<li><a href="article/`), ok
		}
		body, ok := plain(path)
		if path == "/" {
			return body, ok
		}
		return strings.Replace(body, `<li><a href="/article/`, `<li><a href="article/`, 4), ok
	}}
}

// suggests answers anything below /found with 200, and with articles that might be meant, drawn
// anew, and searches that might help.
func suggests(_ *Web, path, _ string) (string, bool) {
	if !strings.HasPrefix(path, "/found/") {
		return "", false
	}
	r := draws("suggests", path)
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(sentences(r, 2), ".", "")))
	var links, text []string
	for range 8 {
		links = append(links, "/found/"+strings.Join([]string{words[r.IntN(len(words))], words[r.IntN(len(words))], words[r.IntN(len(words))]}, "-"))
	}
	for range 6 {
		k := r.IntN(ordinary)
		links = append(links, fmt.Sprintf("/article/%d", k))
		text = append(text, sentences(draws("teaser", k), 2))
	}
	return page("Did you mean this?", "This page could not be found. Perhaps you meant one of these: "+strings.Join(text, ""), links...), true
}

// turns redirects from one parameter to the next, and in circles.
func turns(_ *Web, path, query string) (string, bool) {
	if path != "/go" {
		return "", false
	}
	switch {
	case strings.HasPrefix(query, "circle="):
		n, _ := strconv.Atoi(strings.TrimPrefix(query, "circle="))
		return To(fmt.Sprintf("/go?circle=%d", (n+1)%5)), true
	case strings.HasPrefix(query, "step="):
		n, _ := strconv.Atoi(strings.TrimPrefix(query, "step="))
		return To(fmt.Sprintf("/go?step=%d&from=%x", n+1, draws(n).Uint32())), true
	}
	var links []string
	for k := range 10 {
		links = append(links, fmt.Sprintf("/go?step=%d", k*1000), fmt.Sprintf("/go?circle=%d", k), fmt.Sprintf("/go?back=%x&n=%d", draws(query, k).Uint32(), k))
	}
	return page("Go", "You will be sent on. ", links...), true
}

// tags lists, for any set of tags, the articles that have them all, with the beginnings of their
// texts, and links to larger sets.
func tags(_ *Web, path, _ string) (string, bool) {
	chosen, ok := strings.CutPrefix(path, "/tag/")
	if !ok {
		return "", false
	}
	all := []string{"mill", "river", "bridge", "weir", "wheel", "village", "market", "road", "field", "forest", "winter", "summer", "family", "letter", "window"}
	set := strings.Split(chosen, "+")
	var links, text []string
	for _, tag := range all {
		if !slices.Contains(set, tag) {
			links = append(links, "/tag/"+strings.Join(append(slices.Clone(set), tag), "+"))
		}
	}
	for i := range ordinary {
		if within(i, set) {
			links = append(links, fmt.Sprintf("/article/%d", i))
			text = append(text, sentences(draws("teaser", i), 2))
		}
	}
	return page("Articles about "+strings.Join(set, ", "), strings.Join(text, "")+". ", links...), true
}

// dead is how many dead URLs deadSitemap names.
const dead = 5000

// deadSitemap is a host whose sitemap names 5,000 pages that are not there, under names as those of
// its articles, and after them 40 that are there and that nothing else names.
func deadSitemap() Site {
	slug := func(kind string, i int) string {
		r := draws(kind, i)
		words := strings.Fields(strings.ToLower(strings.ReplaceAll(sentences(r, 1), ".", "")))
		return "/" + strings.Join(words[:4], "-") + fmt.Sprintf("-%d", i)
	}
	real := func(i int) string { return "/story" + slug("real", i) }
	plain := around("deadmap.test")
	return Site{Name: "deadmap.test", Trap: true, serve: func(_ *Web, p, _ string) (string, bool) {
		switch p {
		case "/robots.txt":
			return "User-agent: *\nAllow: /\nSitemap: http://deadmap.test/map.xml\n", true
		case "/map.xml":
			var b strings.Builder
			b.WriteString(`<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
			for i := range dead {
				fmt.Fprintf(&b, "<url><loc>http://deadmap.test%s</loc><lastmod>2026-11-22</lastmod></url>", slug("dead", i))
			}
			for i := range ordinary {
				fmt.Fprintf(&b, "<url><loc>http://deadmap.test%s</loc></url>", real(i))
			}
			return b.String() + "</urlset>", true
		}
		if body, ok := plain(p); ok {
			return body, true
		}
		for i := range ordinary {
			if p == real(i) {
				return article("deadmap"+p, "/"), true
			}
		}
		return "", false
	}, honest: func() []string { return append(ordinaryPaths(), each(ordinary, real)...) }}
}

// monthsArchive is an honest archive by year, month as a word, and title; the lists have no text.
func monthsArchive() Site {
	names := strings.Fields("january february march april may june july august september october november december")
	path := func(i int) string {
		words := strings.Fields(strings.ToLower(strings.ReplaceAll(sentences(draws("months", i), 1), ".", "")))
		return fmt.Sprintf("/%d/%s/%s", 2020+i/96, names[i/8%12], strings.Join(words[:3], "-"))
	}
	const n = 288
	return Site{Name: "monthsarchive.test", serve: func(_ *Web, p, _ string) (string, bool) {
		parts := strings.Split(strings.Trim(p, "/"), "/")
		var links []string
		switch {
		case p == "/":
			return page("Archive", "The archive. ", "/2020/", "/2021/", "/2022/"), true
		case len(parts) == 1:
			for _, m := range names {
				links = append(links, "/"+parts[0]+"/"+m+"/")
			}
		case len(parts) == 2:
			for i := range n {
				if strings.HasPrefix(path(i), "/"+parts[0]+"/"+parts[1]+"/") {
					links = append(links, path(i))
				}
			}
		default:
			for i := range n {
				if path(i) == p {
					return article("monthsarchive"+p, "/"), true
				}
			}
			return "", false
		}
		return page("Archive", "The archive. ", links...), len(links) > 0
	}, honest: func() []string { return each(n, path) }}
}

// pathShop is an honest shop: its products stand below two filters in a fixed order.
func pathShop() Site {
	path := func(i int) string { return fmt.Sprintf("/shop/color-%d/size-%d/item-%d", i%6, i/6%5, i) }
	return Site{Name: "pathshop.test", serve: func(_ *Web, p, _ string) (string, bool) {
		var links []string
		for i := range products {
			switch at := path(i); {
			case at == p:
				return article("pathshop"+p, "/shop/"), true
			case p == "/" || p == "/shop/":
				links = append(links, at[:strings.Index(at, "/size")+1])
			case strings.HasPrefix(at, p) && strings.Count(p, "/") == 3:
				links = append(links, at[:strings.LastIndex(at, "/")+1])
			case strings.HasPrefix(at, p) && strings.HasSuffix(p, "/"):
				links = append(links, at)
			}
		}
		slices.Sort(links)
		links = slices.Compact(links)
		return page("Shop", "Choose. ", links...), len(links) > 0
	}, honest: func() []string { return each(products, path) }}
}
