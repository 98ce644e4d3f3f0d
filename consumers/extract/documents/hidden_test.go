package documents

import (
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
		"a note":      {documentstest.Zip("mimetype", "application/vnd.oasis.opendocument.text", "content.xml", `<office:body><text:p>wind<text:note><text:note-body><text:p>note</text:p></text:note-body></text:note></text:p></office:body>`), "wind note"},
		"empty script": {documentstest.Zip("mimetype", "application/epub+zip", "META-INF/container.xml", `<rootfile full-path="b"/>`, "b", `<item id="a" href="c" media-type="application/xhtml+xml"/><itemref idref="a"/>`,
			"c", `<html><head><title/><script src="x.js"/></head><body><p>first</p><script/><p>second</p></body></html>`), "first\nsecond"},
	} {
		if d, err := readFile(t, r, c.body); err != nil || d.Text != c.want {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	r.Close() // and once more at the end of the test
}
