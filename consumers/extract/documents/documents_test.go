package documents

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"millrace/consumers/extract/documents/documentstest"
	"millrace/schema"
)

// readFile reads what a test made, as its bytes say.
func readFile(t *testing.T, r *Reader, body []byte) (*Document, error) {
	t.Helper()
	family := schema.FamilyOf(body, "")
	if family == schema.NoFile {
		t.Fatalf("not taken for a document: %.40q", body)
	}
	return r.Read(t.Context(), family, body)
}

func newReader(t *testing.T, change func(*Options)) *Reader {
	t.Helper()
	o := DefaultOptions()
	o.CacheDir = compiled
	if change != nil {
		change(&o)
	}
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// pageTexts cuts the text at the page starts.
func pageTexts(d *Document) []string {
	var out []string
	for i, at := range d.PageStarts {
		end := len(d.Text)
		if i+1 < len(d.PageStarts) {
			end = int(d.PageStarts[i+1])
		}
		out = append(out, strings.TrimSpace(d.Text[at:end]))
	}
	return out
}

func TestAPDFGivesTextPagesTitleDatesAndLinks(t *testing.T) {
	r := newReader(t, nil)
	d, err := readFile(t, r, documentstest.PDF(documentstest.PDFOptions{
		Title: "Rivers of the north", Author: "Ada Writer", Created: "D:20240131120000+02'00'",
		Links: []string{"https://example.com/source"}, Outline: []string{"Sources", "Mouths"},
	}, "The source lies high\nand cold", "The mouth is wide"))
	if err != nil {
		t.Fatal(err)
	}
	if d.Type != "pdf" || d.Title != "Rivers of the north" || d.Author != "Ada Writer" || d.Lang != "en-GB" {
		t.Errorf("the file says of itself: %+v", d)
	}
	if want := time.Date(2024, 1, 31, 10, 0, 0, 0, time.UTC); !d.Created.Equal(want) {
		t.Errorf("created %s, not %s", d.Created, want)
	}
	if got := pageTexts(d); !slices.Equal(got, []string{"The source lies high\nand cold", "The mouth is wide"}) {
		t.Errorf("pages: %q", got)
	}
	if want := []Link{{"https://example.com/source", "The source lies high"}}; !reflect.DeepEqual(d.Links, want) {
		t.Errorf("links: %q", d.Links)
	}
	if !slices.Equal(d.Headings, []string{"Sources", "Mouths"}) {
		t.Errorf("headings: %q", d.Headings)
	}
}

func TestLinesSetLargerAreHeadingsOfAPDFWithoutOutline(t *testing.T) {
	r := newReader(t, nil)
	d, err := readFile(t, r, documentstest.PDF(documentstest.PDFOptions{Title: "untitled"}, "# On mills\nA mill grinds grain with water or with wind."))
	if err != nil {
		t.Fatal(err)
	}
	if d.Title != "On mills" || !slices.Equal(d.Headings, []string{"On mills"}) {
		t.Errorf("title %q, headings %q", d.Title, d.Headings)
	}
}

func TestAScanSaysThatItHasNoTextAndALockedFileThatItIsLocked(t *testing.T) {
	r := newReader(t, nil)
	if _, err := readFile(t, r, documentstest.PDF(documentstest.PDFOptions{}, "")); !errors.Is(err, ErrNoText) {
		t.Errorf("scan: %v", err)
	}
	if _, err := readFile(t, r, documentstest.PDF(documentstest.PDFOptions{Encrypted: true}, "secret")); !errors.Is(err, ErrEncrypted) {
		t.Errorf("locked: %v", err)
	}
	if _, err := readFile(t, r, documentstest.OLE("EncryptedPackage", "x", "EncryptionInfo", "y")); !errors.Is(err, ErrEncrypted) {
		t.Errorf("locked Office file: %v", err)
	}
}

func TestOneBrokenPDFHarmsNoOther(t *testing.T) {
	r := newReader(t, func(o *Options) { o.Workers = 1 })
	good := documentstest.PDF(documentstest.PDFOptions{}, "All is well here")
	for i := 9; i < len(good); i += len(good) / 7 {
		_, _ = readFile(t, r, good[:i]) // whatever comes of it
		if d, err := readFile(t, r, good); err != nil || d.Text != "All is well here" {
			t.Fatalf("after a file cut at %d: %v, %v", i, d, err)
		}
	}
}

func TestACallerWhoGivesUpGetsNoDocument(t *testing.T) {
	r := newReader(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, body := range [][]byte{documentstest.PDF(documentstest.PDFOptions{}, "text"), documentstest.DOCX("", documentstest.Paragraph("", "text"))} {
		if _, err := r.Read(ctx, schema.FamilyOf(body, ""), body); !errors.Is(err, context.Canceled) {
			t.Errorf("%.4q: %v", body, err)
		}
	}
}

// An archive ends with the list of its members: a download that breaks off has none.
func TestAWordFileThatBreaksOffGivesWhatIsThere(t *testing.T) {
	r := newReader(t, nil)
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "<w:p><w:r><w:t>Paragraph %d of the mill.</w:t></w:r></w:p>", i*i)
	}
	whole := documentstest.DOCX("Mills", text.String())
	for _, share := range []int{50, 90} {
		d, err := readFile(t, r, whole[:len(whole)*share/100])
		if err != nil {
			t.Fatalf("%d %% of the file: %v", share, err)
		}
		if !d.Cut || d.Type != "docx" || !strings.HasPrefix(d.Text, "Paragraph 0 of the mill.\nParagraph 1 of") || len(d.Text) < 20_000 {
			t.Errorf("%d %% of the file: cut %v, type %s, %d bytes: %.60q", share, d.Cut, d.Type, len(d.Text), d.Text)
		}
	}
	if d, err := readFile(t, r, whole); err != nil || d.Cut && len(d.Text) < 300_000 {
		t.Errorf("the whole file: %v, %+v", err, d)
	}
	for n := range 200 { // no length of it does harm
		if d, err := r.Read(t.Context(), schema.Zip, whole[:n]); err == nil {
			t.Errorf("%d bytes gave %q", n, d.Text)
		}
	}
}

func TestAWordFileGivesHeadingsLinksPagesAndNotes(t *testing.T) {
	r := newReader(t, nil)
	body := documentstest.Paragraph("H1", "On mills") +
		`<w:p><w:r><w:t>A mill </w:t></w:r><w:del><w:r><w:t>burns</w:t></w:r></w:del><w:hyperlink r:id="r7"><w:r><w:t>grinds</w:t></w:r></w:hyperlink></w:p>` +
		`<w:p><w:r><w:lastRenderedPageBreak/><w:t>Second page</w:t></w:r></w:p>` +
		`<w:p><w:r><mc:AlternateContent><mc:Choice><w:t>once</w:t></mc:Choice><mc:Fallback><w:t>once</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>`
	d, err := readFile(t, r, documentstest.DOCX("Mills", body, "word/footnotes.xml", `<w:footnotes><w:footnote><w:p><w:r><w:t>A note</w:t></w:r></w:p></w:footnote></w:footnotes>`))
	if err != nil {
		t.Fatal(err)
	}
	if d.Type != "docx" || d.Title != "Mills" || d.Author != "Ada Writer" || d.Created.Year() != 2024 || !slices.Equal(d.Headings, []string{"On mills"}) {
		t.Errorf("%+v", d)
	}
	if got := pageTexts(d); !slices.Equal(got, []string{"On mills\nA mill grinds", "Second page\nonce\nA note"}) {
		t.Errorf("pages: %q", got)
	}
	if !reflect.DeepEqual(d.Links, []Link{{"https://example.com/far", "grinds"}}) {
		t.Errorf("links: %q", d.Links)
	}
}

func TestNumberedParagraphsGetTheirNumbers(t *testing.T) {
	r := newReader(t, nil)
	item := func(level, text string) string {
		return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="7"/></w:numPr></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	d, err := readFile(t, r, documentstest.DOCX("", item("0", "sow")+item("1", "by hand")+item("1", "by horse")+item("0", "reap"), "word/numbering.xml",
		`<w:numbering><w:abstractNum w:abstractNumId="3"><w:lvl w:ilvl="0"><w:start w:val="4"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl>`+
			`<w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1%2)"/></w:lvl></w:abstractNum><w:num w:numId="7"><w:abstractNumId w:val="3"/></w:num></w:numbering>`))
	if want := "IV. sow\nIVa) by hand\nIVb) by horse\nV. reap"; err != nil || d.Text != want {
		t.Errorf("%v, %v", d, err)
	}
}

func TestAWorkbookGivesSheetsRowsAndDates(t *testing.T) {
	r := newReader(t, nil)
	d, err := readFile(t, r, documentstest.Zip(
		"[Content_Types].xml", "<Types/>",
		"_rels/.rels", documentstest.Rels("r1", "officeDocument", "xl/workbook.xml"),
		"xl/workbook.xml", `<workbook><sheets><sheet name="Grain" r:id="r1"/><sheet name="Water" r:id="r2"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", documentstest.Rels("r1", "worksheet", "worksheets/sheet1.xml", "r2", "worksheet", "worksheets/sheet2.xml", "r3", "sharedStrings", "sharedStrings.xml", "r4", "styles", "styles.xml", "r5", "externalLink", "far.xml"),
		"xl/far.xml", `<externalLink><ddeLink ddeService="scales" ddeTopic="weight"/></externalLink>`,
		"xl/sharedStrings.xml", `<sst><si><t>rye</t></si><si><r><t>wh</t></r><r><t>eat</t></r><rPh><t>no</t></rPh></si></sst>`,
		"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="dd/mm/yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="10"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml", `<worksheet><sheetData><row><c t="s"><v>0</v></c><c><v>12.5</v></c></row><row><c t="s"><v>1</v></c><c s="1"><v>45322</v></c><c s="2"><v>0.25</v></c></row></sheetData></worksheet>`,
		"xl/worksheets/sheet2.xml", `<worksheet><sheetData><row><c t="inlineStr"><is><t>flows</t></is></c><c t="b"><v>1</v></c></row></sheetData></worksheet>`,
	))
	if err != nil {
		t.Fatal(err)
	}
	if got := pageTexts(d); d.Type != "xlsx" || !slices.Equal(got, []string{"Grain\nrye 12.5\nwheat 2024-01-31 25.00%", "Water\nflows TRUE"}) {
		t.Errorf("%s: %q", d.Type, got)
	}
	if !slices.Contains(d.Links, Link{URL: "scales|weight"}) {
		t.Errorf("where the numbers are from: %v", d.Links)
	}
}

// binaryRecord is a record of a part of a binary workbook, with a kind below 16384.
func binaryRecord(kind int, data string) string {
	head := string([]byte{byte(kind)})
	if kind > 0x7f {
		head = string([]byte{byte(kind&0x7f | 0x80), byte(kind >> 7)})
	}
	return head + string([]byte{byte(len(data)&0x7f | 0x80), byte(len(data) >> 7)}) + data
}

func binaryText(s string) string {
	u := documentstest.UTF16(s)
	return string(binary.LittleEndian.AppendUint32(nil, uint32(len(u)/2))) + u
}

func binaryCell(kind, style int, data string) string {
	return binaryRecord(kind, string(binary.LittleEndian.AppendUint32(make([]byte, 4), uint32(style)))+data)
}

func binaryWorkbook() []byte {
	real := func(f float64) string { return string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(f))) }
	return documentstest.Zip(
		"_rels/.rels", documentstest.Rels("r1", "officeDocument", "xl/workbook.bin"),
		"xl/workbook.bin", binaryRecord(153, "\x00\x00\x00\x00")+binaryRecord(156, "\x00\x00\x00\x00\x01\x00\x00\x00"+binaryText("r1")+binaryText("Grain")),
		"xl/_rels/workbook.bin.rels", documentstest.Rels("r1", "worksheet", "worksheets/sheet1.bin", "r3", "sharedStrings", "sharedStrings.bin", "r4", "styles", "styles.bin"),
		"xl/sharedStrings.bin", binaryRecord(19, "\x00"+binaryText("rye")),
		"xl/styles.bin", binaryRecord(44, "\xaa\x00"+binaryText(`0.0" t"`))+binaryRecord(617, "")+binaryRecord(47, "\x00\x00\xaa\x00")+binaryRecord(47, "\x00\x00\x0e\x00")+binaryRecord(618, ""),
		"xl/worksheets/sheet1.bin", binaryRecord(0, "\x00\x00\x00\x00")+binaryCell(7, 0, "\x00\x00\x00\x00")+binaryCell(5, 0, real(12.5))+binaryCell(2, 1, "\x2a\xc4\x02\x00")+
			binaryRecord(0, "\x01\x00\x00\x00")+binaryCell(6, 0, binaryText("wheat"))+binaryCell(10, 0, "\x01")+binaryCell(62, 0, "\x00"+binaryText("late"))+
			binaryRecord(479, "\x00\x00"+binaryText("&CMill"))+binaryRecord(494, strings.Repeat("\x00", 16)+binaryText("h1")+binaryText("")+binaryText("tip")+binaryText("shown")),
		"xl/worksheets/_rels/sheet1.bin.rels", documentstest.Rels("h1", "hyperlink", "https://example.com/rye", "c1", "comments", "../comments1.bin"),
		"xl/comments1.bin", binaryRecord(637, "\x00"+binaryText("weigh it again")))
}

func TestABinaryWorkbookGivesWhatItsXMLFormWould(t *testing.T) {
	d, err := readFile(t, newReader(t, nil), binaryWorkbook())
	if err != nil {
		t.Fatal(err)
	}
	if want := "Grain\nrye 12.5 t 2024-01-31\nwheat TRUE late\nMill\nweigh it again"; d.Type != "xlsb" || d.Text != want {
		t.Errorf("%s: %q", d.Type, d.Text)
	}
	if len(d.Links) != 1 || d.Links[0] != (Link{"https://example.com/rye", "shown"}) || len(d.PageStarts) != 1 || d.Headings[0] != "Grain" {
		t.Errorf("%v, pages %v, headings %v", d.Links, d.PageStarts, d.Headings)
	}
}

func TestASlideShowGivesSlidesInTheirOrderWithNotes(t *testing.T) {
	r := newReader(t, nil)
	slide := func(title, text string) string {
		return `<p:sld><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><a:p><a:t>` + title + `</a:t></a:p></p:sp><p:sp><a:p><a:t>` + text + `</a:t></a:p></p:sp></p:sld>`
	}
	d, err := readFile(t, r, documentstest.Zip(
		"[Content_Types].xml", "<Types/>",
		"_rels/.rels", documentstest.Rels("r1", "officeDocument", "ppt/presentation.xml"),
		"ppt/presentation.xml", `<p:presentation xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="r9"/><p:sldId id="257" r:id="r2"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels", documentstest.Rels("r2", "slide", "slides/slide1.xml", "r9", "slide", "slides/slide2.xml"),
		"ppt/slides/slide1.xml", slide("End", "Thanks"),
		"ppt/slides/slide2.xml", slide("Begin", "Hello"),
		"ppt/slides/_rels/slide2.xml.rels", documentstest.Rels("r1", "notesSlide", "../notesSlides/n1.xml"),
		"ppt/notesSlides/n1.xml", `<p:notes><p:sp><a:p><a:t>Smile</a:t></a:p></p:sp></p:notes>`,
	))
	if err != nil {
		t.Fatal(err)
	}
	if got := pageTexts(d); d.Type != "pptx" || !slices.Equal(got, []string{"Begin\nHello\nSmile", "End\nThanks"}) || !slices.Equal(d.Headings, []string{"Begin", "End"}) {
		t.Errorf("%s: %q %q", d.Type, got, d.Headings)
	}
}

func TestOpenDocumentAndEPUBGiveTextInOrder(t *testing.T) {
	r := newReader(t, nil)
	odt, err := readFile(t, r, documentstest.Zip("mimetype", "application/vnd.oasis.opendocument.text",
		"meta.xml", `<office:meta><dc:title>Mills</dc:title><meta:initial-creator>Ada</meta:initial-creator></office:meta>`,
		"content.xml", `<office:body><text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h>Wind</text:h><text:p>It<text:s text:c="2"/>blows <text:a xlink:href="https://example.com/w">hard</text:a></text:p></office:body>`))
	if err != nil {
		t.Fatal(err)
	}
	if odt.Type != "odt" || odt.Title != "Mills" || odt.Author != "Ada" || odt.Text != "Wind\nIt blows hard" || len(odt.Links) != 1 {
		t.Errorf("%+v", odt)
	}
	epub, err := readFile(t, r, documentstest.Zip("mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>`,
		"OPS/book.opf", `<package><metadata><dc:title>A book</dc:title><dc:language>ru</dc:language></metadata><manifest><item id="b" href="two.xhtml" media-type="application/xhtml+xml"/><item id="a" href="one%20x.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>`,
		"OPS/one x.xhtml", `<html><head><title>no</title></head><body><h1>One</h1><p>first<br/>line</p></body></html>`,
		"OPS/two.xhtml", `<html><body><h1>Two</h1><script>no()</script><p>second</p></body></html>`))
	if err != nil {
		t.Fatal(err)
	}
	if got := pageTexts(epub); epub.Type != "epub" || epub.Lang != "ru" || epub.Title != "A book" || !slices.Equal(got, []string{"One\nfirst\nline", "Two\nsecond"}) {
		t.Errorf("%+v", epub)
	}
}

func TestRichTextIsReadInItsCodePages(t *testing.T) {
	r := newReader(t, nil)
	d, err := readFile(t, r, []byte(`{\rtf1\ansi\ansicpg1252\uc1{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset204 Times;}}`+
		`{\info{\title Mills}{\author Ada}{\creatim\yr2024\mo1\dy31}}{\*\generator no}`+
		`caf\'e9 {\f1 \'cc\'e8\'f0} \u8364?\par{\field{\*\fldinst{HYPERLINK "https://example.com/x"}}{\fldrslt there}}\par{\pict 0011}end\par}`))
	if err != nil {
		t.Fatal(err)
	}
	if d.Type != "rtf" || d.Title != "Mills" || d.Author != "Ada" || d.Created.Day() != 31 || d.Text != "café Мир €\nthere\nend" {
		t.Errorf("%+v", d)
	}
	if !reflect.DeepEqual(d.Links, []Link{{"https://example.com/x", "there"}}) {
		t.Errorf("links: %q", d.Links)
	}
}

// word97 is a Word file whose text stands in one piece of UTF-16.
func word97(text string) []byte {
	head := make([]byte, 1024)
	binary.LittleEndian.PutUint16(head, 0xa5ec)
	binary.LittleEndian.PutUint16(head[2:], 0xc1)
	units := documentstest.UTF16(text)
	pieces := make([]byte, 8+8)
	binary.LittleEndian.PutUint32(pieces[4:], uint32(len(units)/2))
	binary.LittleEndian.PutUint32(pieces[10:], 1024)
	clx := append([]byte{2, 16, 0, 0, 0}, pieces...)
	binary.LittleEndian.PutUint32(head[0x1a6:], uint32(len(clx)))
	return documentstest.OLE("WordDocument", string(head)+units, "0Table", string(clx))
}

func record(kind uint16, data string) string {
	b := binary.LittleEndian.AppendUint16(nil, kind)
	return string(binary.LittleEndian.AppendUint16(b, uint16(len(data)))) + data
}

func TestOfficeBefore2007GivesItsText(t *testing.T) {
	r := newReader(t, nil)
	d, err := readFile(t, r, word97("Мельница\rA \x13HYPERLINK \"https://example.com/m\" \x14mill\x15 grinds\r"))
	if err != nil || d.Type != "doc" || d.Text != "Мельница\nA mill grinds" || len(d.Links) != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	cell := "\x00\x00\x00\x00\x00\x00"
	book := record(0x809, "\x00\x06\x05\x00") + record(0x85, cell+"\x05\x00Grain") +
		record(0xfc, "\x01\x00\x00\x00\x01\x00\x00\x00\x03\x00\x00rye") + record(0x0a, "") +
		record(0x809, "\x00\x06\x10\x00") + record(0xfd, cell+"\x00\x00\x00\x00") + record(0x27e, "\x00\x00\x01\x00\x00\x00\x1e\x00\x00\x00") + record(0x0a, "")
	if d, err := readFile(t, r, documentstest.OLE("Workbook", book)); err != nil || d.Type != "xls" || d.Text != "Grain\nrye 7" {
		t.Errorf("%+v, %v", d, err)
	}
	atom := func(version, kind uint16, data string) string {
		b := binary.LittleEndian.AppendUint16(nil, version)
		b = binary.LittleEndian.AppendUint16(b, kind)
		return string(binary.LittleEndian.AppendUint32(b, uint32(len(data)))) + data
	}
	show := atom(0xf, 1000, atom(0xf, pptSlideList, atom(0, pptSlideStart, strings.Repeat("\x00", 20))+atom(0, pptChars, documentstest.UTF16("Ветер"))+atom(0, pptBytes, "blows\rhard")))
	if d, err := readFile(t, r, documentstest.OLE("PowerPoint Document", show)); err != nil || d.Type != "ppt" || d.Text != "Ветер\nblows\nhard" {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestAnArchiveThatUnpacksToTooMuchIsGivenUp(t *testing.T) {
	r := newReader(t, func(o *Options) { o.MaxUnpacked = 1 << 20; o.MaxText = 64 << 20 })
	bomb := documentstest.DOCX("", documentstest.Paragraph("", strings.Repeat("millstone ", 200_000)))
	if len(bomb) > 50_000 {
		t.Fatalf("a bomb of %d bytes", len(bomb))
	}
	if _, err := readFile(t, r, bomb); !errors.Is(err, ErrHeavy) {
		t.Errorf("unpacked: %v", err)
	}
	members := []string{"[Content_Types].xml", "<Types/>"}
	for range DefaultOptions().MaxEntries {
		members = append(members, "word/x", "")
	}
	if _, err := readFile(t, r, documentstest.Zip(members...)); !errors.Is(err, ErrHeavy) {
		t.Errorf("members: %v", err)
	}
	deep := documentstest.DOCX("", documentstest.Paragraph("", "seen")+strings.Repeat("<w:x>", 5000)+"<w:p><w:t>unseen</w:t></w:p>")
	if d, err := readFile(t, r, deep); err != nil || d.Text != "seen" {
		t.Errorf("deep: %+v, %v", d, err)
	}
}

func TestAFileOfPageBreaksHasBoundedPages(t *testing.T) {
	o := DefaultOptions()
	body := strings.Repeat(`<w:p><w:r><w:t>a</w:t><w:br w:type="page"/></w:r></w:p>`, 3*o.MaxPages)
	d, err := readFile(t, newReader(t, nil), documentstest.DOCX("", body))
	if err != nil || len(d.PageStarts) != o.MaxPages || d.Pages < 2*o.MaxPages {
		t.Errorf("%d beginnings of %d pages, %v", len(d.PageStarts), d.Pages, err)
	}
}

func TestTheTextEndsAtItsCapAndPagesInsideIt(t *testing.T) {
	r := newReader(t, func(o *Options) { o.MaxText = 100 })
	pages := slices.Repeat([]string{"Thirty letters and some more ёё"}, 9)
	d, err := readFile(t, r, documentstest.PDF(documentstest.PDFOptions{}, pages...))
	if err != nil || len(d.Text) > 100 || !d.Cut {
		t.Fatalf("%d bytes, cut %v, %v", len(d.Text), d.Cut, err)
	}
	for _, at := range d.PageStarts {
		if int(at) >= len(d.Text) {
			t.Errorf("page at %d of %d", at, len(d.Text))
		}
	}
}

func TestWhatAFileIsItsBytesSay(t *testing.T) {
	for _, c := range []struct {
		head, contentType string
		want              schema.FileFamily
	}{
		{"%PDF-1.7", "text/html", schema.PDF},
		{"\xef\xbb\xbf\r\n%PDF-1.7", "", schema.PDF},
		{"junk %PDF-1.7", "application/pdf", schema.PDF},
		{"<p>about %PDF-1.7", "text/html", schema.NoFile},
		{`{\rtf1`, "application/msword", schema.RTF},
		{string(documentstest.DOCX("", "")), "application/octet-stream", schema.Zip},
		{string(documentstest.Zip("classes/Main.class", "x")), "application/java-archive", schema.NoFile},
		{"<html>", "application/pdf", schema.NoFile},
	} {
		if got := schema.FamilyOf([]byte(c.head), c.contentType); got != c.want {
			t.Errorf("%.20q as %s: %q, not %q", c.head, c.contentType, got, c.want)
		}
	}
}

func TestTheSameFileGivesTheSameDocument(t *testing.T) {
	r := newReader(t, nil)
	for _, body := range [][]byte{
		documentstest.PDF(documentstest.PDFOptions{Title: "T"}, "# Head\none\ntwo", "three"),
		documentstest.DOCX("T", documentstest.Paragraph("H1", "x")), word97("a\rb"),
	} {
		first, err := readFile(t, r, body)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if again, err := readFile(t, r, bytes.Clone(body)); err != nil || !reflect.DeepEqual(first, again) {
				t.Errorf("%+v, then %+v (%v)", first, again, err)
			}
		}
	}
}
