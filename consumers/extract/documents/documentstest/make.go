// Package documentstest makes small files for tests: PDF, Office, OpenDocument, EPUB and compound
// files, byte by byte, so that no file of others is needed.
//
// Limits: what is made is the least that the formats ask for.
package documentstest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
)

// PDFOptions are what a PDF states.
type PDFOptions struct {
	Title, Author, Created string   // Created is a PDF date: D:20240131120000Z
	Links                  []string // link annotations on the first page
	Outline                []string // bookmarks
	Encrypted              bool     // with a password that nobody knows
}

// PDF makes a PDF with a page for each text; a line feed begins a new line. A page "" is empty, as
// a scan is.
func PDF(o PDFOptions, pages ...string) []byte {
	b := &pdf{}
	pageIDs := make([]string, len(pages))
	const catalog, tree, font, info = 1, 2, 3, 4
	next := 5
	objects := map[int]string{font: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
	add := func(s string) int { objects[next] = s; next++; return next - 1 }
	for i, text := range pages {
		content := add(stream(pageContent(text)))
		annots := ""
		if i == 0 {
			for k, l := range o.Links {
				n := add(fmt.Sprintf("<< /Type /Annot /Subtype /Link /Rect [70 %d 200 %d] /A << /S /URI /URI (%s) >> >>", 700-20*k, 712-20*k, l))
				annots += fmt.Sprintf(" %d 0 R", n)
			}
		}
		pageIDs[i] = fmt.Sprintf("%d 0 R", add(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> /Annots [%s ] >>", content, annots)))
	}
	objects[tree] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(pageIDs, " "), len(pages))
	outlines := ""
	if len(o.Outline) > 0 {
		root, first := next, next+1
		next++
		for k, t := range o.Outline {
			link := ""
			if k+1 < len(o.Outline) {
				link = fmt.Sprintf("/Next %d 0 R", first+k+1)
			}
			add(fmt.Sprintf("<< /Title (%s) /Parent %d 0 R %s >>", t, root, link))
		}
		objects[root] = fmt.Sprintf("<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>", first, next-1, len(o.Outline))
		outlines = fmt.Sprintf("/Outlines %d 0 R", root)
	}
	objects[catalog] = "<< /Type /Catalog /Pages 2 0 R " + outlines + " /Lang (en-GB) >>"
	objects[info] = fmt.Sprintf("<< /Title (%s) /Author (%s) /CreationDate (%s) >>", o.Title, o.Author, o.Created)
	trailer := "/Info 4 0 R"
	if o.Encrypted {
		key := strings.Repeat("41", 32)
		n := add("<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + key + "> /U <" + key + "> >>")
		trailer += fmt.Sprintf(" /Encrypt %d 0 R /ID [<41><41>]", n)
	}
	return b.write(objects, next, trailer)
}

type pdf struct{ bytes.Buffer }

func (b *pdf) write(objects map[int]string, n int, trailer string) []byte {
	b.WriteString("%PDF-1.4\n")
	at := make([]int, n)
	for i := 1; i < n; i++ {
		at[i] = b.Len()
		fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", i, objects[i])
	}
	xref := b.Len()
	fmt.Fprintf(b, "xref\n0 %d\n0000000000 65535 f \n", n)
	for i := 1; i < n; i++ {
		fmt.Fprintf(b, "%010d 00000 n \n", at[i])
	}
	fmt.Fprintf(b, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", n, trailer, xref)
	return b.Bytes()
}

func stream(s string) string {
	return fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(s), s)
}

func pageContent(text string) string {
	if text == "" {
		return "0 0 10 10 re f"
	}
	var b strings.Builder
	b.WriteString("BT /F1 12 Tf 72 702 Td 20 TL\n")
	for line := range strings.SplitSeq(text, "\n") {
		size := 12
		if after, large := strings.CutPrefix(line, "# "); large {
			line, size = after, 20
		}
		fmt.Fprintf(&b, "/F1 %d Tf (%s) Tj T*\n", size, strings.NewReplacer("(", `\(`, ")", `\)`, `\`, `\\`).Replace(line))
	}
	b.WriteString("ET")
	return b.String()
}

// Zip packs members in the order given: name, content, name, content.
func Zip(members ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i+1 < len(members); i += 2 {
		if w, err := z.Create(members[i]); err == nil {
			_, _ = w.Write([]byte(members[i+1])) // memory takes everything
		}
	}
	_ = z.Close()
	return b.Bytes()
}

const relNS = `xmlns="http://schemas.openxmlformats.org/package/2006/relationships"`

// Rels makes a relationships part: id, kind, target, and so on. A target with a scheme is outside.
func Rels(list ...string) string {
	var b strings.Builder
	b.WriteString("<Relationships " + relNS + ">")
	for i := 0; i+2 < len(list); i += 3 {
		fmt.Fprintf(&b, `<Relationship Id="%s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/>`, list[i], list[i+1], list[i+2])
	}
	return b.String() + "</Relationships>"
}

// Core makes docProps/core.xml.
func Core(title, author, created string) string {
	return `<cp:coreProperties xmlns:dc="d" xmlns:dcterms="t" xmlns:cp="c"><dc:title>` + title + `</dc:title><dc:creator>` + author +
		`</dc:creator><dcterms:created>` + created + `</dcterms:created></cp:coreProperties>`
}

// DOCX makes a Word file with a body of WordprocessingML. The link r7 leads to
// https://example.com/far.
func DOCX(title, body string, more ...string) []byte {
	return Zip(append([]string{
		"[Content_Types].xml", "<Types/>",
		"_rels/.rels", Rels("r1", "officeDocument", "word/document.xml"),
		"docProps/core.xml", Core(title, "Ada Writer", "2024-01-31T12:00:00Z"),
		"word/_rels/document.xml.rels", Rels("r2", "styles", "styles.xml", "r3", "footnotes", "footnotes.xml", "r4", "numbering", "numbering.xml", "r7", "hyperlink", "https://example.com/far"),
		"word/styles.xml", `<w:styles><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>`,
		"word/document.xml", `<w:document xmlns:w="w" xmlns:r="r"><w:body>` + body + `</w:body></w:document>`,
	}, more...)...)
}

// Paragraph is a paragraph of WordprocessingML in a style; "" is none.
func Paragraph(style, text string) string {
	if style != "" {
		style = `<w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>`
	}
	return "<w:p>" + style + "<w:r><w:t>" + text + "</w:t></w:r></w:p>"
}

// OLE makes a compound file (MS-CFB) with streams: name, content, and so on. Each is padded to 4
// KiB, so that none lies in the mini stream.
func OLE(streams ...string) []byte {
	const sector = 512
	var data []byte
	dir := []byte(entry("Root Entry", 5, 1, -2, 0))
	fat := []int32{-3}
	fat = append(fat, -2) // the directory
	dirSectors := (1 + len(streams)/2 + 3) / 4
	for range dirSectors - 1 {
		fat[len(fat)-1] = int32(len(fat))
		fat = append(fat, -2)
	}
	for i := 0; i+1 < len(streams); i += 2 {
		body := append([]byte(streams[i+1]), make([]byte, (4096+sector-len(streams[i+1])%sector)%(4096+sector))...)
		for len(body)%sector != 0 || len(body) < 4096 {
			body = append(body, 0)
		}
		start := len(fat)
		for k := range len(body) / sector {
			fat = append(fat, int32(start+k+1))
		}
		fat[len(fat)-1] = -2
		right := int32(-1)
		if i+3 < len(streams) {
			right = int32(i/2 + 2)
		}
		dir = append(dir, entry(streams[i], 2, right, int32(start), len(body))...)
		data = append(data, body...)
	}
	for len(dir)%sector != 0 {
		dir = append(dir, 0)
	}
	head := make([]byte, sector)
	copy(head, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	for at, v := range map[int]uint16{24: 0x3e, 26: 3, 28: 0xfffe, 30: 9, 32: 6} {
		binary.LittleEndian.PutUint16(head[at:], v)
	}
	for at, v := range map[int]int32{44: 1, 48: 1, 56: 4096, 60: -2, 68: -2} {
		binary.LittleEndian.PutUint32(head[at:], uint32(v))
	}
	for i := range 109 {
		binary.LittleEndian.PutUint32(head[76+4*i:], 0xffffffff)
	}
	binary.LittleEndian.PutUint32(head[76:], 0)
	table := make([]byte, sector)
	for i := range sector / 4 {
		v := int32(-1)
		if i < len(fat) {
			v = fat[i]
		}
		binary.LittleEndian.PutUint32(table[4*i:], uint32(v))
	}
	return bytes.Join([][]byte{head, table, dir, data}, nil)
}

// entry is a directory entry. The root's child is the entry after it.
func entry(name string, kind byte, right, start int32, size int) string {
	b := make([]byte, 128)
	units := utf16.Encode([]rune(name))
	for i, u := range units {
		binary.LittleEndian.PutUint16(b[2*i:], u)
	}
	binary.LittleEndian.PutUint16(b[64:], uint16(2*len(units)+2))
	b[66], b[67] = kind, 1
	none := int32(-1)
	child := none
	if kind == 5 {
		child, right = right, none
	}
	for at, v := range map[int]int32{68: none, 72: right, 76: child, 116: start, 120: int32(size)} {
		binary.LittleEndian.PutUint32(b[at:], uint32(v))
	}
	return string(b)
}

// UTF16 encodes a text as the binary formats have it.
func UTF16(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return string(b)
}
