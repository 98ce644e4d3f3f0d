package documents

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// The parts of the table stream that number paragraphs, by their place in the file information
// block (MS-DOC 2.5.6): each place has an offset and a length.
const (
	fibStyles     = 0xa2
	fibParagraphs = 0x102
	fibLists      = 0x2e2
	fibOverrides  = 0x2ea
)

// The bounds of what is kept of a file's numbering.
const (
	maxDocParagraphs = 200_000
	maxDocStyles     = 4_096
	maxStyleDepth    = 12
)

// docNumbers knows for every paragraph of a Word file whether it is numbered. The labels are
// counted as those of a DOCX file are.
type docNumbers struct {
	numbers    *numbering
	paragraphs []docParagraph // by their place in the stream WordDocument
	styles     []docStyle
}

// docParagraph is a run of bytes of the stream WordDocument with its properties.
type docParagraph struct {
	from, to int
	style    int
	list     docList
}

// docList is the list and the level of a paragraph or a style, as far as it states them.
type docList struct{ list, level int } // -1: not stated

type docStyle struct {
	base int // 0xfff: none
	docList
}

// newDocNumbers reads the numbering of a Word file; nil if it has none.
func newDocNumbers(body, table []byte) *docNumbers {
	at := func(place int) []byte { return part(table, le32(body, place), le32(body, place+4)) }
	overrides := at(fibOverrides)
	if le32(overrides, 0) <= 0 {
		return nil
	}
	n := &docNumbers{numbers: newNumbering()}
	// The levels stand behind the part that lists the lists, outside its length.
	n.readLists(part(table, le32(body, fibLists), len(table)), le32(body, fibLists+4))
	n.readOverrides(overrides)
	n.readStyles(at(fibStyles))
	n.readParagraphs(body, at(fibParagraphs))
	if len(n.paragraphs) == 0 {
		return nil
	}
	return n
}

// readLists reads the PlfLst (2.9.192) of a length, and the levels behind it (2.9.150).
func (n *docNumbers) readLists(b []byte, length int) {
	levels := part(b, length, len(b))
	for i := range min(le16(b, 0), maxLists) {
		entry := part(b, 2+28*i, 28)
		if len(entry) < 28 {
			return
		}
		count := 9
		if entry[26]&1 != 0 { // a simple list
			count = 1
		}
		all := &[9]numLevel{}
		for k := range count {
			if all[k], levels = docLevel(levels); levels == nil {
				return
			}
		}
		n.numbers.levels[strconv.Itoa(le32(entry, 0))] = all
	}
}

// docLevel reads one level, and returns what is behind it; nil if it breaks off.
func docLevel(b []byte) (numLevel, []byte) {
	if len(b) < 28 {
		return numLevel{}, nil
	}
	l := numLevel{start: le32(b, 0), format: docFormat(b[4])}
	b = part(b, 28+int(b[24])+int(b[25]), len(b))
	chars := le16(b, 0)
	text := part(b, 2, 2*chars)
	var out strings.Builder
	for _, r := range utf16le(text) {
		if r < 9 { // the number of this level stands here
			out.WriteString("%" + strconv.Itoa(int(r)+1))
		} else {
			out.WriteRune(r)
		}
	}
	l.text = out.String()
	if 2+2*chars > len(b) {
		return l, nil
	}
	return l, b[2+2*chars:]
}

// docFormat returns the name that DOCX has for a format of numbers (MS-OSHARED 2.2.1.3).
func docFormat(nfc byte) string {
	switch nfc {
	case 1:
		return "upperRoman"
	case 2:
		return "lowerRoman"
	case 3:
		return "upperLetter"
	case 4:
		return "lowerLetter"
	case 22:
		return "decimalZero"
	case 23:
		return "bullet"
	case 255:
		return "none"
	}
	return "decimal"
}

// readOverrides reads the PlfLfo (2.9.191): which list a paragraph's number of a list means, and
// where it begins anew.
func (n *docNumbers) readOverrides(b []byte) {
	count := min(le32(b, 0), maxLists)
	data := part(b, 4+16*le32(b, 0), len(b))
	for i := range count {
		entry := part(b, 4+16*i, 16)
		if len(entry) < 16 {
			return
		}
		list := strconv.Itoa(i + 1)
		n.numbers.lists[list] = strconv.Itoa(le32(entry, 0))
		data = part(data, 4, len(data))
		for range min(int(entry[12]), 9) {
			if len(data) < 8 {
				data = nil
				break
			}
			start, flags := le32(data, 0), data[4]
			data = data[8:]
			if flags&0x20 != 0 { // a level of its own
				var l numLevel
				if l, data = docLevel(data); data != nil {
					start = l.start
				}
			}
			if flags&0x30 != 0 {
				n.numbers.restart(list, int(flags&0xf), start)
			}
		}
	}
}

// readStyles reads the STSH (2.9.271).
func (n *docNumbers) readStyles(b []byte) {
	head := le16(b, 0)
	count, base := le16(b, 2), le16(b, 4)
	at := 2 + head
	for range min(count, maxDocStyles) {
		size := le16(b, at)
		style := part(b, at+2, size)
		at += 2 + size
		s := docStyle{base: 0xfff, docList: docList{-1, -1}}
		if len(style) > base && le16(style, 2)&0xf == 1 { // a style of paragraphs
			s.base = le16(style, 2) >> 4
			from := base + 2 + 2*le16(style, base) + 2 // behind the name
			if papx := part(style, from+2, le16(style, from)); len(papx) > 2 {
				s.apply(papx[2:])
			}
		}
		n.styles = append(n.styles, s)
	}
}

// readParagraphs reads the pages of properties that the PlcBtePapx (2.8.6) names.
func (n *docNumbers) readParagraphs(body, plc []byte) {
	count := (len(plc) - 4) / 8
	for i := range max(count, 0) {
		page := part(body, (le32(plc, 4*(count+1)+4*i)&0x3fffff)*512, 512)
		if len(page) < 512 {
			continue
		}
		runs := int(page[511])
		for k := range runs {
			at := 4*(runs+1) + 13*k
			if at >= 511 || len(n.paragraphs) >= maxDocParagraphs {
				break
			}
			n.paragraphs = append(n.paragraphs, docProperties(page, k, 2*int(page[at])))
		}
	}
	slices.SortStableFunc(n.paragraphs, func(a, b docParagraph) int { return cmp.Compare(a.from, b.from) })
}

// docProperties reads the PapxInFkp (2.9.175) at an offset of a page of properties; 0: there is
// none.
func docProperties(page []byte, k, at int) docParagraph {
	p := docParagraph{from: le32(page, 4*k), to: le32(page, 4*k+4), list: docList{-1, -1}}
	if at == 0 || at >= 511 {
		return p
	}
	size := 2*int(page[at]) - 1
	at++
	if size < 0 {
		size = 2 * int(page[at])
		at++
	}
	if b := part(page, at, size); len(b) >= 2 {
		p.style = le16(b, 0)
		p.list.apply(b[2:])
	}
	return p
}

// The changes of properties that number a paragraph (2.6.2).
const (
	sprmLevel = 0x260a
	sprmList  = 0x460b
)

// apply reads a list of changes of properties (2.9.114) for those that number a paragraph.
func (l *docList) apply(b []byte) {
	eachChange(b, func(code int, value []byte) {
		switch code {
		case sprmLevel:
			l.level = int(value[0])
		case sprmList:
			l.list = le16(value, 0)
		}
	})
}

// eachChange calls f with each change of a list of changes of properties (2.9.114) and its value,
// which has a byte or more.
func eachChange(b []byte, f func(code int, value []byte)) {
	for len(b) >= 3 {
		code := le16(b, 0)
		size := [8]int{1, 1, 2, 4, 2, 2, 0, 3}[code>>13]
		if size == 0 {
			switch size = int(b[2]) + 1; code {
			case 0xd608: // a table: its length has two bytes
				size = le16(b, 2) + 1
			case 0xc615: // tabs
				if b[2] == 255 {
					return
				}
			}
		}
		if len(b) < 2+size {
			return
		}
		f(code, b[2:2+size])
		b = b[2+size:]
	}
}

// label counts the paragraph at a place of the stream WordDocument and returns its label; "" if it
// has none.
func (n *docNumbers) label(at int) string {
	i, _ := slices.BinarySearchFunc(n.paragraphs, at, func(p docParagraph, at int) int { return cmp.Compare(p.from, at+1) })
	if i--; i < 0 || at >= n.paragraphs[i].to {
		return ""
	}
	p := n.paragraphs[i]
	l, style := p.list, p.style
	for range maxStyleDepth {
		if style < 0 || style >= len(n.styles) {
			break
		}
		if l.list < 0 {
			l.list = n.styles[style].list
		}
		if l.level < 0 {
			l.level = n.styles[style].level
		}
		style = n.styles[style].base
	}
	if l.list <= 0 {
		return ""
	}
	return n.numbers.label(strconv.Itoa(l.list), strconv.Itoa(max(l.level, 0)))
}
