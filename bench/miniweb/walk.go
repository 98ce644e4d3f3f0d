package miniweb

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// Page is an HTML page that the walk reached.
type Page struct {
	URL   string
	Words []string   // of its text, in order, without scripts and styles
	Paras [][]string // the words of its paragraphs (p elements)
	Title string
}

// Walk follows the links of a host from its seeds, on this server, and returns the
// HTML pages answered with 200, each once, by URL.
func (s *Server) Walk(host string) (map[string]Page, error) {
	h, ok := s.hosts[host]
	if !ok {
		return nil, fmt.Errorf("no host %s", host)
	}
	pages := map[string]Page{}
	seen := map[string]bool{}
	var queue []*url.URL
	push := func(u *url.URL) {
		u.Fragment, u.RawFragment = "", ""
		if u.Scheme == "http" && u.Host == host && !seen[u.String()] {
			seen[u.String()] = true
			queue = append(queue, u)
		}
	}
	for _, seed := range h.Seeds {
		push(&url.URL{Scheme: "http", Host: host, Path: seed})
	}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		page, links, err := s.get(u)
		if err != nil {
			return nil, err
		}
		if page == nil {
			continue
		}
		pages[u.String()] = *page
		for _, l := range links {
			if to, err := u.Parse(l); err == nil {
				push(to)
			}
		}
	}
	return pages, nil
}

// get fetches a page; nil if it is not HTML or not there.
func (s *Server) get(u *url.URL) (*Page, []string, error) {
	req, err := http.NewRequest(http.MethodGet, "http://"+s.Addr()+u.RequestURI(), nil)
	if err != nil {
		return nil, nil, nil
	}
	req.Host = u.Host
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		_, err = io.Copy(io.Discard, resp.Body)
		return nil, nil, err
	}
	return read(u.String(), resp.Body)
}

// read takes words and links out of a page with nothing but the tokenizer.
func read(u string, body io.Reader) (*Page, []string, error) {
	p := &Page{URL: u}
	var links []string
	skip, inTitle := 0, false
	var para []string
	inPara := false
	for z := html.NewTokenizer(body); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			if z.Err() == io.EOF {
				return p, links, nil
			}
			return nil, nil, z.Err()
		}
		t := z.Token()
		if t.Data == "p" || inPara && ends(t) {
			if len(para) > 0 {
				p.Paras = append(p.Paras, para)
			}
			para, inPara = nil, kind == html.StartTagToken && t.Data == "p"
		}
		switch {
		case kind == html.TextToken && inTitle:
			p.Title += t.Data
		case kind == html.TextToken && skip == 0:
			p.Words = append(p.Words, strings.Fields(t.Data)...)
			if inPara {
				para = append(para, strings.Fields(t.Data)...)
			}
		case kind == html.StartTagToken || kind == html.SelfClosingTagToken:
			links = append(links, hrefs(t)...)
			if kind == html.StartTagToken && isHidden(t.Data) {
				skip++
			}
			inTitle = kind == html.StartTagToken && t.Data == "title" && p.Title == ""
		case kind == html.EndTagToken:
			if isHidden(t.Data) && skip > 0 {
				skip--
			}
			inTitle = false
		}
	}
}

// ends reports whether a tag ends a paragraph without saying so.
func ends(t html.Token) bool {
	switch t.Data {
	case "div", "table", "ul", "ol", "dl", "dt", "dd", "li", "pre", "section", "h1", "h2", "h3", "h4", "body":
		return t.Type != html.TextToken
	}
	return false
}

func isHidden(tag string) bool { return tag == "script" || tag == "style" }

func hrefs(t html.Token) []string {
	want := map[string]string{"a": "href", "area": "href", "iframe": "src", "frame": "src"}[t.Data]
	for _, a := range t.Attr {
		if want != "" && a.Key == want {
			return []string{strings.TrimSpace(a.Val)}
		}
	}
	return nil
}
