package documents

import (
	"errors"
	"testing"

	"millrace/consumers/extract/documents/documentstest"
)

// What a reader of the file does not see is not in its text, and what he sees is whole.
func TestTextIsWhatAReaderOfTheFileSees(t *testing.T) {
	r := newReader(t, nil)
	utf16 := "\xff\xfe" + documentstest.UTF16(`<?xml version="1.0" encoding="UTF-16"?><office:body><text:p>ветер</text:p></office:body>`)
	for name, c := range map[string]struct {
		body []byte
		want string
	}{
		"hidden runs": {documentstest.DOCX("", `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:rPr><w:vanish/></w:rPr><w:t>cheap pills </w:t></w:r><w:r><w:t>seen</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t> too</w:t></w:r></w:p>`), "seen too"},
		"ruby":        {documentstest.DOCX("", `<w:p><w:r><w:ruby><w:rt><w:r><w:t>すい</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>水</w:t></w:r></w:rubyBase></w:ruby></w:r><w:r><w:t>車</w:t></w:r></w:p>`), "水車"},
		"UTF-16":      {documentstest.Zip("mimetype", "application/vnd.oasis.opendocument.text", "content.xml", utf16), "ветер"},
		"a note":      {documentstest.Zip("mimetype", "application/vnd.oasis.opendocument.text", "content.xml", `<office:body><text:p>wind<text:note><text:note-body><text:p>note</text:p></text:note-body></text:note></text:p></office:body>`), "wind\nnote"},
		"empty script": {documentstest.Zip("mimetype", "application/epub+zip", "META-INF/container.xml", `<rootfile full-path="b"/>`, "b", `<item id="a" href="c" media-type="application/xhtml+xml"/><itemref idref="a"/>`,
			"c", `<html><head><title/><script src="x.js"/></head><body><p>first</p><script/><p>second</p></body></html>`), "first\nsecond"},
	} {
		if d, err := readFile(t, r, c.body); err != nil || d.Text != c.want {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	for name, c := range hiddenCases() {
		if d, err := readFile(t, r, c.body); err != nil || d.Text != c.want {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	r.Close() // and once more at the end of the test
}

type hiddenCase struct {
	body []byte
	want string
}

// hiddenCases are files of each format with parts that their author hid, and parts that only look
// so.
func hiddenCases() map[string]hiddenCase {
	const styles = `<w:styles><w:style w:styleId="Veil"><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId="Based"><w:basedOn w:val="Veil"/></w:style><w:style w:styleId="Open"><w:basedOn w:val="Veil"/><w:rPr><w:vanish w:val="false"/></w:rPr></w:style></w:styles>`
	styled := func(body string) []byte {
		return documentstest.Zip("_rels/.rels", documentstest.Rels("r1", "officeDocument", "word/document.xml"), "word/_rels/document.xml.rels", documentstest.Rels("r2", "styles", "styles.xml"),
			"word/styles.xml", styles, "word/document.xml", "<w:body>"+body+"</w:body>")
	}
	run := func(properties, text string) string {
		return "<w:r><w:rPr>" + properties + "</w:rPr><w:t>" + text + "</w:t></w:r>"
	}
	opf := func(kind, body string) []byte {
		return documentstest.Zip("mimetype", "application/vnd.oasis.opendocument."+kind, "content.xml", "<office:body>"+body+"</office:body>")
	}
	return map[string]hiddenCase{
		"docx: styles of hidden text": {styled("<w:p>" + run(`<w:rStyle w:val="Veil"/>`, "no") + run(`<w:rStyle w:val="Based"/>`, "no") + run(`<w:rStyle w:val="Open"/>`, "seen") + run(`<w:rStyle w:val="Veil"/><w:vanish w:val="0"/>`, " too") +
			`</w:p><w:p><w:pPr><w:pStyle w:val="Veil"/></w:pPr>` + run("", "no") + run(`<w:vanish w:val="0"/>`, "and this") + "</w:p><w:p>" + run("", "end") + "</w:p>"), "seen too\nand this\nend"},
		"docx: how it was before a change": {styled("<w:p>" + run(`<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>`, "seen") + "<w:ins><w:r><w:t> added</w:t></w:r></w:ins><w:del><w:r><w:delText> gone</w:delText></w:r></w:del></w:p>"), "seen added"},
		"xlsx": {documentstest.Zip("_rels/.rels", documentstest.Rels("r1", "officeDocument", "xl/workbook.xml"),
			"xl/workbook.xml", `<sheets><sheet name="Notes" state="hidden" r:id="r1"/><sheet name="Prices" r:id="r2"/><sheet name="Lists" state="veryHidden" r:id="r1"/></sheets>`,
			"xl/_rels/workbook.xml.rels", documentstest.Rels("r1", "worksheet", "a.xml", "r2", "worksheet", "b.xml"),
			"xl/a.xml", `<row><c t="str"><v>secret</v></c></row>`,
			"xl/b.xml", `<cols><col min="2" max="3" hidden="1"/><col min="5" max="5" hidden="1" outlineLevel="1"/></cols><sheetData>`+
				`<row r="1"><c r="A1" t="str"><v>rye</v></c><c r="B1" t="str"><v>no</v></c><c t="str"><v>no</v></c><c t="str"><v>oats</v></c><c r="E1" t="str"><v>folded</v></c><c r="AB1" t="str"><v>far</v></c></row>`+
				`<row r="2" hidden="1"><c r="A2" t="str"><v>no</v></c></row><row r="3" hidden="1" outlineLevel="1"><c r="A3" t="str"><v>a group</v></c></row></sheetData>`),
			"Prices\nrye oats folded far\na group"},
		"xls": {documentstest.OLE("Workbook", record(0x809, "\x00\x06\x05\x00")+record(0x85, "\x00\x00\x00\x00\x01\x00\x05\x00Notes")+record(0x85, "\x00\x00\x00\x00\x00\x00\x05\x00Grain")+
			record(0xfc, "\x02\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00rye\x02\x00\x00no")+record(0x0a, "")+
			record(0x809, "\x00\x06\x10\x00")+record(0xfd, "\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00")+record(0x0a, "")+
			record(0x809, "\x00\x06\x10\x00")+record(0x7d, "\x01\x00\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00")+record(0x208, "\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x20\x00\x00\x00")+
			record(0xfd, "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")+record(0xfd, "\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00")+record(0xfd, "\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00")+record(0x0a, "")),
			"Grain\nrye"},
		"pptx": {documentstest.Zip("_rels/.rels", documentstest.Rels("r1", "officeDocument", "ppt/presentation.xml"),
			"ppt/presentation.xml", `<p:sldId id="1" r:id="r1"/><p:sldId id="2" r:id="r2"/><p:sldId id="3" r:id="r3"/>`,
			"ppt/_rels/presentation.xml.rels", documentstest.Rels("r1", "slide", "a.xml", "r2", "slide", "b.xml", "r3", "slide", "c.xml"),
			"ppt/a.xml", `<p:sld><p:sp><a:p><a:t>first</a:t></a:p></p:sp></p:sld>`,
			"ppt/b.xml", `<p:sld show="0"><p:sp><a:p><a:t>no</a:t></a:p></p:sp></p:sld>`, "ppt/_rels/b.xml.rels", documentstest.Rels("r1", "notesSlide", "n.xml"), "ppt/n.xml", `<a:p><a:t>no</a:t></a:p>`,
			"ppt/c.xml", `<p:sld><p:grpSp><p:nvGrpSpPr><p:cNvPr hidden="1"/></p:nvGrpSpPr><p:sp><p:nvSpPr><p:cNvPr id="7"/></p:nvSpPr><a:p><a:t>no</a:t></a:p></p:sp></p:grpSp><p:sp><p:nvSpPr><p:cNvPr hidden="0"/></p:nvSpPr><a:p><a:t>third</a:t></a:p></p:sp></p:sld>`),
			"first\nthird"},
		"odt": {opf("text", `<style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style><style:style style:name="T2" style:parent-style-name="T1"/>`+
			`<text:p>seen<text:span text:style-name="T1"> no <text:span>no</text:span></text:span><text:span text:style-name="T2"> no</text:span> again</text:p>`+
			`<text:section text:display="none"><text:p>no</text:p></text:section><text:p><text:hidden-paragraph text:is-hidden="false"/>end<text:hidden-text text:is-hidden="true">no</text:hidden-text></text:p>`), "seen again\nend"},
		"ods": {opf("spreadsheet", `<style:style style:name="ta1"><style:table-properties table:display="false"/></style:style><table:table table:name="Notes" table:style-name="ta1"><table:table-row><table:table-cell><text:p>no</text:p></table:table-cell></table:table-row></table:table>`+
			`<table:table table:name="Grain"><table:table-column/><table:table-column table:number-columns-repeated="2" table:visibility="collapse"/>`+
			`<table:table-row><table:table-cell><text:p>rye</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"><text:p>no</text:p></table:table-cell><table:table-cell><text:p>oats</text:p></table:table-cell></table:table-row>`+
			`<table:table-row table:visibility="filter"><table:table-cell><text:p>no</text:p></table:table-cell></table:table-row>`+
			`<table:table-row-group table:display="false"><table:table-row table:visibility="collapse"><table:table-cell><text:p>a group</text:p></table:table-cell></table:table-row></table:table-row-group></table:table>`), "Grain\nrye oats\na group"},
		"odp": {opf("presentation", `<style:style style:name="dp1"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>`+
			`<draw:page><text:p>first</text:p></draw:page><draw:page draw:style-name="dp1"><text:p>no</text:p></draw:page><draw:page><text:p>third</text:p></draw:page>`), "first\nthird"},
		"rtf: hidden and deleted": {[]byte(`{\rtf1 seen{\v no}\v  no\v0  again{\deleted no}\plain  too\par}`), "seen again too"},
		"rtf: twice":              {[]byte(`{\rtf1\ansi {\upr{\'3f no}{\*\ud{\u1084?\u1080?\u1088?}}}\u8212\emdash end\par}`), "мир—end"},
		"rtf: objects and shapes": {[]byte(`{\rtf1 {\object{\*\objdata 00}{\result table}} {\shp{\*\shpinst{\sp{\sn no}{\sv no}}{\shptxt box}}{\shprslt{\*\do{\dptxbxtext no}}}} {\*\do{\dptxbxtext old box}}\bin4 {}{} end\par}`), "table end\nbox\nold box"},
		"rtf: code pages":         {[]byte("{\\rtf1\\ansi\\ansicpg65001{\\fonttbl{\\f1\\cpg1251 x;}}\\'d0\\'bc\\f1\\'e8\\u128512?\\par}"), "ми😀"},
		"epub: reading order": {documentstest.Zip("mimetype", "application/epub+zip", "META-INF/container.xml", `<rootfile full-path="o/b.opf"/>`,
			"o/b.opf", `<item id="n" href="n.xhtml" properties="nav" media-type="application/xhtml+xml"/><item id="x" href="x.xhtml" media-type="application/xhtml+xml"/><item id="a" href="a%20a.xhtml#top" media-type="application/xhtml+xml"/><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>`+
				`<itemref idref="n"/><itemref idref="x" linear="no"/><itemref idref="a"/><itemref idref="b"/>`,
			"o/n.xhtml", "<p>contents</p>", "o/x.xhtml", "<p>answers</p>", "o/a a.xhtml", "<p>one <ruby>水<rt>みず</rt></ruby></p>", "o/b.xhtml", "\xff\xfe"+documentstest.UTF16("<p>zwei</p>")), "one 水\nzwei\nanswers"},
		"epub: no container, obfuscated fonts": {documentstest.Zip("mimetype", "application/epub+zip", "META-INF/encryption.xml", `<enc:CipherReference URI="o/f.html.otf"/><enc:CipherReference URI="o/b.xhtml"/>`,
			"o/b.opf", `<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/><itemref idref="a"/><itemref idref="b"/>`, "o/a.xhtml", "<p>free</p>", "o/b.xhtml", "\x01\x02"), "free"},
	}
}

// A hidden slide has no text, but those behind it keep their numbers; a hidden sheet has no tab.
func TestHiddenSlidesKeepTheirNumbersAndBooksTheirLocks(t *testing.T) {
	r := newReader(t, nil)
	for name, want := range map[string]int{"pptx": 3, "odp": 3, "xlsx": 1, "ods": 1, "xls": 1} {
		if d, err := readFile(t, r, hiddenCases()[name].body); err != nil || len(d.PageStarts) != want || d.Pages != want {
			t.Errorf("%s: %v of %d pages, %v", name, d.PageStarts, d.Pages, err)
		}
	}
	book := documentstest.Zip("mimetype", "application/epub+zip", "META-INF/container.xml", `<rootfile full-path="b"/>`, "META-INF/encryption.xml", `<CipherReference URI="a.xml"/>`,
		"b", `<item id="a" href="a.xml" media-type="application/xhtml+xml"/><itemref idref="a"/>`, "a.xml", "\x01\x02\x03")
	if _, err := readFile(t, r, book); !errors.Is(err, ErrEncrypted) {
		t.Errorf("a book whose only chapter is encrypted: %v", err)
	}
}
