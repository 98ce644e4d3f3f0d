package world

import (
	"bytes"
	"time"
)

// NearDuplicate says from which page of its host the text at a URL was made, and
// the share of its paragraphs that stand in that page at t as well. ok is false
// if the URL shows no near-duplicate.
//
// Source.Share is the share that was drawn when the page was made. This one is
// counted, in whole paragraphs, after both pages' changes.
func (w *World) NearDuplicate(url string, t time.Time) (of string, share float64, ok bool) {
	req, ok := w.ParseURL(url)
	if !ok {
		return "", 0, false
	}
	a := w.Answer(req, t)
	if a.Role != Near || !a.HasLinks() {
		return "", 0, false
	}
	original := Ref{a.Source.Host, w.Main(a.Source.Host), a.Source.Of}
	b := w.Answer(Request{Ref: original}, t)
	known := map[string]bool{}
	for p := range bytes.Lines(w.renderArticle(nil, &b)) {
		known[string(p)] = true
	}
	common, all := 0, 0
	for p := range bytes.Lines(w.renderArticle(nil, &a)) {
		all++
		if known[string(p)] {
			common++
		}
	}
	return w.URL(original, req.Port), float64(common) / float64(all), true
}
