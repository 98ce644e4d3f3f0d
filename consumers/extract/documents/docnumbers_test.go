package documents

import (
	"encoding/binary"
	"strings"
	"testing"

	"millrace/consumers/extract/documents/documentstest"
)

// numbered97 is a Word file with the paragraphs "sow", "by hand", "plain" and "reap". The first two
// and the last are numbered: by themselves on two levels, and by the style 1.
func numbered97() []byte {
	text := documentstest.UTF16("sow\rby hand\rplain\rreap\r")
	const begin, fkp = 1024, 1536
	body := make([]byte, fkp+512)
	copy(body[begin:], text)
	put16 := func(b []byte, at, v int) { binary.LittleEndian.PutUint16(b[at:], uint16(v)) }
	put32 := func(b []byte, at, v int) { binary.LittleEndian.PutUint32(b[at:], uint32(v)) }
	put16(body, 0, 0xa5ec)
	put16(body, 2, 0xc1)

	// A page of properties: where the paragraphs begin, where their properties stand, and these.
	page := body[fkp:]
	places := []int{0, 8, 24, 36, 46}
	for i, at := range places {
		put32(page, 4*i, begin+at)
	}
	page[511] = 4
	for i, properties := range []string{
		"\x00\x00" + "\x0a\x26\x00" + "\x0b\x46\x01\x00", "\x00\x00" + "\x0a\x26\x01" + "\x0b\x46\x01\x00", "", "\x01\x00",
	} {
		if properties == "" {
			continue
		}
		at := 400 + 20*i
		page[4*5+13*i] = byte(at / 2)
		page[at] = 0
		page[at+1] = byte((len(properties) + 1) / 2)
		copy(page[at+2:], properties)
	}

	table := []byte{}
	add := func(place int, b []byte, length int) {
		put32(body, place, len(table))
		put32(body, place+4, length)
		table = append(table, b...)
	}
	units := len(text) / 2
	clx := make([]byte, 5+16)
	clx[0] = 2
	put32(clx, 1, 16)
	put32(clx, 9, units)
	put32(clx, 15, begin)
	add(0x1a2, clx, len(clx))

	plc := make([]byte, 12)
	put32(plc, 0, begin)
	put32(plc, 4, begin+len(text))
	put32(plc, 8, fkp/512)
	add(fibParagraphs, plc, len(plc))

	style := func(properties string) string {
		head := make([]byte, 10)
		put16(head, 2, 0xfff<<4|1)
		upx := string(binary.LittleEndian.AppendUint16(nil, uint16(2+len(properties)))) + "\x01\x00" + properties
		s := string(head) + "\x01\x00" + documentstest.UTF16("x") + "\x00\x00" + upx
		return string(binary.LittleEndian.AppendUint16(nil, uint16(len(s)))) + s
	}
	sheet := []byte("\x04\x00\x02\x00\x0a\x00" + style("") + style("\x0b\x46\x01\x00"))
	add(fibStyles, sheet, len(sheet))

	level := func(start int, format byte, label string) string {
		b := make([]byte, 28)
		put32(b, 0, start)
		b[4] = format
		u := documentstest.UTF16(label)
		return string(b) + string(binary.LittleEndian.AppendUint16(nil, uint16(len(u)/2))) + u
	}
	lists := make([]byte, 2+28)
	put16(lists, 0, 1)
	put32(lists, 2, 77)
	levels := level(4, 1, "\x00.") + level(1, 4, "\x00\x01)") + strings.Repeat(level(1, 0, "\x02"), 7)
	add(fibLists, append(lists, levels...), len(lists))
	overrides := make([]byte, 4+16+4)
	put32(overrides, 0, 1)
	put32(overrides, 4, 77)
	add(fibOverrides, overrides, len(overrides))
	return documentstest.OLE("WordDocument", string(body), "0Table", string(table))
}

func TestNumberedParagraphsOfAnOldWordFileGetTheirNumbers(t *testing.T) {
	d, err := readFile(t, newReader(t, nil), numbered97())
	if err != nil {
		t.Fatal(err)
	}
	if want := "IV. sow\nIVa) by hand\nplain\nV. reap"; d.Text != want {
		t.Errorf("%q, not %q", d.Text, want)
	}
}

func TestAStyleNumbersItsParagraphsAndAListBeginsAnew(t *testing.T) {
	item := func(style, list, text string) string {
		properties := ""
		if style != "" {
			properties += `<w:pStyle w:val="` + style + `"/>`
		}
		if list != "" {
			properties += `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="` + list + `"/></w:numPr>`
		}
		return `<w:p><w:pPr>` + properties + `</w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	d, err := readFile(t, newReader(t, nil), documentstest.Zip("[Content_Types].xml", "<Types/>",
		"_rels/.rels", documentstest.Rels("r1", "officeDocument", "word/document.xml"),
		"word/_rels/document.xml.rels", documentstest.Rels("r1", "styles", "styles.xml", "r2", "numbering", "numbering.xml"),
		"word/styles.xml", `<w:styles><w:style w:styleId="Base"><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="7"/></w:numPr></w:pPr></w:style>`+
			`<w:style w:styleId="Sub"><w:basedOn w:val="Base"/></w:style><w:style w:styleId="Loop"><w:basedOn w:val="Loop"/></w:style></w:styles>`,
		"word/numbering.xml", `<w:numbering><w:abstractNum w:abstractNumId="3"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>`+
			`<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl></w:abstractNum>`+
			`<w:num w:numId="7"><w:abstractNumId w:val="3"/></w:num><w:num w:numId="8"><w:abstractNumId w:val="3"/></w:num>`+
			`<w:num w:numId="9"><w:abstractNumId w:val="3"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>`,
		"word/document.xml", `<w:document><w:body>`+item("", "7", "sow")+item("Sub", "", "by hand")+item("Loop", "", "aside")+item("", "8", "reap")+item("", "9", "rest")+item("", "9", "sleep")+item("Sub", "0", "end")+`</w:body></w:document>`))
	if err != nil {
		t.Fatal(err)
	}
	if want := "1. sow\n1.1 by hand\naside\n2. reap\n1. rest\n2. sleep\nend"; d.Text != want {
		t.Errorf("%q, not %q", d.Text, want)
	}
}
