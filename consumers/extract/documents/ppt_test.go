package documents

import (
	"encoding/binary"
	"testing"

	"millrace/consumers/extract/documents/documentstest"
)

// Hidden slides of PowerPoint before 2007 keep their number and have no text, and what a later save
// replaced is not read.
func TestHiddenSlidesOfAnOldShowAreLeftOut(t *testing.T) {
	atom := func(version, kind uint16, data string) string {
		b := binary.LittleEndian.AppendUint16(nil, version)
		b = binary.LittleEndian.AppendUint16(b, kind)
		return string(binary.LittleEndian.AppendUint32(b, uint32(len(data)))) + data
	}
	number := func(list ...int) string {
		var b []byte
		for _, n := range list {
			b = binary.LittleEndian.AppendUint32(b, uint32(n))
		}
		return string(b)
	}
	slide := func(text string, flags byte) string {
		return atom(0xf, pptSlide, atom(0, pptShowInfo, number(0, 0)+"\x00\x00"+string([]byte{flags})+"\x00\x00\x00\x00\x00")+atom(0xf, 0xf00d, atom(0, pptBytes, text)))
	}
	var show string
	var at []int
	add := func(s string) { at = append(at, len(show)); show += s }
	item := func(id int, text string) string {
		return atom(0, pptSlideStart, number(id, 0, 0, 0, 0)) + atom(0, pptBytes, text)
	}
	add(slide("stale box", 0))
	add(slide("hidden box", 4))
	add(atom(0, pptPlaces, number(2<<20|5, at[0], at[1])))
	add(slide("shown box", 1))
	add(atom(0, pptPlaces, number(1<<20|5, at[3])))
	add(atom(0xf, 1000, atom(0xf, pptSlideList, item(5, "first")+item(6, "no"))))
	d, err := readFile(t, newReader(t, nil), documentstest.OLE("PowerPoint Document", show))
	if err != nil || d.Pages != 2 {
		t.Fatalf("%+v, %v", d, err)
	}
	if want := "shown box\nfirst"; d.Text != want {
		t.Errorf("%q, want %q", d.Text, want)
	}
}
