package documents

import (
	"encoding/binary"
	"testing"

	"millrace/consumers/extract/documents/documentstest"
)

// Hidden and deleted text of Word before 2007 is not in the text; what is only made bold, or says
// that it is not hidden, is.
func TestHiddenTextOfAnOldWordFileIsLeftOut(t *testing.T) {
	words := []string{"seen", " pills", " gone", " bold", " open\r", "end", "no\r"}
	const begin, fkp = 1024, 1536
	body := make([]byte, fkp+512)
	put32 := func(b []byte, at, v int) { binary.LittleEndian.PutUint32(b[at:], uint32(v)) }
	binary.LittleEndian.PutUint16(body, 0xa5ec)
	binary.LittleEndian.PutUint16(body[2:], 0xc1)
	page, at := body[fkp:], begin
	page[511] = byte(len(words))
	for i, properties := range []string{"", "\x3c\x08\x01", "\x00\x08\x01", "\x35\x08\x01", "\x3c\x08\x00", "", "\x35\x08\x01\x3c\x08\x81"} {
		put32(page, 4*i, at)
		at += copy(body[at:], documentstest.UTF16(words[i]))
		put32(page, 4*i+4, at)
		if properties != "" {
			place := 300 + 20*i
			page[4*(len(words)+1)+i] = byte(place / 2)
			page[place] = byte(len(properties))
			copy(page[place+1:], properties)
		}
	}
	clx := make([]byte, 5+16)
	clx[0] = 2
	put32(clx, 1, 16)
	put32(clx, 9, (at-begin)/2)
	put32(clx, 15, begin)
	plc := make([]byte, 12)
	put32(plc, 0, begin)
	put32(plc, 4, at)
	put32(plc, 8, fkp/512)
	put32(body, 0x1a6, len(clx))
	put32(body, fibCharacters, len(clx))
	put32(body, fibCharacters+4, len(plc))
	d, err := readFile(t, newReader(t, nil), documentstest.OLE("WordDocument", string(body), "0Table", string(clx)+string(plc)))
	if want := "seen bold open\nend"; err != nil || d.Text != want {
		t.Errorf("%+v, %v, want %q", d, err, want)
	}
}
