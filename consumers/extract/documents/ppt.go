package documents

import (
	"context"
	"strings"
)

// Records of PowerPoint (MS-PPT 2.13.24).
const (
	pptSlideList  = 0x0ff0
	pptSlideStart = 0x03f3
	pptChars      = 0x0fa0
	pptBytes      = 0x0fa8
	pptString     = 0x0fba
	pptMaster     = 0x03f8
	pptComment    = 0x2ee0
	pptFooters    = 0x0fd9
	pptEncrypted  = 0x2f14
	pptSlide      = 0x03ee
	pptShowInfo   = 0x03f9
	pptPlaces     = 0x1772
)

// readPPT reads PowerPoint. The texts of placeholders are in the list of slides, those of other
// shapes in the slides.
func readPPT(ctx context.Context, w *writer, b []byte) error {
	p := &pptText{writer: w, ctx: ctx, seen: map[string]bool{}, slides: findSlides(b)}
	err := p.records(b, 0, 0)
	w.end()
	return err
}

type pptText struct {
	*writer
	ctx  context.Context
	seen map[string]bool // texts of masters and of earlier saves

	slides pptSlides
	veiled bool // the slide of the list in work is hidden
}

// pptSlides says which slides are not shown.
type pptSlides struct {
	hidden map[int]bool // by the number under which a slide is stored
	passed map[int]bool // by where they begin: hidden ones, and those that a later save replaced
}

// findSlides reads where the slides are stored (2.3.4), of each save in turn, and which of them are
// hidden (2.6.6).
func findSlides(b []byte) pptSlides {
	s := pptSlides{hidden: map[int]bool{}, passed: map[int]bool{}}
	places := map[int]int{}
	for at, n := 0, 0; at >= 0 && at+8 <= len(b) && n < maxSlides*20; n++ {
		if le16(b, at+2) == pptPlaces {
			s.read(part(b, at+8, le32(b, at+4)), places)
		}
		at += 8 + le32(b, at+4)
	}
	for number, at := range places {
		if slideHidden(b, at) {
			s.hidden[number], s.passed[at] = true, true
		}
	}
	return s
}

// read notes the places that one save tells: a number, how many follow, and the places of these.
func (s *pptSlides) read(b []byte, places map[int]int) {
	for at := 0; at+4 <= len(b); {
		first, count := le32(b, at)&0xfffff, le32(b, at)>>20&0xfff
		at += 4
		for k := 0; k < count && at+4 <= len(b); k, at = k+1, at+4 {
			if before, known := places[first+k]; known && before != le32(b, at) {
				s.passed[before] = true
			}
			if len(places) < maxSlides*20 {
				places[first+k] = le32(b, at)
			}
		}
	}
}

// slideHidden reports whether a slide that is stored at a place is left out of the show.
func slideHidden(b []byte, at int) bool {
	if le16(b, at+2) != pptSlide {
		return false
	}
	slide := part(b, at+8, le32(b, at+4))
	for at, n := 0, 0; at >= 0 && at+8 <= len(slide) && n < 1000; n++ {
		if le16(slide, at+2) == pptShowInfo {
			return le16(slide, at+8+10)&4 != 0
		}
		at += 8 + le32(slide, at+4)
	}
	return false
}

func (p *pptText) records(b []byte, in, depth int) error {
	if depth > 32 {
		return nil
	}
	for at := 0; at+8 <= len(b) && !p.full; {
		if p.ctx.Err() != nil {
			return ErrHeavy
		}
		version, kind, n := le16(b, at), le16(b, at+2), le32(b, at+4)
		if depth == 0 && kind == pptSlide && p.slides.passed[at] {
			at += 8 + n
			continue
		}
		data := part(b, at+8, n)
		at += 8 + n
		if kind == pptEncrypted {
			return ErrEncrypted
		}
		if version&0xf == 0xf {
			parent := kind
			if in == pptMaster || in == pptSlideList {
				parent = in
			}
			if kind == pptSlideList && version>>4 != 0 { // masters and notes
				parent = pptMaster
			}
			if err := p.records(data, parent, depth+1); err != nil {
				return err
			}
			continue
		}
		p.atom(kind, version>>4, in, data)
	}
	return nil
}

func (p *pptText) atom(kind, instance, in int, data []byte) {
	switch kind {
	case pptSlideStart:
		if in == pptSlideList {
			p.page() // a hidden slide keeps its number
			p.veiled = p.slides.hidden[le32(data, 0)]
		}
	case pptChars:
		p.put(utf16le(data), in)
	case pptBytes:
		p.put(bytes1252(data, 1252), in)
	case pptString:
		if in == pptComment && instance == 1 || in == pptFooters {
			p.put(utf16le(data), pptMaster)
		}
	}
}

// put writes a text; texts of masters and shapes are written only once.
func (p *pptText) put(s string, in int) {
	if in == pptSlideList && p.veiled {
		return
	}
	if in == pptMaster && (strings.HasPrefix(s, "Click to edit") || s == "*") {
		return
	}
	if in != pptSlideList {
		if p.seen[s] || len(p.seen) > 10_000 {
			return
		}
		p.seen[s] = true
	}
	for line := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '\r' || r == '\v' || r == '\n' }) {
		p.text(line)
		p.end()
	}
}
