package inflate

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func pack(t testing.TB, open func(io.Writer) io.WriteCloser, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := open(&b)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func packers() map[string]func(io.Writer) io.WriteCloser {
	return map[string]func(io.Writer) io.WriteCloser{
		"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"x-gzip":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser {
			z, _ := zstd.NewWriter(w)
			return z
		},
	}
}

// TestDecode protects the codings that servers use, also the raw deflate that the standard does not
// mean.
func TestDecode(t *testing.T) {
	body := []byte(strings.Repeat("a page ", 1000))
	for coding, open := range packers() {
		got, err := Decode(pack(t, open, body), coding, DefaultLimits())
		if err != nil || got.Truncated || !bytes.Equal(got.Body, body) {
			t.Errorf("%s: %d bytes, truncated %v, %v", coding, len(got.Body), got.Truncated, err)
		}
	}
	raw := pack(t, func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 6); return f }, body)
	if got, err := Decode(raw, "deflate", DefaultLimits()); err != nil || !bytes.Equal(got.Body, body) {
		t.Errorf("raw deflate: %v", err)
	}
	twice := pack(t, packers()["gzip"], pack(t, packers()["gzip"], body))
	if got, err := Decode(twice, "gzip, gzip", DefaultLimits()); err != nil || !bytes.Equal(got.Body, body) {
		t.Errorf("gzip twice: %v", err)
	}
	if _, err := Decode(body, "br", DefaultLimits()); !errors.Is(err, ErrEncoding) {
		t.Errorf("br: %v", err)
	}
}

// TestBombs protects memory: what comes out is bounded by size and by ratio, and is marked.
func TestBombs(t *testing.T) {
	bomb := pack(t, packers()["gzip"], make([]byte, 20<<20))
	lim := Limits{MaxBytes: 1 << 20, MaxRatio: 1000}
	if got, err := Decode(bomb, "gzip", lim); err != nil || len(got.Body) != lim.MaxBytes || !got.Truncated {
		t.Errorf("by size: %d bytes, %v", len(got.Body), err)
	}
	lim = Limits{MaxBytes: 100 << 20, MaxRatio: 10}
	if got, err := Decode(bomb, "gzip", lim); err != nil || len(got.Body) > 10*len(bomb) || !got.Truncated {
		t.Errorf("by ratio: %d bytes of %d, %v", len(got.Body), len(bomb), err)
	}
	if _, err := Decode(bomb, "gzip, gzip, gzip, gzip", lim); !errors.Is(err, ErrEncoding) {
		t.Errorf("stacked: %v", err)
	}
}

// TestBrokenBodies protects what can still be read of them.
func TestBrokenBodies(t *testing.T) {
	var body []byte
	for i := range 5000 {
		body = append(body, byte(i), byte(i>>8), byte(i*7))
	}
	whole := pack(t, packers()["gzip"], body)
	if got, err := Decode(whole[:len(whole)/2], "gzip", DefaultLimits()); err != nil || !got.Truncated || !bytes.HasPrefix(body, got.Body) || len(got.Body) == 0 {
		t.Errorf("half a body: %d bytes, truncated %v, %v", len(got.Body), got.Truncated, err)
	}
	if got, err := Decode([]byte("<html>"), "gzip", DefaultLimits()); err != nil || string(got.Body) != "<html>" {
		t.Errorf("not gzip at all: %q, %v", got.Body, err)
	}
}

// FuzzDecode protects the bound from all bytes.
func FuzzDecode(f *testing.F) {
	for coding, open := range packers() {
		f.Add(pack(f, open, []byte("a page")), coding)
	}
	lim := Limits{MaxBytes: 1 << 16, MaxRatio: 100}
	f.Fuzz(func(t *testing.T, body []byte, coding string) {
		if got, err := Decode(body, coding, lim); err == nil && len(got.Body) > lim.MaxBytes {
			t.Fatalf("%d bytes", len(got.Body))
		}
	})
}

// TestNamesThatAreNoCodingAreIgnored: browsers show such pages, and servers send them.
func TestNamesThatAreNoCodingAreIgnored(t *testing.T) {
	body := []byte("<p>The mill stands by the river.</p>")
	for _, encoding := range []string{"utf-8", "UTF-8, none", "text/html", "binary, 8bit, identity"} {
		if d, err := Decode(body, encoding, DefaultLimits()); err != nil || string(d.Body) != string(body) {
			t.Errorf("%s: %q, %v", encoding, d.Body, err)
		}
	}
	for _, encoding := range []string{"br", "compress", "utf-8, br"} {
		if _, err := Decode(body, encoding, DefaultLimits()); !errors.Is(err, ErrEncoding) {
			t.Errorf("%s: %v", encoding, err)
		}
	}
}
