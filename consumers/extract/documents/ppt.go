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
)

// readPPT reads PowerPoint. The texts of placeholders are in the list of slides, those of other
// shapes in the slides.
func readPPT(ctx context.Context, w *writer, b []byte) error {
	p := &pptText{writer: w, ctx: ctx, seen: map[string]bool{}}
	err := p.records(b, 0, 0)
	w.end()
	return err
}

type pptText struct {
	*writer
	ctx  context.Context
	seen map[string]bool // texts of masters and of earlier saves
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
			p.page()
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
