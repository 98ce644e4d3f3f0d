package documents

import (
	"bufio"
	"errors"
	"io"
	"strconv"
)

// Records of a binary workbook (MS-XLSB 2.3.2).
const (
	xlsbRow          = 0
	xlsbColumn       = 60
	xlsbRK           = 2
	xlsbBool         = 4
	xlsbReal         = 5
	xlsbText         = 6
	xlsbShared       = 7
	xlsbFormulaText  = 8
	xlsbFormulaReal  = 9
	xlsbFormulaBool  = 10
	xlsbSharedItem   = 19
	xlsbFormat       = 44
	xlsbStyle        = 47
	xlsbRichText     = 62
	xlsbBook         = 153
	xlsbSheet        = 156
	xlsbHeaderFooter = 479
	xlsbHyperlink    = 494
	xlsbStyles       = 617
	xlsbStylesEnd    = 618
	xlsbComment      = 637
)

// maxBinaryRecord bounds a record; longer ones are passed over.
const maxBinaryRecord = 1 << 20

// readXLSB reads a binary workbook: a package like xlsx, whose parts are records instead of XML.
func readXLSB(a *archive, main string) (*Document, error) {
	w := newWriter(a.opts, "xlsb")
	_ = a.walk("docProps/core.xml", &about{d: w.d})
	x := &xlsb{writer: w, formats: &cellFormats{custom: map[string]string{}}}
	if err := a.records(main, x.book); err != nil {
		return nil, err
	}
	rels := a.relations(main)
	for _, p := range []struct {
		kind string
		read func(kind int, b []byte)
	}{{"sharedStrings", x.sharedItem}, {"styles", x.style}} {
		if name := relations(rels).ofKind(p.kind); name != "" {
			if err := heavy(a.records(name, p.read)); err != nil {
				return nil, err
			}
		}
	}
	for _, s := range x.sheets {
		if part := rels[s.id].target; part != "" && !w.full {
			w.page()
			w.text(s.name)
			w.heading(w.end())
			if err := x.sheet(a, part); err != nil {
				return nil, err
			}
		}
	}
	if err := a.embedded(w); err != nil {
		return nil, err
	}
	return w.finish(), nil
}

// xlsb is a binary workbook in work.
type xlsb struct {
	*writer
	sheets   []struct{ name, id string }
	date1904 bool
	shared   []string
	bytes    int // of the shared texts
	formats  *cellFormats
	rels     map[string]relation // of the sheet in work
	hidden   bool                // the row is not shown
	unseen   columns             // of the sheet
}

// records calls take for every record of a part: its kind and its bytes. A part that breaks off
// gives the records before.
func (a *archive) records(name string, take func(kind int, b []byte)) error {
	r, err := a.open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	in := bufio.NewReader(r)
	for {
		kind, err := varint(in, 2)
		if err == nil {
			var size int
			if size, err = varint(in, 4); err == nil && size <= maxBinaryRecord {
				b := make([]byte, size)
				if _, err = io.ReadFull(in, b); err == nil {
					take(kind, b)
				}
			} else if err == nil {
				_, err = io.CopyN(io.Discard, in, int64(size))
			}
		}
		if errors.Is(err, ErrHeavy) {
			return ErrHeavy
		}
		if err != nil {
			return nil
		}
	}
}

// varint reads a number of at most n bytes with seven bits each, the lowest first (2.1.4). The kind
// of a record keeps the eighth bit of its first byte.
func varint(r *bufio.Reader, n int) (int, error) {
	value := 0
	for i := range n {
		c, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		value |= int(c&0x7f) << (7 * i)
		if c&0x80 == 0 {
			break
		}
	}
	return value, nil
}

// wideText reads a text with its length in characters before it, and returns what follows. A length
// of all ones is no text (2.5.168, 2.5.166).
func wideText(b []byte) (text string, rest []byte) {
	n := le32(b, 0)
	if len(b) < 4 || n == 0xffffffff || n > (len(b)-4)/2 {
		return "", b[min(4, len(b)):]
	}
	return utf16le(b[4 : 4+2*n]), b[4+2*n:]
}

func (x *xlsb) book(kind int, b []byte) {
	switch {
	case kind == xlsbBook:
		x.date1904 = le32(b, 0)&1 != 0
	case kind == xlsbSheet && len(b) > 8 && len(x.sheets) < maxSheets && le32(b, 0) == 0: // 1 and 2 are hidden
		id, rest := wideText(b[8:])
		name, _ := wideText(rest)
		x.sheets = append(x.sheets, struct{ name, id string }{name, id})
	}
}

func (x *xlsb) sharedItem(kind int, b []byte) {
	if kind != xlsbSharedItem || len(b) < 1 || x.bytes > maxShared {
		return
	}
	text, _ := wideText(b[1:])
	x.shared = append(x.shared, text)
	x.bytes += len(text) + 16
}

func (x *xlsb) style(kind int, b []byte) {
	f := x.formats
	switch kind {
	case xlsbFormat:
		if len(b) > 2 && len(f.custom) < 5000 {
			code, _ := wideText(b[2:])
			f.custom[strconv.Itoa(le16(b, 0))] = code
		}
	case xlsbStyles, xlsbStylesEnd:
		f.inside = kind == xlsbStyles
	case xlsbStyle:
		if f.inside && len(f.cells) < 100_000 {
			id := strconv.Itoa(le16(b, 2))
			f.cells = append(f.cells, orElse(f.custom[id], id))
		}
	}
}

// sheet reads a sheet, its comments, and what hangs on it.
func (x *xlsb) sheet(a *archive, part string) error {
	x.rels, x.hidden, x.unseen = a.relations(part), false, nil
	if err := heavy(a.records(part, x.record)); err != nil {
		return err
	}
	x.end()
	others := relations{}
	for id, r := range x.rels {
		if r.kind != "comments" {
			others[id] = r
		}
	}
	for _, name := range relations(x.rels).all("comments") {
		if err := heavy(a.records(name, x.comment)); err != nil {
			return err
		}
	}
	return a.hangings(x.writer, others, 0)
}

func (x *xlsb) comment(kind int, b []byte) {
	if kind == xlsbComment && len(b) > 1 {
		text, _ := wideText(b[1:])
		x.text(text)
		x.end()
	}
}

func (x *xlsb) record(kind int, b []byte) {
	switch kind {
	case xlsbRow: // BrtRowHdr: level of its group, and fDyZero
		x.end()
		x.hidden = len(b) > 11 && b[11]&0x17 == 0x10
	case xlsbColumn: // BrtColInfo: fHidden, and the level of its group
		if len(b) > 17 && b[16]&1 != 0 && b[17]&7 == 0 {
			x.unseen.hide(le32(b, 0)+1, le32(b, 4)+1)
		}
	case xlsbHeaderFooter:
		x.end()
		for rest := b[min(2, len(b)):]; len(rest) > 3; {
			var text string
			text, rest = wideText(rest)
			x.text(headerText(text))
			x.end()
		}
	case xlsbHyperlink:
		if len(b) > 16 {
			id, rest := wideText(b[16:])
			_, rest = wideText(rest)
			tip, rest := wideText(rest)
			shown, _ := wideText(rest)
			if r := x.rels[id]; r.kind == "hyperlink" {
				x.link(r.target, orElse(shown, tip))
			}
		}
	default:
		if len(b) > 8 && !x.hidden && !x.unseen.hidden(le32(b, 0)+1) {
			x.cell(kind, le32(b, 4)&0xffffff, b[8:])
		}
	}
}

// cell writes a cell; its column and style stand before b.
func (x *xlsb) cell(kind, style int, b []byte) {
	text := ""
	switch kind {
	case xlsbRK:
		text = x.number(rk(le32(b, 0)), style)
	case xlsbReal, xlsbFormulaReal:
		text = x.number(le64(b, 0), style)
	case xlsbBool, xlsbFormulaBool:
		text = map[bool]string{true: "TRUE", false: "FALSE"}[b[0] != 0]
	case xlsbText, xlsbFormulaText:
		text, _ = wideText(b)
	case xlsbRichText:
		text, _ = wideText(b[1:])
	case xlsbShared:
		if i := le32(b, 0); i < len(x.shared) {
			text = x.shared[i]
		}
	}
	if text != "" {
		x.space()
		x.text(text)
	}
}

func (x *xlsb) number(f float64, style int) string {
	return x.formats.show(strconv.FormatFloat(f, 'g', -1, 64), strconv.Itoa(style), x.date1904)
}
