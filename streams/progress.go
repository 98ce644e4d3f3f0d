package streams

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// maxMetadata is the size of commit metadata that Kafka allows by default
// (offset.metadata.max.bytes), in bytes. A bitmap that does not fit is cut: after a takeover the
// records in the cut part are done again.
const maxMetadata = 4096

// Progress is how far a group got in a partition: every offset below Offset is done, and those
// above it whose bit in done is set.
type Progress struct {
	Offset int64
	Era    int64    // of the log; 0 means 1
	done   []uint64 // bit i: offset Offset+i is done
}

// IsDone reports whether an offset is done.
func (p Progress) IsDone(offset int64) bool {
	i := offset - p.Offset
	if i < 0 {
		return true
	}
	return i < int64(len(p.done))*64 && p.done[i/64]&(1<<(i%64)) != 0
}

// era returns the era of the log that the offsets belong to.
func (p Progress) era() int64 { return max(p.Era, 1) }

// Mark returns the progress with one more offset done.
func (p Progress) Mark(offset int64) Progress {
	t := newTracker(Progress{Offset: p.Offset, Era: p.Era, done: slices.Clone(p.done)})
	t.done(offset)
	return t.p
}

// Ahead returns the number of done offsets at or above Offset.
func (p Progress) Ahead() int64 {
	n := 0
	for _, w := range p.done {
		n += bits.OnesCount64(w)
	}
	return int64(n)
}

// Metadata encodes era and bitmap for a commit: "e2;" for an era above the first, then the
// bitmap, base64 of a CRC-32 and the words.
func (p Progress) Metadata() string {
	if p.era() > 1 {
		return fmt.Sprintf("e%d;", p.Era) + p.bitmap()
	}
	return p.bitmap()
}

func (p Progress) bitmap() string {
	n := len(p.done)
	for n > 0 && p.done[n-1] == 0 {
		n--
	}
	n = min(n, (maxMetadata*3/4-4)/8-2)
	if n == 0 {
		return ""
	}
	b := make([]byte, 4, 4+8*n)
	for _, w := range p.done[:n] {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	binary.LittleEndian.PutUint32(b, crc32.ChecksumIEEE(b[4:]))
	return "b1:" + base64.RawStdEncoding.EncodeToString(b)
}

// ParseProgress reads a commit. Metadata of another format counts as none. Metadata that is damaged
// is an error; the Progress returned with it has the offset.
func ParseProgress(offset int64, metadata string) (Progress, error) {
	p := Progress{Offset: offset}
	if era, rest, ok := strings.Cut(metadata, ";"); ok && strings.HasPrefix(era, "e") {
		n, err := strconv.ParseInt(era[1:], 10, 64)
		if err != nil || n < 1 || n > maxEra {
			return p, fmt.Errorf("commit metadata %.20q is damaged", metadata)
		}
		p.Era, metadata = n, rest
	}
	if len(metadata) < 3 || metadata[:3] != "b1:" {
		return p, nil
	}
	b, err := base64.RawStdEncoding.DecodeString(metadata[3:])
	if err != nil || len(b) < 4 || len(b)%8 != 4 || len(metadata) > maxMetadata ||
		binary.LittleEndian.Uint32(b) != crc32.ChecksumIEEE(b[4:]) {
		return p, fmt.Errorf("commit metadata %.20q is damaged", metadata)
	}
	for b = b[4:]; len(b) > 0; b = b[8:] {
		p.done = append(p.done, binary.LittleEndian.Uint64(b))
	}
	return p, nil
}

// tracker keeps the Progress of a partition whose records are done in any order.
type tracker struct {
	mu   sync.Mutex
	p    Progress
	next int64 // one past the highest offset taken
}

func newTracker(p Progress) *tracker { return &tracker{p: p, next: p.Offset} }

// take notes that the loop has read an offset. The offsets skipped since the last one (markers,
// compacted or aborted records) count as done.
func (t *tracker) take(offset int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.next == t.p.Offset && len(t.p.done) == 0 {
		t.p.Offset, t.next = max(t.next, offset), max(t.next, offset)
	}
	for o := t.next; o < offset; o++ {
		t.set(o)
	}
	t.next = max(t.next, offset+1)
	t.advance()
}

// done notes that a record is done.
func (t *tracker) done(offset int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set(offset)
	t.advance()
}

func (t *tracker) progress() Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Progress{Offset: t.p.Offset, Era: t.p.Era, done: append([]uint64(nil), t.p.done...)}
}

// read returns the offset after the last one taken.
func (t *tracker) read() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(t.next, t.p.Offset)
}

// open returns the number of taken offsets that are not done.
func (t *tracker) open() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(0, t.next-t.p.Offset-t.p.Ahead())
}

func (t *tracker) set(offset int64) {
	i := offset - t.p.Offset
	if i < 0 {
		return
	}
	for int64(len(t.p.done))*64 <= i {
		t.p.done = append(t.p.done, 0)
	}
	t.p.done[i/64] |= 1 << (i % 64)
}

// advance moves Offset over whole done words, then over the rest bit by bit.
func (t *tracker) advance() {
	n := int64(0)
	for _, w := range t.p.done {
		ones := bits.TrailingZeros64(^w)
		n += int64(ones)
		if ones < 64 {
			break
		}
	}
	if n == 0 {
		return
	}
	t.p.done = shift(t.p.done, n)
	t.p.Offset += n
}

// shift drops the n lowest bits.
func shift(words []uint64, n int64) []uint64 {
	words = words[n/64:]
	r := uint(n % 64)
	if r == 0 {
		return append([]uint64(nil), words...)
	}
	out := make([]uint64, len(words))
	for i, w := range words {
		out[i] = w >> r
		if i+1 < len(words) {
			out[i] |= words[i+1] << (64 - r)
		}
	}
	for len(out) > 0 && out[len(out)-1] == 0 {
		out = out[:len(out)-1]
	}
	return out
}
