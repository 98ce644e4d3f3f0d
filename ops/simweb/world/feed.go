package world

import (
	"strconv"
	"time"
)

func (w *World) answerFeed(a *Answer) {
	a.Type = "application/rss+xml; charset=utf-8"
	if a.Ref.Page.Index() == 1 {
		a.Type = "application/atom+xml; charset=utf-8"
	}
	items := w.newest(nil, a.Ref.Host, 1, a.At)
	if len(items) > 0 {
		a.Modified = items[0].at
	}
}

// renderFeed writes the newest items as RSS 2.0 or Atom.
func (w *World) renderFeed(dst []byte, a *Answer) []byte {
	items := w.newest(nil, a.Ref.Host, w.p.Items.Feed, a.At)
	if a.Ref.Page.Index() == 1 {
		return w.renderAtom(dst, a, items)
	}
	h := a.Ref.Host
	dst = append(dst, `<?xml version="1.0" encoding="utf-8"?>`+"\n"+`<rss version="2.0"><channel><title>`...)
	dst = w.appendTitle(dst, h, 0)
	dst = append(dst, "</title><link>"...)
	dst = w.AppendURL(dst, w.Home(h), a.Port)
	dst = append(dst, "</link><description>News</description>\n"...)
	for _, e := range items {
		dst = append(dst, "<item><title>"...)
		dst = w.appendTitle(dst, h, e.id)
		dst = append(dst, "</title><link>"...)
		dst = w.AppendURL(dst, Ref{h, w.Main(h), e.id}, a.Port)
		dst = append(dst, "</link><guid>"...)
		dst = w.AppendURL(dst, Ref{h, w.Main(h), e.id}, a.Port)
		dst = append(dst, "</guid><pubDate>"...)
		dst = time.Unix(0, e.at).UTC().AppendFormat(dst, time.RFC1123Z)
		dst = append(dst, "</pubDate></item>\n"...)
	}
	return append(dst, "</channel></rss>\n"...)
}

func (w *World) renderAtom(dst []byte, a *Answer, items []event) []byte {
	h := a.Ref.Host
	dst = append(dst, `<?xml version="1.0" encoding="utf-8"?>`+"\n"+`<feed xmlns="http://www.w3.org/2005/Atom"><title>`...)
	dst = w.appendTitle(dst, h, 0)
	dst = append(dst, "</title><id>"...)
	dst = w.AppendURL(dst, w.Home(h), a.Port)
	dst = append(dst, "</id><updated>"...)
	dst = time.Unix(0, a.Modified).UTC().AppendFormat(dst, time.RFC3339)
	dst = append(dst, "</updated>\n"...)
	for _, e := range items {
		url := w.URL(Ref{h, w.Main(h), e.id}, a.Port)
		when := time.Unix(0, e.at).UTC().Format(time.RFC3339)
		dst = append(dst, "<entry><title>"...)
		dst = w.appendTitle(dst, h, e.id)
		dst = append(dst, `</title><link href="`+url+`"/><id>`+url+"</id><updated>"+when+"</updated></entry>\n"...)
	}
	return append(dst, "</feed>\n"...)
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'g', -1, 64) }
