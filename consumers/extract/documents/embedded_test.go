package documents

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"millrace/consumers/extract/documents/documentstest"
)

// packed wraps a file as Windows' packager does.
func packed(name, data string) string {
	size := func(n int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }
	return size(0) + "\x02\x00" + name + "\x00C:\\secret\\" + name + "\x00\x00\x00\x03\x00" + size(3) + "C:\x00" + size(len(data)) + data
}

func TestFilesInsideADocumentAreRead(t *testing.T) {
	r := newReader(t, nil)
	zipped := documentstest.Zip("a/note.txt", "a note in an archive", "a/deep.zip", string(documentstest.Zip("deep.txt", "na\xefve text further down")), "a/run.exe", "MZ binary")
	body := documentstest.DOCX("t", documentstest.Paragraph("", "The letter itself"),
		"word/embeddings/oleObject1.bin", string(documentstest.OLE("Ole10Native", packed("bundle.zip", string(zipped)))),
		"word/embeddings/sheet.docx", string(documentstest.DOCX("inner", documentstest.Paragraph("", "The enclosed letter"))))
	d, err := readFile(t, r, body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"The letter itself", "bundle.zip", "a note in an archive", "naïve text further down", "The enclosed letter"} {
		if !strings.Contains(d.Text, want) {
			t.Errorf("%q is not in %q", want, d.Text)
		}
	}
	for _, not := range []string{"secret", "MZ"} {
		if strings.Contains(d.Text, not) {
			t.Errorf("%q is in %q", not, d.Text)
		}
	}
}

// TestFilesInsideFilesComeToAnEnd: nesting and all that is unpacked are bounded by the outermost
// file.
func TestFilesInsideFilesComeToAnEnd(t *testing.T) {
	r := newReader(t, func(o *Options) { o.MaxUnpacked = 1 << 20 })
	body := string(documentstest.Zip("x.txt", "the innermost text"))
	for range 40 {
		body = string(documentstest.Zip("a.zip", body, "b.txt", "beside it"))
	}
	d, err := readFile(t, r, documentstest.DOCX("t", documentstest.Paragraph("", "Outside"), "word/embeddings/a.zip", body))
	if err != nil || !strings.Contains(d.Text, "Outside") || strings.Contains(d.Text, "innermost") {
		t.Errorf("%+v, %v", d, err)
	}
	bomb := string(documentstest.Zip("x.txt", strings.Repeat("again ", 1<<18)))
	if d, err = readFile(t, r, documentstest.DOCX("t", documentstest.Paragraph("", "Outside"), "word/embeddings/a.zip", bomb)); err == nil && len(d.Text) > 1<<20 {
		t.Errorf("%d bytes of text", len(d.Text))
	} else if err != nil && !errors.Is(err, ErrHeavy) {
		t.Error(err)
	}
}

func TestWordFilesTellWhereTheyTakeThingsFromAndWhoSaysWhat(t *testing.T) {
	r := newReader(t, nil)
	d, err := readFile(t, r, documentstest.Zip(
		"_rels/.rels", documentstest.Rels("r1", "officeDocument", "word/document.xml"),
		"docProps/core.xml", `<cp:coreProperties xmlns:cp="c"><cp:keywords>weirs, sluices</cp:keywords></cp:coreProperties>`,
		"word/_rels/document.xml.rels", `<Relationships><Relationship Id="r2" Type="x/comments" Target="comments.xml"/><Relationship Id="r3" Type="x/settings" Target="settings.xml"/>`+
			`<Relationship Id="r4" Type="x/subDocument" TargetMode="External" Target="https://example.com/chapter"/></Relationships>`,
		"word/_rels/settings.xml.rels", `<Relationships><Relationship Id="r1" Type="x/attachedTemplate" TargetMode="External" Target="https://example.com/template"/></Relationships>`,
		"word/settings.xml", "<w:settings/>",
		"word/comments.xml", `<w:comments><w:comment w:author="Kim Reader"><w:p><w:r><w:t>too long</w:t></w:r></w:p></w:comment></w:comments>`,
		"word/document.xml", `<w:document><w:body><w:p><w:drawing><wp:docPr descr="C:\pictures\weir.jpg"/></w:drawing><w:r><w:t>Text</w:t></w:r>`+
			`<w:fldChar w:fldCharType="begin"/><w:instrText> INCLUDETEXT "https://example.com/part" </w:instrText><w:fldChar w:fldCharType="end"/></w:p></w:body></w:document>`))
	if err != nil {
		t.Fatal(err)
	}
	if want := "weir.jpg Text\nKim Reader: too long\nweirs, sluices"; d.Text != want {
		t.Errorf("text %q, want %q", d.Text, want)
	}
	var links []string
	for _, l := range d.Links {
		links = append(links, strings.TrimPrefix(l.URL, "https://example.com/"))
	}
	if got := strings.Join(links, " "); got != "part chapter template" {
		t.Errorf("links %q", got)
	}
}
