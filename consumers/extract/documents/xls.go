package documents

import (
	"context"
	"encoding/binary"
	"math"
	"strconv"
)

// Records of Excel (MS-XLS 2.3).
const (
	xlsBOF       = 0x809
	xlsEOF       = 0x0a
	xlsSheet     = 0x85
	xlsSST       = 0xfc
	xlsContinue  = 0x3c
	xlsLabelSST  = 0xfd
	xlsLabel     = 0x204
	xlsRString   = 0xd6
	xlsNumber    = 0x203
	xlsRK        = 0x27e
	xlsMulRK     = 0xbd
	xlsFormula   = 0x06
	xlsString    = 0x207
	xlsFormat    = 0x41e
	xlsXF        = 0xe0
	xlsPass      = 0x2f
	xlsHeader    = 0x14
	xlsFooter    = 0x15
	xlsTXO       = 0x1b6
	xlsDate1904  = 0x22
	xlsCodePage  = 0x42
	xlsBoolError = 0x205
	xlsRow       = 0x208
	xlsColumn    = 0x7d
)

// readXLS reads BIFF8 (Excel 97 to 2003), and of BIFF5 the labels and numbers.
func readXLS(ctx context.Context, w *writer, b []byte) error {
	x := &xls{writer: w, ctx: ctx, row: -1, custom: map[int]string{}, rows: map[int]bool{}, page: 1252}
	for at := 0; at+4 <= len(b) && !w.full; {
		kind, data := le16(b, at), part(b, at+4, le16(b, at+2))
		at += 4 + le16(b, at+2)
		var more [][]byte
		for len(more) < 100_000 && le16(b, at) == xlsContinue && at+4 <= len(b) {
			more = append(more, part(b, at+4, le16(b, at+2)))
			at += 4 + le16(b, at+2)
		}
		if ctx.Err() != nil {
			return ErrHeavy
		}
		if kind == xlsPass {
			return ErrEncrypted
		}
		x.record(kind, data, more)
	}
	w.end()
	return nil
}

// xls is a workbook in work.
//
// It is large because records refer to what many others before them said.
type xls struct {
	*writer
	ctx      context.Context
	names    []string // of the sheets
	sheet    int      // that comes next
	depth    int      // of BOF and EOF
	row      int
	shared   []string
	custom   map[int]string // number formats
	formats  []int          // of each cell style
	date1904 bool
	biff5    bool
	page     int // code page of BIFF5

	states  []bool       // of the sheets: they are hidden
	veiled  bool         // the sheet in work is hidden
	rows    map[int]bool // of the sheet, that are hidden
	unseen  columns      // of the sheet
	dropped bool         // the last formula stands in one of these
}

func (x *xls) record(kind int, b []byte, more [][]byte) {
	switch kind {
	case xlsBOF:
		x.begin(b)
	case xlsEOF:
		x.depth--
	case xlsSheet:
		if len(b) > 6 && len(x.names) < maxSheets {
			x.names, x.states = append(x.names, x.short(b[6:])), append(x.states, b[4]&3 != 0)
		}
	case xlsSST:
		x.readShared(b, more)
	case xlsFormat:
		if len(x.custom) < 5000 && len(b) > 2 {
			x.custom[le16(b, 0)] = x.long(b[2:])
		}
	case xlsXF:
		if len(x.formats) < 100_000 {
			x.formats = append(x.formats, le16(b, 2))
		}
	case xlsDate1904:
		x.date1904 = le16(b, 0) == 1
	case xlsCodePage:
		x.page = le16(b, 0)
	case xlsHeader, xlsFooter:
		if len(b) > 0 && !x.veiled {
			x.newRow(-1)
			x.text(headerText(x.long(b)))
			x.end()
		}
	case xlsTXO:
		if len(more) > 0 && len(more[0]) > 1 && !x.veiled {
			x.newRow(-1)
			x.text(xlsChars(more[0][1:], more[0][0]&1 != 0))
			x.end()
		}
	case xlsRow: // level of its group, and fDyZero (2.4.221)
		if len(b) > 12 && b[12]&0x27 == 0x20 {
			x.rows[le16(b, 0)] = true
		}
	case xlsColumn: // fHidden, and the level of its group (2.4.53)
		if len(b) > 9 && b[8]&1 != 0 && b[9]&7 == 0 {
			x.unseen.hide(le16(b, 0)+1, le16(b, 2)+1)
		}
	default:
		x.cell(kind, b)
	}
}

// begin begins a substream: the workbook's globals, then one for each sheet.
func (x *xls) begin(b []byte) {
	x.depth++
	x.biff5 = le16(b, 0) < 0x600
	if kind := le16(b, 2); x.depth > 1 || kind == 5 { // a chart inside a sheet; the globals
		return
	}
	x.newRow(-1)
	x.rows, x.unseen = map[int]bool{}, nil
	if x.veiled = x.sheet < len(x.states) && x.states[x.sheet]; x.veiled {
		x.sheet++
		return
	}
	x.writer.page()
	if x.sheet < len(x.names) {
		x.text(x.names[x.sheet])
		x.heading(x.end())
	}
	x.sheet++
}

func (x *xls) newRow(n int) {
	if n != x.row {
		x.end()
		x.row = n
	}
	x.space()
}

func (x *xls) cell(kind int, b []byte) {
	switch kind {
	case xlsLabelSST, xlsLabel, xlsRString, xlsNumber, xlsRK, xlsMulRK, xlsFormula:
		x.dropped = x.veiled || x.rows[le16(b, 0)] || kind != xlsMulRK && x.unseen.hidden(le16(b, 2)+1)
		if x.dropped {
			return
		}
		x.newRow(le16(b, 0))
	}
	switch kind {
	case xlsLabelSST:
		if i := le32(b, 6); i < len(x.shared) {
			x.text(x.shared[i])
		}
	case xlsLabel, xlsRString:
		if len(b) > 6 {
			x.text(x.long(b[6:]))
		}
	case xlsNumber:
		x.number(le64(b, 6), le16(b, 4))
	case xlsRK:
		x.number(rk(le32(b, 6)), le16(b, 4))
	case xlsMulRK:
		for at := 4; at+8 <= len(b); at += 6 {
			if !x.unseen.hidden(le16(b, 2) + 1 + (at-4)/6) {
				x.number(rk(le32(b, at+2)), le16(b, at))
				x.space()
			}
		}
	case xlsFormula:
		if le16(b, 12) != 0xffff { // else a text follows, or a switch
			x.number(le64(b, 6), le16(b, 4))
		}
	case xlsString:
		if len(b) > 2 && !x.dropped {
			x.text(x.long(b))
		}
	}
}

func le64(b []byte, at int) float64 {
	if at+8 > len(b) {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b[at:]))
}

// rk decodes a number of 30 bits (2.5.217).
func rk(n int) float64 {
	var f float64
	if n&2 != 0 {
		f = float64(int32(uint32(n)) >> 2)
	} else {
		f = math.Float64frombits(uint64(uint32(n)&^3) << 32)
	}
	if n&1 != 0 {
		f /= 100
	}
	return f
}

func (x *xls) number(f float64, style int) {
	code := ""
	if style >= 0 && style < len(x.formats) {
		id := x.formats[style]
		code = orElse(x.custom[id], strconv.Itoa(id))
	}
	x.text(showNumber(strconv.FormatFloat(f, 'g', -1, 64), code, x.date1904))
}

// short reads a text with a length of one byte; long one with a length of two bytes.
func (x *xls) short(b []byte) string {
	if len(b) < 2 {
		return ""
	}
	if x.biff5 {
		return bytes1252(part(b, 1, int(b[0])), x.page)
	}
	return xlsString8(b[1:], int(b[0]))
}

func (x *xls) long(b []byte) string {
	if len(b) < 3 {
		return ""
	}
	if x.biff5 {
		return bytes1252(part(b, 2, le16(b, 0)), x.page)
	}
	return xlsString8(b[2:], le16(b, 0))
}

// xlsString8 reads flags, then n characters (2.5.293).
func xlsString8(b []byte, n int) string {
	at := 1
	if b[0]&8 != 0 {
		at += 2
	}
	if b[0]&4 != 0 {
		at += 4
	}
	if wide := b[0]&1 != 0; wide {
		return xlsChars(part(b, at, 2*n), true)
	}
	return xlsChars(part(b, at, n), false)
}

// xlsChars decodes characters of two bytes, or of one byte, which are the first 256 of Unicode.
func xlsChars(b []byte, wide bool) string {
	if wide {
		return utf16le(b)
	}
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = rune(c)
	}
	return string(out)
}

// readShared reads the table of strings, which continues in further records. If a record ends
// inside a string, the next one repeats the flag for wide characters (2.4.265, 2.5.293).
func (x *xls) readShared(b []byte, more [][]byte) {
	if len(b) < 8 {
		return
	}
	s := &sstReader{now: b[8:], more: more}
	n := le32(b, 4)
	for bytes := 0; len(x.shared) < n && bytes < maxShared; {
		text, ok := s.next()
		if !ok {
			return
		}
		x.shared = append(x.shared, text)
		bytes += len(text) + 16
	}
}

type sstReader struct {
	now  []byte
	more [][]byte
}

func (s *sstReader) turn() bool {
	if len(s.more) == 0 {
		return false
	}
	s.now, s.more = s.more[0], s.more[1:]
	return true
}

// take returns n bytes of one record. At the end of a record it goes to the next one.
func (s *sstReader) take(n int) ([]byte, bool) {
	for len(s.now) == 0 {
		if !s.turn() {
			return nil, false
		}
	}
	if len(s.now) < n {
		return nil, false
	}
	b := s.now[:n]
	s.now = s.now[n:]
	return b, true
}

func (s *sstReader) next() (string, bool) {
	head, ok := s.take(3)
	if !ok {
		return "", false
	}
	chars, flags, skip := le16(head, 0), head[2], 0
	if flags&8 != 0 {
		b, ok := s.take(2)
		if !ok {
			return "", false
		}
		skip += 4 * le16(b, 0)
	}
	if flags&4 != 0 {
		b, ok := s.take(4)
		if !ok {
			return "", false
		}
		skip += le32(b, 0)
	}
	text := s.chars(chars, flags&1 != 0)
	return text, s.pass(skip)
}

func (s *sstReader) chars(n int, wide bool) string {
	text := ""
	for n > 0 {
		if len(s.now) == 0 {
			if !s.turn() || len(s.now) == 0 {
				return text
			}
			wide = s.now[0]&1 != 0
			s.now = s.now[1:]
		}
		size := 1
		if wide {
			size = 2
		}
		take := min(n, len(s.now)/size)
		if take == 0 {
			s.now = nil
			continue
		}
		text += xlsChars(s.now[:take*size], wide)
		s.now = s.now[take*size:]
		n -= take
	}
	return text
}

func (s *sstReader) pass(n int) bool {
	for n > 0 {
		if len(s.now) == 0 && !s.turn() {
			return false
		}
		k := min(n, len(s.now))
		s.now = s.now[k:]
		n -= k
	}
	return true
}
