package documents

import (
	"cmp"
	"slices"
)

// fibCharacters is the place of the properties of characters in the file information block
// (MS-DOC 2.5.6).
const fibCharacters = 0xfa

// The changes of properties after which characters are not shown (2.6.1).
const (
	sprmDeleted = 0x0800 // in a tracked change
	sprmHidden  = 0x083c
)

// docRun is a run of bytes of the stream WordDocument.
type docRun struct{ from, to int }

// docUnseen returns the hidden and the deleted text of a Word file, in order: the pages of
// properties that the PlcBteChpx (2.8.5) names say it. What a style hides is not known.
func docUnseen(body, table []byte) []docRun {
	plc := part(table, le32(body, fibCharacters), le32(body, fibCharacters+4))
	count := (len(plc) - 4) / 8
	var out []docRun
	for i := range max(count, 0) {
		page := part(body, (le32(plc, 4*(count+1)+4*i)&0x3fffff)*512, 512)
		if len(page) < 512 {
			continue
		}
		runs := int(page[511])
		for k := range runs {
			at := 4*(runs+1) + k
			if at >= 511 || len(out) >= maxDocParagraphs {
				break
			}
			if isUnseen(page, 2*int(page[at])) {
				out = append(out, docRun{le32(page, 4*k), le32(page, 4*k+4)})
			}
		}
	}
	slices.SortFunc(out, func(a, b docRun) int { return cmp.Compare(a.from, b.from) })
	return out
}

// isUnseen reads the Chpx (2.9.32) at an offset of a page of properties; 0: there is none.
func isUnseen(page []byte, at int) bool {
	if at == 0 || at >= 511 {
		return false
	}
	hidden, deleted := false, false
	eachChange(part(page, at+1, int(page[at])), func(code int, value []byte) {
		on := value[0] == 1 || value[0] == 0x81 // on; not as the style says
		switch code {
		case sprmHidden:
			hidden = on
		case sprmDeleted:
			deleted = on
		}
	})
	return hidden || deleted
}
