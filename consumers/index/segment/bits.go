package segment

import (
	"encoding/binary"
	"math/bits"
)

// pack appends n numbers of so many bits each, the first one in the lowest bits.
func pack(b []byte, numbers []uint32, width int) []byte {
	var acc uint64
	have := 0
	for _, n := range numbers {
		acc |= uint64(n) << have
		for have += width; have >= 8; have -= 8 {
			b = append(b, byte(acc))
			acc >>= 8
		}
	}
	if have > 0 {
		b = append(b, byte(acc))
	}
	return b
}

// packed is the length of n packed numbers in bytes.
func packed(n, width int) int { return (n*width + 7) / 8 }

// unpackDocs reads the packed differences of document numbers. Behind them b has at least 8 more
// bytes. after is the last document of the block before, or -1.
func unpackDocs(b []byte, width int, after int64, into []uint32) {
	doc := uint32(after + 1)
	if width == 0 {
		for i := range into {
			into[i] = doc + uint32(i)
		}
		return
	}
	mask := uint64(1)<<width - 1
	at := uint(0)
	for i := range into {
		v := binary.LittleEndian.Uint64(b[at>>3:]) >> (at & 7) & mask
		doc += uint32(v)
		into[i] = doc
		doc++
		at += uint(width)
	}
}

// widthOf is the number of bits that hold the greatest of the numbers.
func widthOf(numbers []uint32) int {
	all := uint32(0)
	for _, n := range numbers {
		all |= n
	}
	return bits.Len32(all)
}

// uvarint is binary.Uvarint. If there is no number, its length is that of b and one more, which no
// reader can go on with.
func uvarint(b []byte) (uint64, int) {
	if v := b[0]; v < 0x80 {
		return uint64(v), 1
	}
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, len(b) + 1
	}
	return v, n
}

func varintLen(b []byte) int {
	n := 1
	for b[n-1] >= 0x80 {
		n++
	}
	return n
}

// skipVarints is the length of n uvarints at the front of b. It counts their last bytes, eight
// bytes at a time.
func skipVarints(b []byte, n int) int {
	at := 0
	for n > 0 && len(b)-at >= 8 {
		last := ^binary.LittleEndian.Uint64(b[at:]) & 0x8080808080808080
		if ends := bits.OnesCount64(last); ends < n {
			at, n = at+8, n-ends
			continue
		}
		for range n - 1 {
			last &= last - 1
		}
		return at + bits.TrailingZeros64(last)/8 + 1
	}
	for range n {
		at += varintLen(b[at:])
	}
	return at
}
