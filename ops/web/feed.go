package web

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"strings"
	"time"
)

// rss is the part of RSS 2.0 that readers need.
type rss struct {
	XMLName xml.Name `xml:"rss"`
	Version string   `xml:"version,attr"`
	Channel channel  `xml:"channel"`
}

type channel struct {
	Title string    `xml:"title"`
	Link  string    `xml:"link"`
	About string    `xml:"description"`
	Items []rssItem `xml:"item"`
}

type rssItem struct {
	Title string `xml:"title"`
	Link  string `xml:"link"`
	GUID  string `xml:"guid"`
	About string `xml:"description"`
	Date  string `xml:"pubDate,omitempty"`
}

// rss answers a query as an RSS feed, newest first unless sort=relevance.
func (p *searchPages) rss(w http.ResponseWriter, r *http.Request) error {
	a, err := p.asked(r)
	if err != nil {
		return err
	}
	if a.Query == "" {
		return refuse(http.StatusBadRequest, "q is missing: what to search for")
	}
	a.Newest, a.Exact = r.URL.Query().Get("sort") != "relevance", true
	found, err := p.ask(r, a)
	if err != nil {
		return err
	}
	out := rss{Version: "2.0", Channel: channel{Title: legible(a.Query) + " – millrace", Link: base(r) + a.address("/"), About: "What millrace finds for " + legible(a.Query)}}
	for _, h := range found.Hits {
		link, _ := shown(h.URL)
		if link == "" {
			continue
		}
		item := rssItem{Title: legible(h.Title), Link: link, GUID: link, About: legible(spelled(h.Snippet))}
		if !h.Date.IsZero() {
			item.Date = h.Date.UTC().Format(time.RFC1123Z)
		}
		out.Channel.Items = append(out.Channel.Items, item)
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	if err := xml.NewEncoder(&b).Encode(out); err != nil {
		return err
	}
	send(w, http.StatusOK, "application/rss+xml; charset=utf-8", b.Bytes())
	return nil
}

// legible removes characters that XML does not allow.
func legible(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func spelled(snippet []Fragment) string {
	var b strings.Builder
	for _, f := range snippet {
		b.WriteString(f.Text)
	}
	return b.String()
}

// base returns the address under which the client reached this server.
func base(r *http.Request) string {
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
