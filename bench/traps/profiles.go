package traps

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Sizes of the profiles.
const (
	stories = 900
	chapter = 600
)

// Profiles are sites as they are met: what one comes for is a part of what they link to.
func Profiles() []Site { return []Site{newsSite(), docsSite()} }

// newsSite has articles by date, and for each a page to print, a page of comments in three orders,
// a page to share, and a login; beside them lists by section with pages, lists by tag and by
// author, and a calendar.
func newsSite() Site {
	first := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	slug := func(i int) string {
		return strings.Join(strings.Fields(strings.ToLower(sentences(draws("news", i), 1)))[:5], "-")
	}
	path := func(i int) string { return first.AddDate(0, 0, i/2).Format("/2006/01/02/") + slug(i) + ".html" }
	index := map[string]int{}
	for i := range stories {
		index[path(i)] = i
	}
	sections := []string{"world", "city", "sport", "culture", "business"}
	list := func(title string, more string, of func(i int) bool, page1 int) (string, bool) {
		links, n := []string{}, 0
		for i := stories - 1; i >= 0; i-- {
			if !of(i) {
				continue
			}
			if n++; n > page1*20 && n <= page1*20+20 {
				links = append(links, path(i))
			}
		}
		if more != "" && n > page1*20+20 {
			links = append(links, fmt.Sprintf("%s?page=%d", more, page1+1))
		}
		return page(title, "", links...), len(links) > 0
	}
	return Site{Name: "news.test", About: "a news site", serve: func(_ *Web, p, q string) (string, bool) {
		n, _ := strconv.Atoi(strings.TrimPrefix(q, "page="))
		part := strings.Split(strings.Trim(p, "/"), "/")
		switch {
		case p == "/":
			links := []string{"/calendar/" + first.AddDate(1, 0, 0).Format("2006-01-02")}
			for _, s := range sections {
				links = append(links, "/section/"+s)
			}
			for i := stories - 10; i < stories; i++ {
				links = append(links, path(i))
			}
			return page("News", sentences(draws("front"), 3), links...), true
		case len(part) == 2 && part[0] == "section":
			for k, s := range sections {
				if s == part[1] {
					return list("Section "+s, p, func(i int) bool { return i%len(sections) == k }, n)
				}
			}
		case len(part) == 2 && part[0] == "tag":
			k, err := strconv.Atoi(part[1])
			body, _ := list("Tag", "", func(i int) bool { return i%97 == k }, 0)
			return body, err == nil
		case len(part) == 2 && part[0] == "author":
			k, err := strconv.Atoi(part[1])
			body, _ := list("Author", "", func(i int) bool { return i%53 == k }, 0)
			return body, err == nil
		}
		i, ok := index[p]
		if !ok || q != "" {
			return besideNews(p, q, path)
		}
		links := []string{fmt.Sprintf("/print/%d", i), fmt.Sprintf("/comments/%d", i), fmt.Sprintf("/comments/%d?order=best", i),
			"/share?to=" + slug(i), fmt.Sprintf("/login?return=%d", i), fmt.Sprintf("/tag/%d", i%97), fmt.Sprintf("/author/%d", i%53),
			"/section/" + sections[i%len(sections)], "/calendar/" + first.AddDate(0, 0, i/2).Format("2006-01-02")}
		for k := range 4 {
			links = append(links, path((i*7+k*31)%stories))
		}
		return article("news"+p, links...), true
	}, honest: func() []string { return each(stories, path) }}
}

// besideNews serves what stands beside the articles of newsSite.
func besideNews(p, q string, path func(i int) string) (string, bool) {
	part := strings.Split(strings.Trim(p, "/"), "/")
	switch {
	case len(part) == 2 && part[0] == "calendar":
		return calendar(nil, p, q)
	case part[0] == "login" || part[0] == "share":
		return page("Log in", "Log in with your name and password to go on. "), true
	case len(part) == 2 && part[0] == "print":
		if k, err := strconv.Atoi(part[1]); err == nil && k < stories {
			return article("news" + path(k)), true
		}
	case len(part) == 2 && part[0] == "comments":
		return page("Comments", "Be the first to say something. ", p+"?order=new", p+"?order=old"), true
	}
	return "", false
}

// docsSite has chapters of a manual, and for each its source, a page to edit it, the same chapter
// with words marked, and in two old versions; beside them an index by letter and a search.
func docsSite() Site {
	name := func(i int) string { return fmt.Sprintf("%s/%s-%d.html", pick(i/30, 20), pick(i, 60), i) }
	index := map[string]int{}
	for i := range chapter {
		index[name(i)] = i
	}
	return Site{Name: "docs.test", About: "a manual", serve: func(_ *Web, p, q string) (string, bool) {
		if p == "/" {
			links := []string{"/genindex-A.html", "/search.html?q=mill"}
			for i := 0; i < chapter; i += 30 {
				links = append(links, "/stable/"+name(i))
			}
			return page("Manual", sentences(draws("manual"), 4), links...), true
		}
		if strings.HasPrefix(p, "/genindex-") && len(p) == len("/genindex-A.html") {
			var links []string
			for i := int(p[10]-'A') * 24; i < min(chapter, int(p[10]-'A')*24+24); i++ {
				links = append(links, "/stable/"+name(i))
			}
			if c := p[10]; c < 'Z' {
				links = append(links, "/genindex-"+string(c+1)+".html")
			}
			return page("Index", "", links...), true
		}
		if p == "/search.html" {
			return page("Search", "Please activate scripts to search. "), true
		}
		kind, rest, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
		i, ok := index[rest]
		if !ok {
			return "", false
		}
		switch kind {
		case "edit":
			return page("Log in", "Log in to edit this page. "), true
		case "v1.0", "v1.1", "_sources":
			return article("docs"+rest, "/"+kind+"/"+name((i+1)%chapter), "/stable/"+rest), true
		case "stable":
			links := []string{"/edit/" + rest, "/_sources/" + rest, "/v1.0/" + rest, "/v1.1/" + rest, "/stable/" + rest + "?highlight=" + pick(i, 50),
				"/stable/" + name((i+1)%chapter), "/stable/" + name((i+chapter-1)%chapter), "/search.html?q=" + pick(i, 70)}
			return article("docs"+rest, links...), true
		}
		return "", false
	}, honest: func() []string {
		return each(chapter, func(i int) string { return "/stable/" + name(i) })
	}}
}
