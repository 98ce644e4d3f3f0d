package documentstest

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
)

// Hostile is a file that was made to do harm.
type Hostile struct {
	Name string
	Make func() []byte
	Want string // the text, if it has one; "cut" = the beginning of much, "?" = any of these; else the reason: encrypted, no text, heavy, broken, unknown
}

// HostileFiles are files that ask for more time, memory or depth than a document may have, that
// contain themselves, or that lie about what they are. Some have a text nevertheless. What they
// have much of they have n times; Want holds for 1.
func HostileFiles(n int) []Hostile {
	return append(append(hostilePDFs(n), hostileArchives(n)...), hostileOthers(n)...)
}

// RawPDF makes a PDF of objects, the first of which is number 1; trailer is added to the trailer,
// which names object 1 as the catalog.
func RawPDF(trailer string, objects ...string) []byte {
	byNumber := map[int]string{}
	for i, o := range objects {
		byNumber[i+1] = o
	}
	return (&pdf{}).write(byNumber, len(objects)+1, trailer)
}

const (
	catalog  = "<< /Type /Catalog /Pages 2 0 R >>"
	onePage  = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
	thePage  = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
	helvetia = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
)

// plainPDF is a PDF of one page whose content is a stream object.
func plainPDF(trailer, content string, more ...string) []byte {
	return RawPDF(trailer, append([]string{catalog, onePage, thePage, content, helvetia}, more...)...)
}

func hostilePDFs(n int) []Hostile {
	seen := stream(pageContent("seen"))
	return []Hostile{
		{"pdf: a tree of pages that is deep", func() []byte {
			list := []string{catalog}
			for i := range 2000 * n {
				list = append(list, fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", i+3))
			}
			last := len(list)
			list = append(list, fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 %d 0 R >> >> >>", last, last+2, last+3), seen, helvetia)
			return RawPDF("", list...)
		}, "no text"},
		{"pdf: pages that contain themselves", func() []byte {
			return RawPDF("", catalog, "<< /Type /Pages /Kids [2 0 R 3 0 R 2 0 R] /Count 3 >>", thePage, seen, helvetia)
		}, "seen"},
		{"pdf: a billion pages, says the tree", func() []byte {
			return RawPDF("", catalog, "<< /Type /Pages /Kids [3 0 R] /Count 1000000000 >>", thePage, seen, helvetia)
		}, "seen"},
		{"pdf: a table of objects that comes before itself", func() []byte {
			b := plainPDF("", seen)
			at := bytes.LastIndex(b, []byte("xref\n0"))
			return bytes.Replace(b, []byte("/Root"), fmt.Appendf(nil, "/Prev %d /Root", at), 1)
		}, "seen"},
		{"pdf: sizes that are not there", func() []byte {
			b := plainPDF("", strings.Replace(seen, "/Length ", "/Length 99999999", 1))
			return bytes.Replace(b, []byte("/Size 6"), []byte("/Size 2147483647"), 1)
		}, "seen"},
		{"pdf: a stream packed five times", func() []byte {
			content := bytes.Repeat([]byte(" "), n<<20)
			for range 5 {
				content = deflated(content)
			}
			return plainPDF("", fmt.Sprintf("<< /Length %d /Filter [%s] >>\nstream\n%s\nendstream", len(content), strings.Repeat("/FlateDecode ", 5), content))
		}, "no text"},
		{"pdf: very many filters", func() []byte {
			return plainPDF("", "<< /Length 2 /Filter ["+strings.Repeat("/ASCIIHexDecode ", 5000*n)+"] >>\nstream\n20\nendstream")
		}, "no text"},
		{"pdf: a form that draws itself", func() []byte {
			form := "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> /Length 11 >>\nstream\n/X Do /X Do\nendstream"
			return RawPDF("", catalog, onePage, strings.Replace(thePage, "/Font", "/XObject << /X 6 0 R >> /Font", 1), stream(pageContent("seen")+" /X Do"), helvetia, form)
		}, "seen"},
		{"pdf: arrays that are deep", func() []byte {
			return RawPDF("", catalog, onePage, strings.Replace(thePage, "/MediaBox", "/X "+strings.Repeat("[", 10_000*n)+" /MediaBox", 1), seen, helvetia)
		}, "no text"},
		{"pdf: bookmarks in a circle", func() []byte {
			return RawPDF("", strings.Replace(catalog, "/Pages", "/Outlines 6 0 R /Pages", 1), onePage, thePage, seen, helvetia,
				"<< /First 7 0 R /Last 7 0 R /Count 2 >>", "<< /Title (mark) /Parent 6 0 R /Next 7 0 R /First 6 0 R >>")
		}, "seen"},
		{"pdf: one content very many times", func() []byte {
			return RawPDF("", catalog, onePage, strings.Replace(thePage, "4 0 R", "["+strings.Repeat("4 0 R ", 500*n)+"]", 1), seen, helvetia)
		}, "seen"},
		{"pdf: encrypted with an empty password", func() []byte { return emptyPassword("open") }, "open"},
		{"pdf: only a head", func() []byte { return []byte("%PDF-1.7\n" + strings.Repeat("startxref 9\n%%EOF\n", 1000*n)) }, "broken"},
	}
}

func deflated(b []byte) []byte {
	var out bytes.Buffer
	w, _ := zlib.NewWriterLevel(&out, zlib.BestSpeed) // the level is valid
	_, _ = w.Write(b)                                 // memory takes everything
	_ = w.Close()
	return out.Bytes()
}

// emptyPassword is a PDF that is encrypted with the password that is empty, so that everybody may
// open it (ISO 32000-1, 7.6.3, revision 2).
func emptyPassword(text string) []byte {
	const padding = "\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a"
	coded := func(key []byte, s string) string {
		c, _ := rc4.NewCipher(key) // the length is valid
		out := make([]byte, len(s))
		c.XORKeyStream(out, []byte(s))
		return string(out)
	}
	ofOwner := md5.Sum([]byte(padding))
	owner := coded(ofOwner[:5], padding)
	sum := md5.Sum([]byte(padding + owner + "\xfc\xff\xff\xff" + "A"))
	key := sum[:5]
	ofObject := md5.Sum(append(bytes.Clone(key), 4, 0, 0, 0, 0)) // object 4, the content
	content := coded(ofObject[:10], pageContent(text))
	return plainPDF("/Encrypt 6 0 R /ID [<41><41>]", stream(content), fmt.Sprintf("<< /Filter /Standard /V 1 /R 2 /P -4 /O <%x> /U <%x> >>", owner, coded(key, padding)))
}

func hostileArchives(n int) []Hostile {
	part := Paragraph("", "seen")
	return []Hostile{
		{"zip: very many members", func() []byte { return memberList(20_000 * n) }, "heavy"},
		{"zip: a list that says it has 2^40 members", func() []byte {
			b := DOCX("", part)
			end := bytes.LastIndex(b, []byte("PK\x05\x06"))
			at := binary.LittleEndian.Uint32(b[end+16:])
			size := binary.LittleEndian.Uint32(b[end+12:])
			wide := binary.LittleEndian.AppendUint64([]byte("PK\x06\x06"), 44)
			wide = append(wide, 45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0)
			for _, v := range []uint64{1 << 40, 1 << 40, uint64(size), uint64(at)} {
				wide = binary.LittleEndian.AppendUint64(wide, v)
			}
			wide = append(append(wide, "PK\x06\x07\x00\x00\x00\x00"...), binary.LittleEndian.AppendUint64(nil, uint64(end))...)
			wide = append(wide, 1, 0, 0, 0)
			tail := append([]byte("PK\x05\x06\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), 0, 0)
			return append(append(b[:end:end], wide...), tail...)
		}, "seen"},
		{"zip: a member that says it is small", func() []byte { return smallSaid(n) }, "broken"},
		{"zip: members that are one", func() []byte { return overlapping(50 * n) }, "heavy"},
		{"docx: entities of entities", func() []byte {
			var dtd strings.Builder
			for i := 'b'; i <= 'k'; i++ {
				fmt.Fprintf(&dtd, "<!ENTITY %c %q>", i, strings.Repeat(fmt.Sprintf("&%c;", i-1), 10))
			}
			return rawDOCX(`<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">` + dtd.String() + `]><w:body>` + part + Paragraph("", "&k;") + "</w:body>")
		}, "seen\n&k;"},
		{"docx: an entity from a file", func() []byte {
			return rawDOCX(`<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:body>` + part + Paragraph("", "&x;") + "</w:body>")
		}, "seen\n&x;"},
		{"docx: elements that are deep", func() []byte { return DOCX("", part+strings.Repeat("<w:x>", 50_000*n)) }, "seen"},
		{"docx: very many attributes", func() []byte {
			return DOCX("", part+"<w:p "+strings.Repeat(`a="b" `, 50_000*n)+"/>")
		}, "seen"},
		{"docx: a comment that does not end", func() []byte { return DOCX("", part+"<!--"+strings.Repeat("x", 9<<20)) }, "heavy"},
		{"docx: headers that are the text", func() []byte {
			return DOCX("", part, "word/_rels/footnotes.xml.rels", Rels("r1", "footnotes", "document.xml"), "word/footnotes.xml", "<w:p><w:r><w:t>note</w:t></w:r></w:p>")
		}, "seen\nnote"},
		{"docx: types that are those of a picture", func() []byte {
			return Zip("[Content_Types].xml", `<Types><Default Extension="xml" ContentType="image/png"/></Types>`, "word/document.xml", "<w:body>"+part+"</w:body>")
		}, "seen"},
		{"docx: the text is a picture", func() []byte {
			return Zip("[Content_Types].xml", "<Types/>", "word/document.xml", "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")
		}, "broken"},
		{"docx: twelve archives in each other", func() []byte {
			b := DOCX("", part)
			for range 12 {
				b = DOCX("", part, "word/embeddings/a.docx", string(b))
			}
			return b
		}, strings.Repeat("seen\n", 10) + "seen"},
		{"xlsx: a row at the end of the world", func() []byte {
			return Zip("_rels/.rels", Rels("r1", "officeDocument", "xl/workbook.xml"), "xl/workbook.xml", strings.Repeat(`<sheet name="a" r:id="r1"/>`, 1000*n),
				"xl/_rels/workbook.xml.rels", Rels("r1", "worksheet", "s.xml"),
				"xl/s.xml", `<cols>`+strings.Repeat(`<col min="9" max="2147483647" hidden="1"/>`, 20*n)+`</cols><row r="4294967295"><c r="ZZZZZZZZ1" t="s"><v>99999999999999999999</v></c><c r="A1"><v>1e999</v></c></row>`)
		}, "?"},
		{"pptx: a slide whose chart is the slide", func() []byte {
			return Zip("_rels/.rels", Rels("r1", "officeDocument", "ppt/presentation.xml"), "ppt/presentation.xml", `<p:sldId id="1" r:id="r1"/>`,
				"ppt/_rels/presentation.xml.rels", Rels("r1", "slide", "s.xml"), "ppt/s.xml", "<p:sld><a:p><a:t>seen</a:t></a:p></p:sld>", "ppt/_rels/s.xml.rels", Rels("r1", "drawing", "s.xml", "r2", "chart", "s.xml"))
		}, "seen\nseen\nseen\nseen\nseen"},
		{"ods: two billion columns and spaces", func() []byte {
			return Zip("mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", `<table:table table:name="a">`+
				strings.Repeat(`<table:table-column table:number-columns-repeated="2147483647" table:visibility="collapse"/>`, 1000)+
				`<table:table-row table:number-rows-repeated="2147483647"><table:table-cell table:number-columns-repeated="2147483647"><text:p>x<text:s text:c="2147483647"/></text:p></table:table-cell></table:table-row></table:table>`)
		}, "a"},
		{"epub: one chapter very many times", func() []byte {
			return Zip("mimetype", "application/epub+zip", "META-INF/container.xml", `<rootfile full-path="b"/>`,
				"b", `<item id="a" href="c" media-type="html"/>`+strings.Repeat(`<itemref idref="a"/>`, 100*n), "c", "<p>"+strings.Repeat("word ", 4000))
		}, "cut"},
		{"epub: a package that is its own chapter", func() []byte {
			return Zip("mimetype", "application/epub+zip", "META-INF/container.xml", `<rootfile full-path="b"/>`, "b", `<item id="a" href="b" media-type="html"/><itemref idref="a"/><p>seen</p>`)
		}, "seen"},
	}
}

// rawDOCX is a Word file whose text part is given as a whole.
func rawDOCX(document string) []byte {
	return Zip("[Content_Types].xml", "<Types/>", "word/document.xml", document)
}

// memberList is a list of n empty members without the members.
func memberList(n int) []byte {
	const first = "word/x"
	b := append([]byte("PK\x03\x04"), make([]byte, 26)...)
	b[26] = byte(len(first))
	b = append(b, first...)
	at := len(b)
	entry := append([]byte("PK\x01\x02"), make([]byte, 42)...)
	entry[28] = 1
	b = append(b, bytes.Repeat(append(entry, 'x'), n)...)
	end := append([]byte("PK\x05\x06"), make([]byte, 18)...)
	binary.LittleEndian.PutUint16(end[8:], 0xffff)
	binary.LittleEndian.PutUint16(end[10:], 0xffff)
	binary.LittleEndian.PutUint32(end[12:], uint32(len(b)-at))
	binary.LittleEndian.PutUint32(end[16:], uint32(at))
	return append(b, end...)
}

// zipMember is a member of an archive that is written byte by byte.
type zipMember struct {
	name       string
	packed     []byte
	sum        uint32
	size       int // as it says
	at         int // of another member's head, if not 0
	compressed bool
}

// rawZip writes members as they say they are.
func rawZip(members ...zipMember) []byte {
	var body, list []byte
	for _, m := range members {
		head := make([]byte, 26) // from the version on
		if m.compressed {
			head[4] = 8
		}
		binary.LittleEndian.PutUint32(head[10:], m.sum)
		binary.LittleEndian.PutUint32(head[14:], uint32(len(m.packed)))
		binary.LittleEndian.PutUint32(head[18:], uint32(m.size))
		binary.LittleEndian.PutUint16(head[22:], uint16(len(m.name)))
		at := m.at
		if at == 0 {
			at = len(body)
			body = append(append(append(append(body, "PK\x03\x04"...), head...), m.name...), m.packed...)
		}
		list = append(append(append(list, "PK\x01\x02\x14\x00"...), head...), make([]byte, 10)...)
		list = append(binary.LittleEndian.AppendUint32(list, uint32(at)), m.name...)
	}
	end := append([]byte("PK\x05\x06"), make([]byte, 18)...)
	binary.LittleEndian.PutUint16(end[8:], uint16(len(members)))
	binary.LittleEndian.PutUint16(end[10:], uint16(len(members)))
	binary.LittleEndian.PutUint32(end[12:], uint32(len(list)))
	binary.LittleEndian.PutUint32(end[16:], uint32(len(body)))
	return append(append(body, list...), end...)
}

func packed(b []byte) []byte {
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, flate.BestSpeed) // the level is valid
	_, _ = w.Write(b)                              // memory takes everything
	_ = w.Close()
	return out.Bytes()
}

// smallSaid is a Word file of n MiB that says it has 10 bytes.
func smallSaid(n int) []byte {
	text := []byte("<w:body>" + Paragraph("", strings.Repeat("millstone ", n<<17)))
	return rawZip(zipMember{name: "[Content_Types].xml", packed: []byte("<Types/>"), sum: crc32.ChecksumIEEE([]byte("<Types/>")), size: 8},
		zipMember{name: "word/document.xml", packed: packed(text), sum: crc32.ChecksumIEEE(text), size: 10, compressed: true})
}

// overlapping is a Word file with n footnote parts whose bytes are the same part of the file.
func overlapping(n int) []byte {
	note := []byte("<w:x>" + strings.Repeat("<w:y/>", 200_000) + "</w:x>")
	var rels []string
	for i := range n {
		rels = append(rels, fmt.Sprintf("r%d", i), "footnotes", fmt.Sprintf("n%d.xml", i))
	}
	stored := func(name, s string) zipMember {
		return zipMember{name: name, packed: []byte(s), sum: crc32.ChecksumIEEE([]byte(s)), size: len(s)}
	}
	first := zipMember{name: "word/n0.xml", packed: packed(note), sum: crc32.ChecksumIEEE(note), size: len(note), compressed: true}
	types := stored("[Content_Types].xml", "<Types/>")
	list := []zipMember{types, first, stored("word/document.xml", "<w:body>"+Paragraph("", "seen")), stored("word/_rels/document.xml.rels", Rels(rels...))}
	first.at = 30 + len(types.name) + len(types.packed)
	for i := 1; i < n; i++ {
		first.name = fmt.Sprintf("word/n%d.xml", i)
		list = append(list, first)
	}
	return rawZip(list...)
}

func hostileOthers(n int) []Hostile {
	return []Hostile{
		{"rtf: groups that are deep", func() []byte { return []byte(`{\rtf1 seen\par ` + strings.Repeat("{", 50_000*n) + "no") }, "seen\nno"},
		{"rtf: groups too few", func() []byte { return []byte(`{\rtf1 seen\par ` + strings.Repeat("}", 50_000*n) + `{\b too}`) }, "seen"},
		{"rtf: numbers without end", func() []byte {
			return []byte(`{\rtf1 seen\uc2147483647\u` + strings.Repeat("9", 40) + `{\bin99999999999999 x}` + strings.Repeat(`\u-99999999999`, 1000) + `\par`)
		}, "seen9999999999999"},
		{"rtf: a PDF inside", func() []byte { return append([]byte(`{\rtf1 seen\par}`), PDF(PDFOptions{}, "no")...) }, "seen"},
		{"ole: a chain in a circle", func() []byte {
			b := OLE("WordDocument", strings.Repeat("x", 9000))
			for at := 512; at+4 <= 1024; at += 4 { // every sector is followed by the second
				binary.LittleEndian.PutUint32(b[at:], 1)
			}
			return b
		}, "broken"},
		{"a PDF that is an archive", func() []byte { return append([]byte("%PDF-1.7\n"), DOCX("", Paragraph("", "seen"))...) }, "broken"},
	}
}
