package taps

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
)

// JSONL writes records as lines of JSON, compressed with gzip: the form of `millrace topics cat`,
// but nothing is cut. As in Protobuf's JSON, 64-bit numbers are strings and bytes are base64.
type JSONL struct{}

// line is a record as a line.
type line struct {
	Partition int32             `json:"partition"`
	Era       int64             `json:"era"`
	Offset    int64             `json:"offset"`
	Time      time.Time         `json:"time"`
	Key       string            `json:"key"`
	Headers   map[string]string `json:"headers,omitempty"`
	Value     json.RawMessage   `json:"value"` // null = deleted
}

// Name implements Format.
func (JSONL) Name() string { return "jsonl" }

// Ext implements Format.
func (JSONL) Ext() string { return ".jsonl.gz" }

// Wants implements Format.
func (JSONL) Wants(*Record) bool { return true }

// Part implements Format.
func (JSONL) Part(r *Record) string { return Day(r.Time) }

// Encode implements Format.
func (JSONL) Encode(w io.Writer, _ File, next func() (*Record, error)) error {
	zip := gzip.NewWriter(w)
	buffered := bufio.NewWriterSize(zip, 64<<10)
	for {
		r, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = writeLine(buffered, r)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(buffered.Flush(), zip.Close())
}

func writeLine(w *bufio.Writer, r *Record) error {
	l := line{Partition: r.Partition, Era: r.Era, Offset: r.Offset, Time: r.Time.UTC(), Key: r.Key, Value: json.RawMessage("null")}
	for _, h := range r.Headers {
		if l.Headers == nil {
			l.Headers = map[string]string{}
		}
		l.Headers[h.Key] = string(h.Value)
	}
	if !r.Tombstone {
		b, err := protojson.Marshal(r.Message)
		if err != nil { // a string that is not UTF-8: the bytes are kept
			b, err = json.Marshal(map[string][]byte{"undecoded": r.Value})
		}
		if err != nil {
			return err
		}
		l.Value = b
	}
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
