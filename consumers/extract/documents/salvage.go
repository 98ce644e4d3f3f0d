package documents

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
)

// The sizes and marks of a zip archive (APPNOTE.TXT of PKWARE, 4.3.7, 4.3.12 and 4.3.16).
const (
	memberMark = "PK\x03\x04"
	listMark   = "PK\x01\x02"
	memberHead = 30
	listHead   = 46
	listEnd    = 22
)

// openSalvaged opens an archive that breaks off: the list of its members, which stands at the end,
// is missing. It is made from what stands before each member. The last member may be a part of
// itself: a reader of it gets an error at its end. nil if there is no member.
func openSalvaged(body []byte, most int) *zip.Reader {
	list, n := listOfMembers(body, most)
	if n == 0 {
		return nil
	}
	whole := joined{body, list}
	z, err := zip.NewReader(whole, int64(len(body)+len(list)))
	if err != nil {
		return nil
	}
	return z
}

// listOfMembers returns the list that an archive would end with, and of how many members.
func listOfMembers(body []byte, most int) (list []byte, n int) {
	for at := 0; n < most && at+memberHead <= len(body) && bytes.HasPrefix(body[at:], []byte(memberMark)); n++ {
		head := body[at : at+memberHead]
		name := int(binary.LittleEndian.Uint16(head[26:]))
		data := at + memberHead + name + int(binary.LittleEndian.Uint16(head[28:]))
		if data > len(body) {
			break
		}
		packed, size, sum := binary.LittleEndian.Uint32(head[18:]), binary.LittleEndian.Uint32(head[22:]), head[14:18]
		next := data + int(packed)
		if head[6]&8 != 0 || next > len(body) { // the sizes stand behind the member, or it is cut
			next, size = nextMember(body, data), 1<<32-2
			packed = uint32(next - data)
			if d := descriptor(body[data:next]); d != nil {
				sum, packed, size = d[:4], binary.LittleEndian.Uint32(d[4:]), binary.LittleEndian.Uint32(d[8:])
			}
		}
		list = append(list, listMark...)
		list = append(list, 20, 0)
		list = append(list, head[4:6]...) // version needed
		list = append(list, head[6]&^8, head[7])
		list = append(append(list, head[8:14]...), sum...) // method, time, checksum
		list = binary.LittleEndian.AppendUint32(list, packed)
		list = binary.LittleEndian.AppendUint32(list, size)
		list = binary.LittleEndian.AppendUint16(list, uint16(name))
		list = append(list, make([]byte, listHead-34)...)
		list = binary.LittleEndian.AppendUint32(list, uint32(at))
		list = append(list, body[at+memberHead:at+memberHead+name]...)
		at = next
	}
	return appendEnd(list, n, len(body)), n
}

// descriptor returns checksum, packed size and size of a member, which stand behind it if they were
// not known before (4.3.9); nil if it is cut.
func descriptor(member []byte) []byte {
	for _, mark := range [...]string{"PK\x07\x08", ""} {
		at := len(member) - 12
		if from := at - len(mark); from >= 0 && bytes.HasPrefix(member[from:], []byte(mark)) && binary.LittleEndian.Uint32(member[at+4:]) == uint32(from) {
			return member[at:]
		}
	}
	return nil
}

func appendEnd(list []byte, n, at int) []byte {
	size := len(list)
	list = append(list, "PK\x05\x06\x00\x00\x00\x00"...)
	list = binary.LittleEndian.AppendUint16(list, uint16(n))
	list = binary.LittleEndian.AppendUint16(list, uint16(n))
	list = binary.LittleEndian.AppendUint32(list, uint32(size))
	list = binary.LittleEndian.AppendUint32(list, uint32(at))
	return append(list, 0, 0)
}

// nextMember returns where the next member, or the list, begins; the end if there is none.
func nextMember(body []byte, from int) int {
	end := len(body)
	for _, mark := range [...]string{memberMark, listMark} {
		if i := bytes.Index(body[from:end], []byte(mark)); i >= 0 {
			end = from + i
		}
	}
	return end
}

// joined reads two pieces as one.
type joined struct{ first, second []byte }

// ReadAt implements io.ReaderAt.
func (j joined) ReadAt(b []byte, at int64) (int, error) {
	n := 0
	if at < int64(len(j.first)) {
		n = copy(b, j.first[at:])
	}
	if rest := at + int64(n) - int64(len(j.first)); n < len(b) && rest < int64(len(j.second)) {
		n += copy(b[n:], j.second[rest:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
