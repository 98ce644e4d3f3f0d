package world

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"

	"millrace/ops/simweb/draw"
	"millrace/ops/simweb/text"
)

// pdfParagraphs is how many paragraphs a PDF of the web has: one page of text.
const pdfParagraphs = 5

// renderPDF writes a PDF 1.4 of one page. Its text is English whatever the
// host's language is: other scripts need embedded fonts.
func (w *World) renderPDF(dst []byte, a *Answer) []byte {
	m := w.models[text.English]
	seed, topic := w.textSeed(a.Source.Host, a.Source.Page), w.topic(a.Source.Host, a.Source.Page)
	var page bytes.Buffer
	page.WriteString("BT /F1 10 Tf 40 800 Td 14 TL\n")
	fmt.Fprintf(&page, "(%s) Tj T* T*\n", m.Title(nil, seed, topic))
	for i := range uint64(pdfParagraphs) {
		p := string(m.Paragraph(nil, draw.Hash(seed, uint64(a.Version), i), topic))
		for line := range strings.SplitAfterSeq(p, ". ") {
			fmt.Fprintf(&page, "(%s) Tj T*\n", line)
		}
	}
	page.WriteString("ET")
	return writePDF(dst, page.Bytes())
}

// writePDF wraps a content stream into the five objects a page needs, and the
// table of their offsets.
func writePDF(dst, content []byte) []byte {
	start := len(dst)
	dst = append(dst, "%PDF-1.4\n"...)
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(content), content),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
	}
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = len(dst) - start
		dst = fmt.Appendf(dst, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := len(dst) - start
	dst = fmt.Appendf(dst, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		dst = fmt.Appendf(dst, "%010d 00000 n \n", o)
	}
	return fmt.Appendf(dst, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
}

// renderPNG writes a small picture.
func renderPNG(dst []byte) []byte {
	img := image.NewGray(image.Rect(0, 0, 32, 32))
	for i := range img.Pix {
		img.Set(i%32, i/32, color.Gray{Y: uint8(i)})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return dst // writing to a bytes.Buffer does not fail
	}
	return append(dst, b.Bytes()...)
}

// gzipped appends b as a gzip file.
func gzipped(dst, b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(b) // to memory: cannot fail
	z.Close()
	return append(dst, out.Bytes()...)
}
