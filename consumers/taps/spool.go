package taps

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"millrace/streams"
	"millrace/topics"
)

// spool is a local file with the records of one partition that are in no file yet. It is unlinked
// after it was created, so it vanishes with the process; its records are still in the topic.
type spool struct {
	file    *os.File
	size    int64 // bytes of whole records; bytes after them are overwritten
	parts   map[string][]int64
	offsets []int64   // offsets in the topic
	began   time.Time // when the first record came
	last    lastRecord
	buf     []byte
}

// lastRecord identifies the newest record written; it tells whether a log is still the one that was
// read.
type lastRecord struct {
	Offset int64  `json:"offset"`
	Time   int64  `json:"time"` // ms
	Key    string `json:"key"`
}

func newSpool(dir string) (*spool, error) {
	f, err := os.CreateTemp(dir, "millrace-tap-*")
	if err != nil {
		return nil, fmt.Errorf("records of a tap wait in a file: %w", err)
	}
	_ = os.Remove(f.Name()) // where an open file cannot be removed, close does it
	return &spool{file: f, parts: map[string][]int64{}}, nil
}

func (s *spool) close() {
	_ = s.file.Close() // nothing of it is needed any more
	_ = os.Remove(s.file.Name())
}

// add appends a record for a part. If it fails, the spool is as before.
func (s *spool) add(part string, r *Record, now time.Time) error {
	s.buf = appendRecord(append(s.buf[:0], 0, 0, 0, 0), r)
	binary.LittleEndian.PutUint32(s.buf, uint32(len(s.buf)-4))
	if _, err := s.file.WriteAt(s.buf, s.size); err != nil {
		return fmt.Errorf("records of a tap wait in a file: %w", err)
	}
	if len(s.offsets) == 0 {
		s.began = now
	}
	s.parts[part] = append(s.parts[part], s.size)
	s.offsets = append(s.offsets, r.Offset)
	s.size += int64(len(s.buf))
	s.last = lastRecord{r.Offset, r.Time.UnixMilli(), r.Key}
	if cap(s.buf) > 1<<20 {
		s.buf = nil
	}
	return nil
}

// pass notes a record that no file contains; the range of offsets goes on after it.
func (s *spool) pass(r *Record, now time.Time) {
	if len(s.offsets) == 0 {
		s.began = now
	}
	s.offsets = append(s.offsets, r.Offset)
	s.last = lastRecord{r.Offset, r.Time.UnixMilli(), r.Key}
}

// wanted is the number of records that go into files.
func (s *spool) wanted() int {
	n := 0
	for _, at := range s.parts {
		n += len(at)
	}
	return n
}

// names lists the parts, sorted.
func (s *spool) names() []string {
	var out []string
	for p := range s.parts {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// read returns a function that returns the records of a part in order, then io.EOF.
func (s *spool) read(part, topic string, partition int32, era int64) func() (*Record, error) {
	at := s.parts[part]
	return func() (*Record, error) {
		if len(at) == 0 {
			return nil, io.EOF
		}
		var head [4]byte
		if _, err := s.file.ReadAt(head[:], at[0]); err != nil {
			return nil, err
		}
		b := make([]byte, binary.LittleEndian.Uint32(head[:]))
		if _, err := s.file.ReadAt(b, at[0]+4); err != nil {
			return nil, err
		}
		at = at[1:]
		r, err := parseRecord(b)
		if err != nil {
			return nil, err
		}
		r.Topic, r.Partition, r.Era = topic, partition, era
		if !r.Tombstone {
			r.Message, err = topics.Decode(topic, r.Value)
		}
		return r, err
	}
}

// appendRecord encodes offset, time, tombstone, key, headers and value.
func appendRecord(b []byte, r *Record) []byte {
	b = binary.AppendVarint(b, r.Offset)
	b = binary.AppendVarint(b, r.Time.UnixMilli())
	b = appendBytes(b, []byte(r.Key))
	b = binary.AppendUvarint(b, uint64(len(r.Headers)))
	for _, h := range r.Headers {
		b = appendBytes(appendBytes(b, []byte(h.Key)), h.Value)
	}
	if r.Tombstone {
		return append(b, 1)
	}
	return append(append(b, 0), r.Value...)
}

func appendBytes(b, v []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(v))), v...)
}

var errSpool = errors.New("a file of waiting records is damaged")

// parseRecord decodes what appendRecord wrote. The record shares memory with b.
func parseRecord(b []byte) (*Record, error) {
	p := parser{b: b}
	r := &Record{Offset: p.varint(), Time: time.UnixMilli(p.varint()).UTC(), Key: string(p.bytes())}
	for n := p.uvarint(); n > 0 && !p.bad; n-- {
		r.Headers = append(r.Headers, streams.Header{Key: string(p.bytes()), Value: p.bytes()})
	}
	if p.bad || len(p.b) == 0 {
		return nil, errSpool
	}
	if r.Tombstone = p.b[0] == 1; !r.Tombstone {
		r.Value = p.b[1:]
	}
	return r, nil
}

// parser reads from the beginning of b. bad is set when bytes are missing; everything read later is
// zero.
type parser struct {
	b   []byte
	bad bool
}

func (p *parser) varint() int64 {
	v, n := binary.Varint(p.b)
	p.skip(n)
	return v
}

func (p *parser) uvarint() uint64 {
	v, n := binary.Uvarint(p.b)
	p.skip(n)
	return v
}

func (p *parser) bytes() []byte {
	n := p.uvarint()
	if p.bad || n > uint64(len(p.b)) {
		p.bad = true
		return nil
	}
	v := p.b[:n:n]
	p.b = p.b[n:]
	return v
}

func (p *parser) skip(n int) {
	if n <= 0 || p.bad {
		p.bad, p.b = true, nil
		return
	}
	p.b = p.b[n:]
}
