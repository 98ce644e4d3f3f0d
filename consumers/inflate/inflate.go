// Package inflate undoes the Content-Encoding of a body.
//
// # Goals
//
// A body is read as browsers read it, at a bounded cost.
//
// # How it works
//
// The codings of the header, two at most, are undone from the last to the first, each within the
// limits.
//
// # Promises
//
// It returns at most Limits.MaxBytes and stops at Limits.MaxRatio, so a decompression bomb costs no
// more than another page. A body that breaks off gives what could be read, with Truncated set,
// because many servers send such bodies.
//
// # On failure
//
// ErrEncoding for a coding that is not supported (br: fetch does not ask for it), or if not a
// single byte could be decoded. A name that is no coding is ignored.
//
// # Limits
//
// "deflate" is tried as zlib and then as raw deflate, as browsers do. A body announced as gzip that
// is not gzip is returned as it is: a wrong header is more common than broken gzip.
package inflate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// ErrEncoding says that a body cannot be decoded.
var ErrEncoding = errors.New("content encoding not supported or broken")

// maxCodings bounds how many codings may be applied to a body; servers normally use one.
const maxCodings = 2

// Limits bound the decoded body.
type Limits struct {
	MaxBytes int // largest decoded body
	MaxRatio int // decoded bytes divided by received bytes; deflate itself cannot exceed 1032
}

// DefaultLimits returns limits with much room: the largest of 5,183 measured pages has 2 MB.
func DefaultLimits() Limits { return Limits{MaxBytes: 8 << 20, MaxRatio: 200} }

// Validate returns an error for limits that would refuse every page.
func (l Limits) Validate() error {
	if l.MaxBytes < 1 || l.MaxRatio < 1 {
		return fmt.Errorf("inflate: limits must be positive: %+v", l)
	}
	return nil
}

// Decoded is a body without its Content-Encoding.
type Decoded struct {
	Body      []byte
	Truncated bool // the body broke off or reached a limit
}

// Decode undoes the codings named in a Content-Encoding header, the last one first.
func Decode(body []byte, encoding string, lim Limits) (Decoded, error) {
	codings := split(encoding)
	if len(codings) > maxCodings {
		return Decoded{}, fmt.Errorf("%w: %d codings", ErrEncoding, len(codings))
	}
	d := Decoded{Body: body}
	limit := min(lim.MaxBytes, max(len(body), 1<<10)*lim.MaxRatio)
	for i := len(codings) - 1; i >= 0; i-- {
		next, err := undo(d.Body, codings[i], limit)
		if err != nil {
			return Decoded{}, err
		}
		d = Decoded{Body: next.Body, Truncated: d.Truncated || next.Truncated}
	}
	if len(d.Body) > lim.MaxBytes {
		d = Decoded{Body: d.Body[:lim.MaxBytes], Truncated: true}
	}
	return d, nil
}

func split(encoding string) []string {
	var out []string
	for c := range strings.SplitSeq(strings.ToLower(encoding), ",") {
		if c = strings.TrimSpace(c); isCoding(c) {
			out = append(out, c)
		}
	}
	return out
}

// isCoding reports whether a name is a coding that changes the body (IANA's registry of content
// codings). Others are ignored, as browsers do: "utf-8" and "none" are common mistakes.
func isCoding(name string) bool {
	switch name {
	case "gzip", "x-gzip", "deflate", "zstd", "br", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip", "aes128gcm":
		return true
	}
	return false
}

func undo(body []byte, coding string, limit int) (Decoded, error) {
	open := opener(coding, body)
	if open == nil {
		return Decoded{}, fmt.Errorf("%w: %q", ErrEncoding, coding)
	}
	r, err := open(bytes.NewReader(body))
	if err != nil {
		if coding == "zstd" || looksCompressed(body) {
			return Decoded{}, fmt.Errorf("%w: %s: %w", ErrEncoding, coding, err)
		}
		return Decoded{Body: body}, nil
	}
	defer r.Close()
	return read(r, limit)
}

func opener(coding string, body []byte) func(io.Reader) (io.ReadCloser, error) {
	switch coding {
	case "gzip", "x-gzip":
		return func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }
	case "deflate":
		if isZlib(body) {
			return func(r io.Reader) (io.ReadCloser, error) { return zlib.NewReader(r) }
		}
		return func(r io.Reader) (io.ReadCloser, error) { return flate.NewReader(r), nil }
	case "zstd":
		return func(r io.Reader) (io.ReadCloser, error) {
			d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
			if err != nil {
				return nil, err
			}
			return d.IOReadCloser(), nil
		}
	}
	return nil
}

// read reads at most limit bytes. An error after the first byte only marks the body as truncated.
func read(r io.Reader, limit int) (Decoded, error) {
	var buf bytes.Buffer
	n, err := buf.ReadFrom(io.LimitReader(r, int64(limit)+1))
	if n == 0 && err != nil {
		return Decoded{}, fmt.Errorf("%w: %w", ErrEncoding, err)
	}
	d := Decoded{Body: buf.Bytes(), Truncated: err != nil}
	if len(d.Body) > limit {
		d = Decoded{Body: d.Body[:limit], Truncated: true}
	}
	return d, nil
}

func isZlib(body []byte) bool {
	return len(body) >= 2 && body[0]&0x0f == 8 && (int(body[0])<<8|int(body[1]))%31 == 0
}

func looksCompressed(body []byte) bool {
	return bytes.HasPrefix(body, []byte{0x1f, 0x8b})
}
