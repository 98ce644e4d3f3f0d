package watch

import "millrace/schema"

// Pages says what became of the pages that have a document.
type Pages struct {
	Documents int64 `json:"documents"` // published
	SameText  int64 `json:"same_text"` // another page of the site with the same text is published for them
	Aliases   int64 `json:"aliases"`   // the page that they name as their canonical is published for them
	Surplus   int64 `json:"surplus"`   // not published: too many pages of the site have the same text
}

// Part is one part of a sum.
type Part struct {
	Name string `json:"name"`
	N    int64  `json:"n"`
}

// FetchedParts says what became of the URLs that were fetched: the parts add up to the number of
// URLs with status FETCHED. URLs that have neither a document nor a reason yet are a part of their
// own, which is negative for a moment when documents are counted before their URLs. It is nil if a
// number is not known.
func (r *Report) FetchedParts() []Part {
	if r.Frontier == nil || r.Pages == nil {
		return nil
	}
	p := r.Pages
	parts := []Part{
		{"documents", p.Documents}, {"with the same text as one of them", p.SameText},
		{"that name another page as theirs", p.Aliases}, {"more with a text that too many have", p.Surplus},
	}
	for _, why := range schema.Reasons() {
		if why.Pages != "" {
			parts = append(parts, Part{why.Pages, r.Frontier.ByReason[why.Code]})
		}
	}
	rest := r.Frontier.ByStatus["FETCHED"]
	for _, part := range parts {
		rest -= part.N
	}
	parts = append(parts, Part{"on their way, or dead letters", rest})
	out := parts[:1]
	for _, part := range parts[1:] {
		if part.N != 0 {
			out = append(out, part)
		}
	}
	return out
}
