package fetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"millrace/consumers/fetch/web"
)

// A robots.txt in any coding is read as a page would be. What cannot be decoded or is no text says
// nothing, and nothing is fetched.
func TestCodingsOfRobots(t *testing.T) {
	const file = "User-agent: *\nDisallow: /x\n# \xe9t\xe9, r\xe8gles"
	packed := func(open func(io.Writer) io.WriteCloser, body string) []byte {
		var b bytes.Buffer
		w := open(&b)
		if _, err := io.WriteString(w, body); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	zip := func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
	zlibbed := func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }
	deflated := func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 6); return f }
	wide := make([]byte, 0, 2*len(file))
	for i := range len(file) {
		wide = append(wide, file[i], 0)
	}
	for name, c := range map[string]struct {
		coding string
		body   []byte
		read   bool
	}{
		"plain":                    {"", []byte(file), true},
		"announced and not packed": {"gzip", []byte(file), true},
		"gzip":                     {"gzip", packed(zip, file), true},
		"gzip, not announced":      {"", packed(zip, file), true},
		"gzip twice":               {"gzip, gzip", packed(zip, string(packed(zip, file))), true},
		"zlib":                     {"deflate", packed(zlibbed, file), true},
		"deflate":                  {"deflate", packed(deflated, file), true},
		"UTF-16":                   {"", append([]byte{0xff, 0xfe}, wide...), true},
		"UTF-16 without its mark":  {"", wide, false},
		"broken gzip":              {"gzip", []byte("\x1f\x8b is no gzip"), false},
		"brotli":                   {"br", []byte("\x0b\x02\x80abc\x03"), false},
		"bytes":                    {"", packed(deflated, strings.Repeat(file, 9)+"Allow: /123456789 abcdefghij"), false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, nil, func(w *world) {
				answer := web.Result{Status: 200, Body: c.body, Header: http.Header{}}
				if c.coding != "" {
					answer.Header.Set("Content-Encoding", c.coding)
				}
				w.serve("/robots.txt", answer)
				w.schedule("https://a.test/x")
				w.schedule("https://a.test/y")
				w.wait(10 * time.Second)
				want := "/robots.txt"
				if c.read {
					want = "/robots.txt /y"
				}
				if got := w.origin.paths("a.test"); got != want {
					t.Errorf("asked for %s, want %s", got, want)
				}
			})
		})
	}
}
