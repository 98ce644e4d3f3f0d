package documents

import (
	"errors"
	"strings"
	"testing"

	"millrace/consumers/extract/documents/documentstest"
)

// Files as the programs write them that people use: signs of fonts, fields, boxes and notes inside
// paragraphs, changes, charts, objects, parts at other places, encodings.
func TestTextOfWhatProgramsWrite(t *testing.T) {
	r := newReader(t, nil)
	odt := func(body string) []byte {
		return documentstest.Zip("mimetype", "application/vnd.oasis.opendocument.text", "content.xml", `<office:document-content><office:body><office:text>`+body+`</office:text></office:body></office:document-content>`)
	}
	ods := func(body string) []byte {
		return documentstest.Zip("mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", `<office:body>`+body+`</office:body>`)
	}
	d := func(body string, more ...string) []byte { return documentstest.DOCX("", body, more...) }
	docxRels := func(body string, rels string, more ...string) []byte {
		return documentstest.Zip(append([]string{"_rels/.rels", documentstest.Rels("r1", "officeDocument", "word/document.xml"), "word/_rels/document.xml.rels", rels,
			"word/document.xml", "<w:document><w:body>" + body + "</w:body></w:document>"}, more...)...)
	}
	xlsx := func(sheet string, more ...string) []byte {
		return documentstest.Zip(append([]string{"_rels/.rels", documentstest.Rels("r1", "officeDocument", "xl/workbook.xml"),
			"xl/workbook.xml", `<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", documentstest.Rels("r1", "worksheet", "worksheets/sheet1.xml", "r3", "sharedStrings", "sharedStrings.xml"),
			"xl/worksheets/sheet1.xml", `<worksheet>` + sheet + `</worksheet>`}, more...)...)
	}
	pptx := func(slide string, more ...string) []byte {
		return documentstest.Zip(append([]string{"_rels/.rels", documentstest.Rels("r1", "officeDocument", "ppt/presentation.xml"),
			"ppt/presentation.xml", `<p:presentation xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="r9"/></p:sldIdLst></p:presentation>`,
			"ppt/_rels/presentation.xml.rels", documentstest.Rels("r9", "slide", "slides/slide2.xml"),
			"ppt/slides/slide2.xml", "<p:sld>" + slide + "</p:sld>"}, more...)...)
	}
	epub := func(chapter string) []byte {
		return documentstest.Zip("mimetype", "application/epub+zip", "META-INF/container.xml", `<rootfile full-path="o/b.opf"/>`,
			"o/b.opf", `<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/><itemref idref="a"/>`, "o/a.xhtml", chapter)
	}
	chart := `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Yield</a:t></a:r></a:p></c:rich></c:tx></c:title></c:chart></c:chartSpace>`
	for _, c := range []struct {
		name string
		body []byte
		want string
	}{
		{"docx sym", d(`<w:p><w:r><w:t>angle </w:t></w:r><w:r><w:sym w:font="Symbol" w:char="F061"/></w:r><w:r><w:t> here</w:t></w:r></w:p>`), "angle α here"},
		{"docx frac", d(`<w:p><m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></w:p>`), "1/2"},
		{"docx ddList", d(`<w:p><w:r><w:t>Kind: </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="x"/><w:ddList><w:result w:val="1"/><w:listEntry w:val="rye"/><w:listEntry w:val="oats"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMDROPDOWN</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`), "Kind: oats"},
		{"docx pPrChange list", d(`<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="7"/></w:numPr><w:pPrChange><w:pPr><w:pStyle w:val="H1"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="8"/></w:numPr></w:pPr></w:pPrChange></w:pPr><w:r><w:t>sow</w:t></w:r></w:p>`, "word/numbering.xml",
			`<w:numbering><w:abstractNum w:abstractNumId="3"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="7"><w:abstractNumId w:val="3"/></w:num></w:numbering>`), "1. sow"},
		{"docx text box", d(`<w:p><w:r><w:t>The mill </w:t></w:r><w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent><w:p><w:r><w:t>A box</w:t></w:r></w:p></w:txbxContent></wps:txbx></w:drawing></mc:Choice></mc:AlternateContent></w:r><w:r><w:t>grinds</w:t></w:r></w:p>`), "The mill grinds\nA box"},
		{"docx two choices", d(`<w:p><mc:AlternateContent><mc:Choice><w:r><w:t>one</w:t></w:r></mc:Choice><mc:Choice><w:r><w:t>two</w:t></w:r></mc:Choice></mc:AlternateContent></w:p>`), "one"},
		{"docx chart", docxRels(`<w:p><w:r><w:t>x</w:t></w:r></w:p>`, documentstest.Rels("r2", "chart", "charts/chart1.xml"), "word/charts/chart1.xml", chart), "x\nYield"},
		{"docx smartart", docxRels(`<w:p><w:r><w:t>x</w:t></w:r></w:p>`, documentstest.Rels("r2", "diagramData", "diagrams/data1.xml"), "word/diagrams/data1.xml", `<dgm:dataModel><dgm:pt><dgm:t><a:p><a:r><a:t>Sow</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>`), "x\nSow"},
		{"docx altchunk docx", docxRels(`<w:p><w:r><w:t>x</w:t></w:r></w:p>`, documentstest.Rels("r2", "aFChunk", "c.docx"), "word/c.docx", string(d(`<w:p><w:r><w:t>inner</w:t></w:r></w:p>`))), "x\ninner"},
		{"docx altchunk rtf", docxRels(`<w:p><w:r><w:t>x</w:t></w:r></w:p>`, documentstest.Rels("r2", "aFChunk", "c.rtf"), "word/c.rtf", `{\rtf1 inner\par}`), "x\ninner"},
		{"docx altchunk mht", docxRels(`<w:p><w:r><w:t>x</w:t></w:r></w:p>`, documentstest.Rels("r2", "aFChunk", "c.mht"), "word/c.mht", "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: text/html; charset=\"utf-8\"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<html><body><p>in=\r\nner =D0=BC</p></body></html>\r\n--b--\r\n"), "x\ninner м"},
		{"docx nested field", d(`<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> IF </w:instrText></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>MERGEFIELD x</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>no</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:instrText> = 1 "a" "b"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>yes</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`), "yes"},
		{"docx main elsewhere", documentstest.Zip("[Content_Types].xml", `<Types><Override PartName="/doc/main.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`, "_rels/.rels", documentstest.Rels("r1", "officeDocument", "/doc/main.xml"), "doc/main.xml", `<w:document><w:body><w:p><w:r><w:t>x</w:t></w:r></w:p></w:body></w:document>`), "x"},
		{"docx trPr hidden row", d(`<w:tbl><w:tr><w:trPr><w:hidden/></w:trPr><w:tc><w:p><w:r><w:t>no</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>yes</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`), "yes"},
		{"docx deleted row", d(`<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p><w:r><w:t>no</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>yes</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`), "yes"},
		{"docx pos tab", d(`<w:p><w:r><w:t>a</w:t><w:ptab/><w:t>b</w:t><w:noBreakHyphen/><w:t>c</w:t><w:softHyphen/><w:t>d</w:t></w:r></w:p>`), "a b\u2011cd"},
		{"docx PUA symbol font", d(`<w:p><w:r><w:rPr><w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/></w:rPr><w:t>` + "\uf062" + `</w:t></w:r><w:r><w:t> decay</w:t></w:r></w:p>`), "β decay"},
		{"xlsx inline phonetic", xlsx(`<sheetData><row><c t="inlineStr"><is><t>東京</t><rPh><t>no</t></rPh></is></c></row></sheetData>`), "S\n東京"},
		{"xlsx date cell", xlsx(`<sheetData><row><c t="d"><v>2024-01-31T00:00:00</v></c></row></sheetData>`), "S\n2024-01-31"},
		{"xlsx escape", xlsx(`<sheetData><row><c t="s"><v>0</v></c><c t="str"><v>c_x0041_d</v></c></row></sheetData>`, "xl/sharedStrings.xml", `<sst><si><t>a_x000D_
b _x005F_x0041_</t></si></sst>`), "S\na b _x0041_ cAd"},
		{"xlsx header", xlsx(`<sheetData/><headerFooter><oddHeader>&amp;C&amp;"Arial,Bold"&amp;14&amp;KFF0000Mill &amp;K01+000report &amp;P</oddHeader></headerFooter>`), "S\nMill report"},
		{"xlsx hyperlink formula", xlsx(`<sheetData><row><c t="str"><f>HYPERLINK("https://example.com/f","far")</f><v>far</v></c></row></sheetData>`), "S\nfar"},
		{"xlsx macro sheet case", documentstest.Zip("_rels/.rels", documentstest.Rels("r1", "officeDocument", "/XL/Workbook.xml"), "xl/workbook.xml", `<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", documentstest.Rels("r1", "worksheet", "/xl/Worksheets/Sheet1.XML"), "xl/worksheets/sheet1.xml", `<worksheet><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>`), "S\n1"},
		{"xlsx threaded", xlsx(`<sheetData/>`, "xl/worksheets/_rels/sheet1.xml.rels", documentstest.Rels("r1", "comments", "../comments1.xml", "r2", "threadedComment", "../threadedComments/t1.xml"), "xl/comments1.xml", `<comments><authors><author>tc={1}</author></authors><commentList><comment ref="A1" authorId="0"><text><t>[Threaded comment] Your version of Excel allows you to read this.
Comment:
    weigh</t></text></comment></commentList></comments>`, "xl/threadedComments/t1.xml", `<ThreadedComments><threadedComment ref="A1"><text>weigh</text></threadedComment></ThreadedComments>`), "S\nweigh"},
		{"xlsx chartsheet", xlsx(`<drawing r:id="r1"/>`, "xl/worksheets/_rels/sheet1.xml.rels", documentstest.Rels("r1", "drawing", "../drawings/d1.xml"), "xl/drawings/d1.xml", `<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>box</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>`, "xl/drawings/_rels/d1.xml.rels", documentstest.Rels("r1", "chart", "../charts/c.xml"), "xl/charts/c.xml", chart), "S\nbox\nYield"},
		{"xlsx vml button", xlsx(`<sheetData/>`, "xl/worksheets/_rels/sheet1.xml.rels", documentstest.Rels("r1", "vmlDrawing", "../drawings/v1.vml"), "xl/drawings/v1.vml", `<xml><v:shape><v:textbox><div style='text-align:left'><font face="Arial">Weigh now</font></div></v:textbox><x:ClientData ObjectType="Button"><x:Anchor>1,2</x:Anchor></x:ClientData></v:shape></xml>`), "S\nWeigh now"},
		{"pptx chart+smartart", pptx(`<p:sp><a:p><a:r><a:t>Hi</a:t></a:r></a:p></p:sp>`, "ppt/slides/_rels/slide2.xml.rels", documentstest.Rels("r1", "chart", "../charts/c.xml", "r2", "diagramData", "../diagrams/data1.xml"), "ppt/charts/c.xml", chart, "ppt/diagrams/data1.xml", `<dgm:pt><dgm:t><a:p><a:t>Sow</a:t></a:p></dgm:t></dgm:pt>`), "Hi\nYield\nSow"},
		{"pptx chartEx", pptx(`<p:sp><a:p><a:r><a:t>Hi</a:t></a:r></a:p></p:sp>`, "ppt/slides/_rels/slide2.xml.rels", documentstest.Rels("r1", "chartEx", "../charts/c.xml"), "ppt/charts/c.xml", `<cx:chartSpace><cx:chartData><cx:data><cx:strDim><cx:f>S!A1</cx:f><cx:lvl><cx:pt idx="0">rye</cx:pt></cx:lvl></cx:strDim></cx:data></cx:chartData><cx:chart><cx:title><a:p><a:r><a:t>Yield</a:t></a:r></a:p></cx:title></cx:chart></cx:chartSpace>`), "Hi\nrye\nYield"},
		{"pptx two choices", pptx(`<mc:AlternateContent><mc:Choice><p:sp><a:p><a:r><a:t>one</a:t></a:r></a:p></p:sp></mc:Choice><mc:Choice><p:sp><a:p><a:r><a:t>two</a:t></a:r></a:p></p:sp></mc:Choice></mc:AlternateContent>`), "one"},
		{"pptx sym", pptx(`<p:sp><a:p><a:r><a:rPr><a:latin typeface="Symbol"/><a:sym typeface="Symbol"/></a:rPr><a:t>` + "\uf061" + `</a:t></a:r></a:p></p:sp>`), "α"},
		{"pptx no slide list", documentstest.Zip("_rels/.rels", documentstest.Rels("r1", "officeDocument", "ppt/presentation.xml"), "ppt/presentation.xml", "<p:presentation/>", "ppt/_rels/presentation.xml.rels", documentstest.Rels("r9", "slide", "slides/slide2.xml"), "ppt/slides/slide2.xml", `<p:sld><p:sp><a:p><a:t>x</a:t></a:p></p:sp></p:sld>`), "x"},
		{"odt ruby", odt(`<text:p><text:ruby><text:ruby-base>水</text:ruby-base><text:ruby-text>みず</text:ruby-text></text:ruby>車</text:p>`), "水車"},
		{"odt note", odt(`<text:p>wind<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a note</text:p></text:note-body></text:note> blows</text:p>`), "wind1 blows\na note"},
		{"odt frame", odt(`<text:p>wind<draw:frame><draw:text-box><text:p>a box</text:p></draw:text-box></draw:frame> blows</text:p>`), "wind blows\na box"},
		{"odt image desc", odt(`<text:p>wind<draw:frame><draw:image/><svg:title>Mill</svg:title><svg:desc>A mill</svg:desc></draw:frame>blows</text:p>`), "wind Mill A mill blows"},
		{"odt date field", odt(`<text:p>Berlin, <text:date>31.1.2024</text:date> by <text:creator>Ada</text:creator></text:p>`), "Berlin, 31.1.2024 by Ada"},
		{"odt annotation", odt(`<text:p>wind<office:annotation><dc:creator>Ada</dc:creator><dc:date>2024-01-31</dc:date><text:p>why</text:p></office:annotation> blows</text:p>`), "wind blows\nwhy"},
		{"odt meta annotation", odt(`<text:p>a<text:bookmark-start/>b<text:line-break/>c<text:soft-page-break/>d</text:p>`), "ab c\nd"},
		{"odt wholesome", documentstest.Zip("mimetype", "application/vnd.oasis.opendocument.text", "META-INF/manifest.xml", `<manifest:manifest><manifest:file-entry manifest:full-path="encrypted-package"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`, "encrypted-package", "xxxxxxxx"), "locked"},
		{"odt math object", documentstest.Zip("mimetype", "application/vnd.oasis.opendocument.text", "content.xml", `<office:body><text:p>so <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p></office:body>`, "Object 1/content.xml", `<math><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi></mrow><annotation>E=m</annotation></semantics></math>`), "so\nE=m"},
		{"odt chart object", documentstest.Zip("mimetype", "application/vnd.oasis.opendocument.text", "content.xml", `<office:body><text:p>so <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p></office:body>`, "Object 1/content.xml", `<office:body><office:chart><chart:chart><chart:title><text:p>Yield</text:p></chart:title></chart:chart></office:chart></office:body>`), "so\nYield"},
		{"ods values", ods(`<table:table table:name="S"><table:table-row><table:table-cell office:value-type="float" office:value="42"/><table:table-cell office:value-type="string" office:string-value="rye"/><table:table-cell office:value-type="date" office:date-value="2024-01-31"/></table:table-row></table:table>`), "S\n42 rye 2024-01-31"},
		{"ods covered", ods(`<table:table table:name="S"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:covered-table-cell><text:p>no</text:p></table:covered-table-cell></table:table-row></table:table>`), "S\na"},
		{"ods shapes", ods(`<table:table table:name="S"><table:shapes><draw:custom-shape><text:p>box</text:p></draw:custom-shape></table:shapes><table:table-row><table:table-cell><office:annotation><dc:date>2024</dc:date><text:p>why</text:p></office:annotation><text:p>a</text:p></table:table-cell></table:table-row></table:table>`), "S\nbox\nwhy\na"},
		{"epub late utf8", epub(`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title>` + strings.Repeat(`<link rel="stylesheet" href="a.css"/>`, 40) + `</head><body><p>Ветер дует</p></body></html>`), "Ветер дует"},
		{"epub xml encoding", epub(`<?xml version="1.0" encoding="windows-1251"?><html><body><p>` + "\xc2\xe5\xf2\xe5\xf0" + `</p></body></html>`), "Ветер"},
		{"epub oeb", documentstest.Zip("mimetype", "application/epub+zip", "META-INF/container.xml", `<rootfile full-path="o/b.opf"/>`,
			"o/b.opf", `<item id="a" href="a.html" media-type="text/x-oeb1-document"/><itemref idref="a"/>`, "o/a.html", `<p>x</p>`), "x"},
		{"epub math/svg", epub(`<html><body><p>a <math><semantics><mi>x</mi><annotation encoding="tex">\x</annotation></semantics></math><span hidden="hidden">no</span><br/>b</p><svg><title>A mill</title><text>c</text></svg></body></html>`), "a x\nb\nc"},
		{"rtf symbol font", []byte(`{\rtf1\ansi{\fonttbl{\f0\fcharset0 Times;}{\f3\fcharset2 Symbol;}}angle {\f3 a} and {\f3 \'62} {\f3\u-3999\'67}\par}`), "angle α and β α"},
		{"rtf nested field", []byte(`{\rtf1 {\field{\*\fldinst IF {\field{\*\fldinst MERGEFIELD x}{\fldrslt no}} = 1}{\fldrslt yes}}\par}`), "yes"},
		{"rtf footnote", []byte(`{\rtf1 wind{\super\chftn{\footnote\pard {\super\chftn} a note}} blows\par}`), "wind blows\na note"},
		{"rtf math", []byte(`{\rtf1 so {\mmath{\*\moMath{\mf{\mfPr{\mctrlPr\f1}}{\mnum{\mr\mscr0 a}}{\mden{\mr b}}}{\md{\mdPr{\mbegChr [}}{\me{\mr c}}}}}\par}`), "so a/bc"},
		{"rtf shppict", []byte(`{\rtf1 a{\*\shppict{\pict 00}}{\nonshppict{\pict 00}} b\par}`), "a b"},
		{"rtf listtext", []byte(`{\rtf1{\fonttbl{\f3\fcharset2 Symbol;}}{\listtext\pard\plain 1.\tab}sow\par{\listtext\f3\'b7\tab}reap\par}`), "1. sow\n• reap"},
		{"rtf lead junk", []byte("\xef\xbb\xbf{\\rtf1 x\\par}"), "x"},
	} {
		got := ""
		switch d, err := readFile(t, r, c.body); {
		case errors.Is(err, ErrEncrypted):
			got = "locked"
		case err != nil:
			got = err.Error()
		default:
			got = d.Text
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
