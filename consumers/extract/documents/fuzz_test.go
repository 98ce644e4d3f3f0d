package documents

import (
	"context"
	"errors"
	"testing"
	"time"
	"unicode/utf8"

	"millrace/consumers/extract/documents/documentstest"
	"millrace/schema"
)

// check wants a document that keeps the promises of the package, or one of its errors.
func check(t *testing.T, o Options, d *Document, err error) {
	t.Helper()
	if err != nil {
		for _, known := range []error{ErrUnknown, ErrEncrypted, ErrNoText, ErrHeavy, ErrBroken} {
			if errors.Is(err, known) {
				return
			}
		}
		t.Fatalf("an error of another kind: %v", err)
	}
	if len(d.Text) > o.MaxText || !utf8.ValidString(d.Text) || !utf8.ValidString(d.Title) || len(d.Links) > o.MaxLinks || len(d.Headings) > o.MaxHeadings {
		t.Fatalf("%d bytes, %d links, %d headings, title %q", len(d.Text), len(d.Links), len(d.Headings), d.Title)
	}
	last := int32(0)
	for _, at := range d.PageStarts {
		if at < last || int(at) >= len(d.Text) || !utf8.RuneStart(d.Text[at]) {
			t.Fatalf("pages %v of %d bytes", d.PageStarts, len(d.Text))
		}
		last = at
	}
}

// small bounds what a case may cost.
func small() Options {
	o := DefaultOptions()
	o.MaxText, o.MaxUnpacked, o.Timeout = 64<<10, 1<<20, 5*time.Second
	return o
}

func fuzzed(f *testing.F, family schema.FileFamily, seeds ...[]byte) {
	for _, s := range seeds {
		f.Add(s)
	}
	o := small()
	o.CacheDir = compiled
	r, err := New(o)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(r.Close)
	if family == schema.PDF { // compiled before the first case: the fuzzer gives a case ten seconds
		if _, err := r.Read(f.Context(), schema.PDF, documentstest.PDF(documentstest.PDFOptions{}, "text")); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := r.read(context.Background(), family, body)
		check(t, o, d, err)
	})
}

func FuzzPDF(f *testing.F) {
	fuzzed(f, schema.PDF, documentstest.PDF(documentstest.PDFOptions{Title: "T", Links: []string{"http://a.test/"}, Outline: []string{"o"}}, "one\ntwo", ""))
}

func FuzzRTF(f *testing.F) {
	fuzzed(f, schema.RTF, []byte(`{\rtf1\ansicpg1251{\fonttbl{\f1\fcharset204 x;}}{\f1 \'cc\u8364?}\bin3 abc{\field{\*\fldinst HYPERLINK "http://a.test"}{\fldrslt x}}\par}`))
}

func FuzzOLE(f *testing.F) {
	fuzzed(f, schema.OLE, numbered97(), word97("a\x13HYPERLINK \"http://a.test\"\x14b\x15\r"), documentstest.OLE("Workbook", record(0x809, "\x00\x06\x05\x00")), documentstest.OLE("PowerPoint Document", "\x0f\x00\xe8\x03"))
}

// FuzzParts writes the case into the parts of each kind of archive: what zip protects would keep
// the fuzzer out.
func FuzzParts(f *testing.F) {
	f.Add([]byte(documentstest.Paragraph("H1", "text")))
	f.Add([]byte(`<sst><si><t>x</t></si></sst>`))
	f.Add([]byte(`<row><c t="s" s="1"><v>0</v></c><c><v>1e300</v></c></row>`))
	f.Add([]byte(binaryCell(5, 1, "\xff\xff\xff\xff\xff\xff\xff\x7f") + binaryRecord(479, "\x00\x00"+binaryText("&")) + binaryRecord(62, "")))
	f.Add([]byte(`<text:p>x<text:s text:c="9"/></text:p><html><h1>x`))
	o := small()
	r, err := New(o)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(r.Close)
	f.Fuzz(func(t *testing.T, body []byte) {
		s := string(body)
		for _, file := range [][]byte{
			documentstest.DOCX(s, s, "word/footnotes.xml", s, "word/numbering.xml", s),
			documentstest.Zip("_rels/.rels", documentstest.Rels("r1", "officeDocument", "xl/workbook.xml"), "xl/workbook.xml", `<sheet name="a" r:id="r1"/>`+s,
				"xl/_rels/workbook.xml.rels", documentstest.Rels("r1", "worksheet", "s.xml", "r2", "sharedStrings", "t.xml", "r3", "styles", "y.xml"), "xl/s.xml", s, "xl/t.xml", s, "xl/y.xml", s),
			documentstest.Zip("_rels/.rels", documentstest.Rels("r1", "officeDocument", "ppt/presentation.xml"), "ppt/presentation.xml", `<p:sldId id="1" r:id="r1"/>`+s,
				"ppt/_rels/presentation.xml.rels", documentstest.Rels("r1", "slide", "s.xml"), "ppt/s.xml", s, "ppt/_rels/s.xml.rels", s),
			documentstest.Zip("_rels/.rels", documentstest.Rels("r1", "officeDocument", "xl/workbook.bin"), "xl/workbook.bin", binaryRecord(156, "\x00\x00\x00\x00\x01\x00\x00\x00"+binaryText("r1")+binaryText("a"))+s,
				"xl/_rels/workbook.bin.rels", documentstest.Rels("r1", "worksheet", "s", "r2", "sharedStrings", "t", "r3", "styles", "y"), "xl/s", s, "xl/t", s, "xl/y", s),
			documentstest.Zip("mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", s, "meta.xml", s, "styles.xml", s),
			documentstest.Zip("mimetype", "application/epub+zip", "META-INF/container.xml", `<rootfile full-path="b"/>`, "b", `<item id="a" href="c" media-type="html"/><itemref idref="a"/>`+s, "c", s),
		} {
			d, err := r.read(context.Background(), schema.Zip, file)
			check(t, o, d, err)
		}
	})
}

func FuzzArchive(f *testing.F) {
	fuzzed(f, schema.Zip, documentstest.DOCX("t", documentstest.Paragraph("", "text")), documentstest.Zip("mimetype", "application/epub+zip"))
}
