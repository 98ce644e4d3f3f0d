package documents

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/richardlehane/mscfb"
)

// maxStreams bounds the directory of a compound file.
const maxStreams = 10_000

// readOLE reads a compound file (MS-CFB): Word, Excel or PowerPoint before 2007.
func readOLE(ctx context.Context, o Options, body []byte) (*Document, error) {
	streams, err := oleStreams(ctx, body)
	if err != nil {
		return nil, err
	}
	var w *writer
	switch {
	case streams["EncryptedPackage"] != nil:
		body, err := decryptOpen(ctx, streams["EncryptionInfo"], streams["EncryptedPackage"])
		if err != nil {
			return nil, err
		}
		return readArchive(ctx, o, body)
	case streams["WordDocument"] != nil:
		w = newWriter(o, "doc")
		err = readDOC(w, streams)
	case streams["Workbook"] != nil:
		w = newWriter(o, "xls")
		err = readXLS(ctx, w, streams["Workbook"])
	case streams["Book"] != nil:
		w = newWriter(o, "xls")
		err = readXLS(ctx, w, streams["Book"])
	case streams["PowerPoint Document"] != nil:
		w = newWriter(o, "ppt")
		err = readPPT(ctx, w, streams["PowerPoint Document"])
	default:
		return nil, ErrUnknown
	}
	if err != nil {
		return nil, err
	}
	summary(w.d, streams["SummaryInformation"])
	return w.finish(), nil
}

// oleStreams returns the streams at the root that have text, by name. Together they are no longer
// than the file.
func oleStreams(ctx context.Context, body []byte) (map[string][]byte, error) {
	r, err := mscfb.New(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	out, left := map[string][]byte{}, int64(len(body))
	for n := 0; n < maxStreams; n++ {
		if ctx.Err() != nil {
			return nil, ErrHeavy
		}
		e, err := r.Next()
		if err != nil {
			break
		}
		if len(e.Path) > 0 || out[e.Name] != nil || !oleWanted(e.Name) {
			continue
		}
		b, _ := io.ReadAll(io.LimitReader(e, left)) // of a broken chain, the part that can be read
		left -= int64(len(b))
		out[e.Name] = b
	}
	return out, nil
}

func oleWanted(name string) bool {
	switch name {
	case "Ole10Native", "Package", "WordDocument", "0Table", "1Table", "Workbook", "Book", "PowerPoint Document", "SummaryInformation", "EncryptedPackage", "EncryptionInfo":
		return true
	}
	return false
}

// le16 reads a little-endian number at an offset; 0 beyond the end.
func le16(b []byte, at int) int {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return int(binary.LittleEndian.Uint16(b[at:]))
}

func le32(b []byte, at int) int {
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return int(binary.LittleEndian.Uint32(b[at:]))
}

// part returns b[from:from+n], or as much of it as exists.
func part(b []byte, from, n int) []byte {
	if from < 0 || from >= len(b) || n <= 0 {
		return nil
	}
	return b[from:min(len(b), from+n)]
}

func utf16le(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

func bytes1252(b []byte, page int) string {
	s, err := codePage(page).NewDecoder().Bytes(b)
	if err != nil {
		return ""
	}
	return string(s)
}

// summary reads title, author and dates of a property set (MS-OLEPS 2.21).
func summary(d *Document, b []byte) {
	at := le32(b, 44)
	section := part(b, at, len(b))
	page := 1252
	for i := range min(le32(section, 4), 64) {
		id, value := le32(section, 8+8*i), part(section, le32(section, 12+8*i), len(section))
		switch id {
		case 1:
			page = le16(value, 4)
		case 2:
			first(&d.Title, property(value, page))
		case 4:
			first(&d.Author, property(value, page))
		case 12:
			d.Created = filetime(value)
		case 13:
			d.Modified = filetime(value)
		}
	}
}

// property reads a text: VT_LPSTR in the code page, or VT_LPWSTR.
func property(b []byte, page int) string {
	text := part(b, 8, min(le32(b, 4), 4<<10))
	switch le32(b, 0) {
	case 0x1e:
		if page == 65001 {
			return strings.TrimRight(string(text), "\x00")
		}
		if page == 1200 {
			return strings.TrimRight(utf16le(text), "\x00")
		}
		return strings.TrimRight(bytes1252(text, page), "\x00")
	case 0x1f:
		return strings.TrimRight(utf16le(part(b, 8, min(2*le32(b, 4), 8<<10))), "\x00")
	}
	return ""
}

// filetime reads VT_FILETIME: 100 ns since 1601.
func filetime(b []byte) time.Time {
	if le32(b, 0) != 0x40 || len(b) < 12 {
		return time.Time{}
	}
	n := binary.LittleEndian.Uint64(b[4:])
	const toUnix = 116444736000000000
	if n < toUnix || n > toUnix+40000000000000000 {
		return time.Time{}
	}
	return time.Unix(int64(n-toUnix)/1e7, 0).UTC()
}

// readDOC reads Word (MS-DOC 2.4.1). The piece table says where the characters are.
func readDOC(w *writer, streams map[string][]byte) error {
	b := streams["WordDocument"]
	flags := le16(b, 0x0a)
	switch {
	case le16(b, 0) != 0xa5ec && le16(b, 0) != 0xa5dc:
		return ErrBroken
	case flags&0x0100 != 0:
		return ErrEncrypted
	}
	s := &docText{writer: w}
	if le16(b, 2) < 0xc1 { // Word 6 and 95: in one piece, one byte per character
		s.add(bytes1252(part(b, le32(b, 0x18), le32(b, 0x1c)-le32(b, 0x18)), 1252))
		w.end()
		return nil
	}
	table := streams["0Table"]
	if flags&0x0200 != 0 {
		table = streams["1Table"]
	}
	s.numbers = newDocNumbers(b, table)
	s.unseen = docUnseen(b, table)
	pieces := pieceTable(part(table, le32(b, 0x1a2), le32(b, 0x1a6)))
	n := (len(pieces) - 4) / 12
	for i := 0; i < n && !w.full; i++ {
		chars := le32(pieces, 4*i+4) - le32(pieces, 4*i)
		at := le32(pieces, 4*(n+1)+8*i+2)
		if at&0x40000000 != 0 {
			s.at, s.width = at&0x3fffffff/2, 1
			s.add(bytes1252(part(b, s.at, chars), 1252))
		} else {
			s.at, s.width = at&0x3fffffff, 2
			s.add(utf16le(part(b, s.at, min(chars, len(b))*2)))
		}
	}
	w.end()
	return nil
}

// pieceTable finds the Pcdt in a Clx (2.9.38), after property lists, which are skipped.
func pieceTable(clx []byte) []byte {
	for at := 0; at < len(clx); {
		switch clx[at] {
		case 1:
			at += 3 + le16(clx, at+1)
		case 2:
			return part(clx, at+5, le32(clx, at+1))
		default:
			return nil
		}
	}
	return nil
}

// docText writes characters of Word, some of which are control characters (2.4.2, 2.8.25).
//
// It is large because a paragraph may begin in one piece and go on in the next, with its field and
// its label.
type docText struct {
	*writer
	fields []bool // of each open field: its result has begun
	instr  strings.Builder
	target string
	anchor strings.Builder

	numbers   *docNumbers // nil: no paragraph is numbered
	at, width int         // where the piece begins in the stream, and the bytes of its characters
	inside    bool        // the paragraph has begun
	unseen    []docRun    // of the stream, in order: hidden and deleted text
	label     string      // of the paragraph, until its first text
}

func (s *docText) add(text string) {
	from, at, hidden := 0, s.at, false
	for i, r := range text {
		if now := s.hides(at); now != hidden {
			if !hidden {
				s.run(text[from:i])
			}
			from, hidden = i, now
		}
		if !s.inside && s.numbers != nil {
			s.inside, s.label = true, s.numbers.label(at)
		}
		at += s.width
		if r > 0xffff {
			at += s.width
		}
		if r >= 0x20 || r == '\t' || r == '\n' {
			continue
		}
		if !hidden {
			s.run(text[from:i])
		}
		from = i + 1
		s.sign(r)
	}
	if !hidden {
		s.run(text[from:])
	}
}

// hides reports whether the character at a place of the stream is not shown.
func (s *docText) hides(at int) bool {
	if len(s.unseen) == 0 {
		return false
	}
	i, _ := slices.BinarySearchFunc(s.unseen, at, func(r docRun, at int) int { return cmp.Compare(r.from, at+1) })
	return i > 0 && at < s.unseen[i-1].to
}

// run writes plain characters to the text, or to the instruction of a field.
func (s *docText) run(text string) {
	if n := len(s.fields); n > 0 && !s.fields[n-1] {
		if s.instr.Len() < 4<<10 {
			s.instr.WriteString(text)
		}
		return
	}
	if s.label != "" && text != "" {
		s.text(s.label)
		s.space()
		s.label = ""
	}
	s.text(text)
	if s.target != "" && s.anchor.Len() < 400 {
		s.anchor.WriteString(text)
	}
}

func (s *docText) sign(r rune) {
	switch r {
	case 0x0b: // a line
		s.end()
	case '\r', 0x0c:
		s.end()
		s.inside, s.label = false, ""
	case 0x07: // a cell
		s.space()
		s.inside, s.label = false, ""
	case 0x1e:
		s.run("-")
	case 0x13:
		if len(s.fields) < 64 {
			s.fields = append(s.fields, false)
			s.instr.Reset()
		}
	case 0x14:
		if n := len(s.fields); n > 0 {
			s.fields[n-1] = true
			s.target = fieldLink(s.instr.String())
			s.anchor.Reset()
		}
	case 0x15:
		if n := len(s.fields); n > 0 {
			s.fields = s.fields[:n-1]
		}
		if s.target != "" {
			s.link(s.target, s.anchor.String())
			s.target = ""
		}
	}
}
