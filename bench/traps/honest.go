package traps

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Sizes of the larger honest sites.
const (
	branches    = 5   // children of a page of a tree
	treePages   = 781 // of a tree of five levels
	randomMap   = 700
	following   = 320
	entries     = 300
	discussions = 120
	classes     = 200
	stations    = 200
)

// odd are honest sites each of which has something that traps have, too.
func odd() []Site {
	return []Site{
		byNumber("tree.test", "a tree by number: a page leads to its children and to nothing else", treePages, branch),
		deepTree(), byDate(),
		byNumber("graph.test", "pages that name ten others anywhere", randomMap, anywhere),
		byNumber("next.test", "pages that name the next one only", following, nextOnly),
		queryWiki(), board(), reference(), figures(), listedOnly(),
	}
}

// byNumber is a site of pages /node/N with a text each, that lead where links says.
func byNumber(name, about string, n int, links func(i int) []int) Site {
	path := func(i int) string { return fmt.Sprintf("/node/%d", i) }
	return Site{Name: name, About: about, serve: func(_ *Web, p, q string) (string, bool) {
		i, err := strconv.Atoi(strings.TrimPrefix(p, "/node/"))
		if p == "/" {
			return article(name, path(0)), true
		}
		if err != nil || i < 0 || i >= n || q != "" {
			return "", false
		}
		var to []string
		for _, k := range links(i) {
			if k < n {
				to = append(to, path(k))
			}
		}
		return bare(name+p, to...), true
	}, honest: func() []string { return each(n, path) }}
}

func each(n int, path func(int) string) []string {
	var out []string
	for i := range n {
		out = append(out, path(i))
	}
	return out
}

func branch(i int) []int {
	var out []int
	for k := 1; k <= branches; k++ {
		out = append(out, i*branches+k)
	}
	return out
}

func anywhere(i int) []int {
	r := draws("anywhere", i)
	out := []int{i + 1}
	for range 9 {
		out = append(out, r.IntN(randomMap))
	}
	return out
}

func nextOnly(i int) []int { return []int{i + 1} }

// bare is an article without a link home.
func bare(key string, links ...string) string {
	return strings.Replace(article(key, links...), `<nav><a href="/">Home</a></nav>`, "", 1)
}

// deepTree is a tree in the paths: /manual/weir/stone/… of three to five words.
func deepTree() Site {
	words := strings.Fields("weir stone mill river bridge")
	var all []string
	var grow func(path string, depth int)
	grow = func(path string, depth int) {
		all = append(all, path)
		if depth == 0 {
			return
		}
		for _, w := range words[:2+depth%2+1] {
			grow(path+w+"/", depth-1)
		}
	}
	grow("/manual/", 4)
	return Site{Name: "deep.test", About: "a manual in folders in folders", serve: func(_ *Web, p, _ string) (string, bool) {
		if p == "/" {
			return article("deep", "/manual/"), true
		}
		if !slices.Contains(all, p) {
			return "", false
		}
		var to []string
		for _, w := range words {
			if slices.Contains(all, p+w+"/") {
				to = append(to, p+w+"/")
			}
		}
		return bare("deep"+p, to...), true
	}, honest: func() []string { return all }}
}

// byDate is an archive by year, month and day, whose lists have no text.
func byDate() Site {
	first := time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
	posts := map[string][]string{} // by day, month, year
	var all []string
	for i := range entries {
		day := first.AddDate(0, 0, i*13)
		title := strings.ToLower(strings.Join(strings.Fields(sentences(draws("slug", i), 1))[:5], "-"))
		path := day.Format("/blog/2006/01/02/") + title
		all = append(all, path)
		for _, list := range [][2]string{{day.Format("/blog/2006/01/02/"), path}, {day.Format("/blog/2006/01/"), day.Format("/blog/2006/01/02/")},
			{day.Format("/blog/2006/"), day.Format("/blog/2006/01/")}, {"/", day.Format("/blog/2006/")}} {
			if !slices.Contains(posts[list[0]], list[1]) {
				posts[list[0]] = append(posts[list[0]], list[1])
			}
		}
	}
	return Site{Name: "dates.test", About: "an archive by year, month and day", serve: func(_ *Web, p, _ string) (string, bool) {
		if to := posts[p]; to != nil {
			return page("Archive", "", to...), true
		}
		return article("dates"+p, "/"), slices.Contains(all, p)
	}, honest: func() []string { return all }}
}

// queryWiki is a wiki whose pages, histories, editors and versions are parameters.
func queryWiki() Site {
	title := func(i int) string {
		return fmt.Sprintf("/index.php?title=%s_%d", strings.Fields(vocabulary)[5+i%40], i)
	}
	return Site{Name: "query.test", About: "a wiki with everything in parameters", serve: func(_ *Web, p, q string) (string, bool) {
		if p == "/" {
			return article("query", title(0), title(1)), true
		}
		name, rest, _ := strings.Cut(strings.TrimPrefix(q, "title="), "&")
		_, number, _ := strings.Cut(name, "_")
		i, err := strconv.Atoi(number)
		if p != "/index.php" || err != nil || i >= entries || "/index.php?title="+name != title(i) {
			return "", false
		}
		own := title(i)
		switch {
		case strings.HasPrefix(rest, "action=edit"):
			return page("Log in", "You must log in to edit pages. "), true
		case strings.HasPrefix(rest, "action=history"):
			return page("History of "+name, "Changes. ", own+"&oldid="+number+"1", own+"&oldid="+number+"2"), true
		case strings.HasPrefix(rest, "oldid="), strings.HasPrefix(rest, "printable="):
			return article("query"+own, own), true
		case rest != "":
			return "", false
		}
		r := draws("query", i)
		return article("query"+own, title((i+1)%entries), title(r.IntN(entries)), title(r.IntN(entries)), title(r.IntN(entries)),
			own+"&action=edit", own+"&action=history", own+"&printable=yes"), true
	}, honest: func() []string { return each(entries, title) }}
}

// board is a forum: lists with start=, topics of several pages, links to answer and to members.
func board() Site {
	topic := func(t, start int) string {
		if start == 0 {
			return fmt.Sprintf("/viewtopic.php?f=%d&t=%d", t%4, t)
		}
		return fmt.Sprintf("/viewtopic.php?f=%d&start=%d&t=%d", t%4, start, t)
	}
	long := func(t int) int { return 1 + draws("long", t).IntN(3) }
	return Site{Name: "board.test", About: "a forum with lists and topics of several pages", serve: func(_ *Web, p, q string) (string, bool) {
		var f, t, start int
		switch {
		case p == "/":
			return article("board", "/viewforum.php?f=0", "/viewforum.php?f=1", "/viewforum.php?f=2", "/viewforum.php?f=3"), true
		case p == "/viewforum.php":
			if n, _ := fmt.Sscanf(q, "f=%d&start=%d", &f, &start); n < 1 || f > 3 {
				return "", false
			}
			links := []string{fmt.Sprintf("/viewforum.php?f=%d&start=%d", f, start+10), "/viewforum.php?f=" + strconv.Itoa((f+1)%4)}
			for k := start; k < start+10 && k*4+f < discussions; k++ {
				links = append(links, topic(k*4+f, 0), fmt.Sprintf("/memberlist.php?mode=viewprofile&u=%d", k%30))
			}
			if start*4+f >= discussions {
				return page("Forum", "No topics. "), true
			}
			return page("Forum", "Topics. ", links...), true
		case p == "/viewtopic.php":
			if n, _ := fmt.Sscanf(q, "f=%d&t=%d", &f, &t); n != 2 {
				if n, _ := fmt.Sscanf(q, "f=%d&start=%d&t=%d", &f, &start, &t); n != 3 {
					return "", false
				}
			}
			if t >= discussions || f != t%4 || start%10 != 0 || start/10 >= long(t) {
				return "", false
			}
			var links []string
			for k := range long(t) {
				links = append(links, topic(t, k*10))
			}
			links = append(links, fmt.Sprintf("/posting.php?f=%d&mode=reply&t=%d", f, t), fmt.Sprintf("/viewforum.php?f=%d", f),
				fmt.Sprintf("/viewtopic.php?f=%d&t=%d&view=next", f, t))
			return page("Topic "+strconv.Itoa(t), sentences(draws("topic", t, start), 9), links...), true
		}
		return page("Log in", "Only members can do this. ", "/"), p == "/posting.php" || p == "/memberlist.php"
	}, honest: func() []string {
		var out []string
		for t := range discussions {
			for k := range long(t) {
				out = append(out, topic(t, k*10))
			}
		}
		return out
	}}
}

// reference is the reference of a program: short pages of one template, which differ in names.
func reference() Site {
	path := func(i int) string { return fmt.Sprintf("/api/org/example/%s/Class%s.html", pick(i/20, 10), camel(i)) }
	index := map[string]int{}
	for i := range classes {
		index[path(i)] = i
	}
	return Site{Name: "api.test", About: "the reference of a program, short pages of one template", serve: func(_ *Web, p, _ string) (string, bool) {
		i, ok := index[p]
		switch {
		case p == "/":
			return page("Reference", "All classes. ", each(classes, path)...), true
		case !ok:
			return "", false
		}
		text := "Class " + camel(i) + " extends Object. "
		for k := range 4 {
			name := pick(i*7+k*3, 80) + camel(i*11+k)
			text += fmt.Sprintf("public void %s(%s value) . Sets the %s of this object. ", name, camel(k), name)
		}
		return page("Class "+camel(i), text, "/", path((i+1)%classes)), true
	}, honest: func() []string { return each(classes, path) }}
}

func pick(i, n int) string {
	words := strings.Fields(vocabulary)
	return words[20+i%min(n, len(words)-20)]
}

func camel(i int) string {
	a, b := pick(i, 80), pick(i/3+i%7*5, 80)
	return strings.ToUpper(a[:1]) + a[1:] + strings.ToUpper(b[:1]) + b[1:] + strconv.Itoa(i)
}

// figures are pages of one template which differ in numbers.
func figures() Site {
	path := func(i int) string { return fmt.Sprintf("/station/%d/", 4000+i*7) }
	index := map[string]int{}
	for i := range stations {
		index[path(i)] = i
	}
	return Site{Name: "figures.test", About: "pages of one template which differ in numbers", serve: func(_ *Web, p, q string) (string, bool) {
		i, ok := index[p]
		if p == "/" {
			return page("Stations", "All stations. ", each(stations, path)...), true
		}
		r := draws("figures", i)
		text := "Measured at this station today. "
		for _, what := range []string{"Water level", "Temperature", "Rain", "Wind", "Pressure"} {
			text += fmt.Sprintf("%s %d.%d, in the mean of the year %d.%d . ", what, r.IntN(900), r.IntN(10), r.IntN(900), r.IntN(10))
		}
		return page("Station", text, "/"), ok && q == ""
	}, honest: func() []string { return each(stations, path) }}
}

// listedOnly has pages that nothing but its sitemap names.
func listedOnly() Site {
	path := func(i int) string { return fmt.Sprintf("/entry/%s", drawnID("entry", i)) }
	index := map[string]int{}
	for i := range entries {
		index[path(i)] = i
	}
	return Site{Name: "listed.test", About: "pages that only the sitemap names", serve: func(_ *Web, p, _ string) (string, bool) {
		switch p {
		case "/":
			return bare("listed"), true
		case "/robots.txt":
			return "User-agent: *\nAllow: /\nSitemap: http://listed.test/sitemap.xml\n", true
		case "/sitemap.xml":
			body := `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
			for i := range entries {
				body += "<url><loc>http://listed.test" + path(i) + "</loc></url>"
			}
			return body + "</urlset>", true
		}
		_, ok := index[p]
		return bare("listed" + p), ok
	}, honest: func() []string { return each(entries, path) }}
}
