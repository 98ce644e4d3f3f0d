package embedded

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Damage is the end of a segment that was cut off.
type Damage struct {
	Topic     string
	Partition int32
	From      int64 // first offset that is lost
	Bytes     int64
}

// Offsets of fields in a Kafka record batch (format v2), and bounds of its size, in bytes.
const (
	batchLength   = 8  // int32: bytes after it
	batchHead     = 12 // bytes up to and with the length
	batchEpoch    = 12 // int32
	batchCRC      = 17 // uint32, of all bytes from batchAttributes on
	batchAttrs    = 21 // int16
	batchLast     = 23 // int32: offset of the last record, from the first
	batchTime     = 27 // int64 ms
	batchLeast    = 61
	batchMost     = 64 << 20
	transactional = 0x10
)

// snapshot is the file that kfake writes for a partition when it is closed. With a snapshot that
// fits the files kfake opens them one by one. Without one it reads the whole partition into memory
// to search it for transactions; this broker has none.
type snapshot struct {
	Version          int               `json:"version"`
	HighWatermark    int64             `json:"high_watermark"`
	LastStableOffset int64             `json:"last_stable_offset"`
	LogStartOffset   int64             `json:"log_start_offset"`
	Epoch            int32             `json:"epoch"`
	CreatedAt        time.Time         `json:"created_at"`
	Segments         []snapshotSegment `json:"segments"`
}

type snapshotSegment struct {
	BaseOffset int64 `json:"base_offset"`
	Size       int64 `json:"size"`
}

// prepare checks the partitions that were not closed in order, cuts what is damaged, and writes
// their snapshots.
func prepare(dir string) ([]Damage, error) {
	dirs, err := os.ReadDir(filepath.Join(dir, "partitions"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Damage
	for _, d := range dirs {
		topic, partition, ok := partitionOf(d.Name())
		if !ok {
			continue
		}
		damage, err := preparePartition(filepath.Join(dir, "partitions", d.Name()))
		if err != nil {
			return nil, fmt.Errorf("%s/%d: %w", topic, partition, err)
		}
		for _, x := range damage {
			x.Topic, x.Partition = topic, partition
			all = append(all, x)
		}
	}
	return all, nil
}

// partitionOf parses the name of a directory: TOPIC-PARTITION.
func partitionOf(name string) (topic string, partition int32, ok bool) {
	i := strings.LastIndexByte(name, '-')
	if i < 0 {
		return "", 0, false
	}
	n, err := strconv.ParseInt(name[i+1:], 10, 32)
	if err != nil {
		return "", 0, false
	}
	topic, err = url.PathUnescape(name[:i])
	return topic, int32(n), err == nil
}

func preparePartition(dir string) ([]Damage, error) {
	bases, err := segments(dir)
	if err != nil || len(bases) == 0 {
		return nil, err
	}
	old, closed := readSnapshot(dir)
	last := filepath.Join(dir, segmentName(bases[len(bases)-1]))
	if closed && old.fits(dir, bases) {
		s, err := checkSegment(last, bases[len(bases)-1]) // kfake appends after its last whole batch
		if err != nil || s.cut == 0 {
			return nil, err
		}
		damage := []Damage{{From: s.end, Bytes: s.cut}}
		old.Segments[len(old.Segments)-1].Size = s.size
		return damage, writeSnapshot(dir, old)
	}
	snap := snapshot{Version: 1, LogStartOffset: bases[0], CreatedAt: time.Now()}
	if closed && old.LogStartOffset >= bases[0] {
		snap.LogStartOffset = old.LogStartOffset
	}
	var damage []Damage
	for _, base := range bases {
		s, err := checkSegment(filepath.Join(dir, segmentName(base)), base)
		if err != nil {
			return nil, err
		}
		if s.transactional {
			return damage, nil // kfake must resolve the transactions itself
		}
		if s.cut > 0 {
			damage = append(damage, Damage{From: s.end, Bytes: s.cut})
		}
		if s.size > 0 {
			snap.HighWatermark, snap.Epoch = s.end, s.epoch
		}
		if base == bases[0] && s.size > 0 {
			snap.CreatedAt = s.began
		}
		snap.Segments = append(snap.Segments, snapshotSegment{base, s.size})
	}
	snap.LastStableOffset = snap.HighWatermark
	snap.LogStartOffset = min(snap.LogStartOffset, snap.HighWatermark)
	return damage, writeSnapshot(dir, snap)
}

func segments(dir string) ([]int64, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var bases []int64
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".dat")
		if base, err := strconv.ParseInt(name, 10, 64); ok && err == nil {
			bases = append(bases, base)
		}
	}
	slices.Sort(bases)
	return bases, nil
}

func segmentName(base int64) string { return strconv.FormatInt(base, 10) + ".dat" }

// checked is a segment after its check.
type checked struct {
	size, cut     int64 // bytes of whole batches, bytes that were cut
	end           int64 // offset after its last record
	epoch         int32
	began         time.Time
	transactional bool
}

// checkSegment reads the batches of a segment, checks their checksums, and truncates the file at
// the first one that is damaged or incomplete.
func checkSegment(path string, base int64) (checked, error) {
	s := checked{end: base}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return s, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return s, err
	}
	in := bufio.NewReaderSize(f, 1<<20)
	var batch []byte
	for {
		if batch, err = readBatch(in, batch, info.Size()-s.size); err != nil {
			break
		}
		if s.size == 0 {
			s.began = time.UnixMilli(int64(binary.BigEndian.Uint64(batch[batchTime:])))
		}
		s.size += int64(len(batch))
		s.end = int64(binary.BigEndian.Uint64(batch)) + int64(int32(binary.BigEndian.Uint32(batch[batchLast:]))) + 1
		s.epoch = int32(binary.BigEndian.Uint32(batch[batchEpoch:]))
		s.transactional = s.transactional || binary.BigEndian.Uint16(batch[batchAttrs:])&transactional != 0
	}
	if errors.Is(err, io.EOF) {
		return s, nil
	}
	if !errors.Is(err, errDamaged) {
		return s, err
	}
	s.cut = info.Size() - s.size
	return s, f.Truncate(s.size)
}

var errDamaged = errors.New("damaged batch")

// readBatch reads the next batch, of at most left bytes, into buf. It returns io.EOF at the end,
// and errDamaged for a wrong size or checksum.
func readBatch(in *bufio.Reader, buf []byte, left int64) ([]byte, error) {
	if left == 0 {
		return buf, io.EOF
	}
	if left < batchLeast {
		return buf, errDamaged
	}
	head, err := in.Peek(batchHead)
	if err != nil {
		return buf, err
	}
	size := int64(int32(binary.BigEndian.Uint32(head[batchLength:]))) + batchHead
	if size < batchLeast || size > left || size > batchMost {
		return buf, errDamaged
	}
	buf = slices.Grow(buf[:0], int(size))[:size]
	if _, err := io.ReadFull(in, buf); err != nil {
		return buf, err
	}
	if crc32.Checksum(buf[batchAttrs:], crc32.MakeTable(crc32.Castagnoli)) != binary.BigEndian.Uint32(buf[batchCRC:]) {
		return buf, errDamaged
	}
	return buf, nil
}

func readSnapshot(dir string) (snapshot, bool) {
	var s snapshot
	raw, err := os.ReadFile(filepath.Join(dir, "snapshot.json"))
	if err != nil || json.Unmarshal(raw, &s) != nil {
		return snapshot{}, false
	}
	return s, true
}

// fits reports whether the segments have the names and sizes that they had when the broker was
// closed.
func (s snapshot) fits(dir string, bases []int64) bool {
	if len(s.Segments) != len(bases) {
		return false
	}
	for i, seg := range s.Segments {
		info, err := os.Stat(filepath.Join(dir, segmentName(bases[i])))
		if err != nil || seg.BaseOffset != bases[i] || info.Size() != seg.Size {
			return false
		}
	}
	return true
}

func writeSnapshot(dir string, s snapshot) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "snapshot.json")
	if err := os.WriteFile(path+".tmp", raw, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}
