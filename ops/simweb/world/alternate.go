package world

import (
	"millrace/ops/simweb/draw"
	"millrace/ops/simweb/text"
)

// langBits holds a language in the number of a translation.
const langBits = 2

func translation(page uint64, l text.Lang) PageID {
	return ID(Translation, page<<langBits|uint64(l))
}

func translationLang(id PageID) text.Lang { return text.Lang(id.Index() & (1<<langBits - 1)) }

// original is the tree page a translation is of.
func original(id PageID) PageID { return ID(Tree, id.Index()>>langBits) }

// pageLang is the language of a page.
func (w *World) pageLang(h Host, id PageID) text.Lang {
	if id.Space() == Translation {
		return translationLang(id)
	}
	return w.Lang(h)
}

// translated says whether a tree page exists in all languages of the web.
func (w *World) translated(h Host, i uint64) bool {
	p := w.p.Alternates
	return len(w.langs) > 1 && w.trait(h, traitAlternates, p.Hosts) &&
		draw.Unit(w.hash(forAlternate, uint64(h), i)) < p.Pages && w.role(h, i) == Plain
}

// alternates appends all versions of a page, itself among them; none if it
// stands in one language only.
func (w *World) alternates(dst []Ref, a *Answer) []Ref {
	id := a.Ref.Page
	switch {
	case w.p.Alternates.Hosts == 0 || !a.HasLinks():
		return dst
	case id.Space() == Translation:
		id = original(id)
	case id.Space() != Tree || !w.translated(a.Ref.Host, id.Index()):
		return dst
	}
	for _, l := range w.langs {
		r := Ref{a.Ref.Host, w.Main(a.Ref.Host), id}
		if l != w.Lang(r.Host) {
			r.Page = translation(id.Index(), l)
		}
		dst = append(dst, r)
	}
	return dst
}

// answerTranslation: a translation lives as long as its original and never
// changes.
func (w *World) answerTranslation(a *Answer) {
	born, dies := w.life(a.Ref.Host, a.Ref.Page)
	a.Born = born
	if a.At < born || a.At >= dies {
		w.answerMissing(a)
		return
	}
	a.Role = Plain
	w.answerText(a)
}

// parseTranslation reads the path behind the language's code; the caller of
// parsePath compares it with the page's own.
func (w *World) parseTranslation(r *Ref, code, path string) bool {
	for _, l := range w.langs {
		if l.Code() == code && l != w.Lang(r.Host) {
			i, ok := lastNumber(path)
			r.Page = translation(i, l)
			return ok && i < w.Pages(r.Host) && w.translated(r.Host, i)
		}
	}
	return false
}

func (w *World) renderAlternates(dst []byte, a *Answer) []byte {
	var buf [4]Ref
	for _, r := range w.alternates(buf[:0], a) {
		dst = append(dst, `<link rel="alternate" hreflang="`...)
		dst = append(dst, w.pageLang(r.Host, r.Page).Code()...)
		dst = append(w.AppendURL(append(dst, `" href="`...), r, a.Port), "\">\n"...)
	}
	return dst
}
