package warc

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/consumers/taps"
	"millrace/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func file(t *testing.T, pages ...*schema.Page) []byte {
	t.Helper()
	var b bytes.Buffer
	err := Format{Software: "millrace/1"}.Encode(&b, taps.File{Name: "day=2026-01-01/x.warc.gz", Last: time.UnixMilli(5)}, func() (*taps.Record, error) {
		if len(pages) == 0 {
			return nil, io.EOF
		}
		p := pages[0]
		pages = pages[1:]
		return &taps.Record{Message: p}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// one is a record as a reader that knows nothing of the writer finds it.
type one struct {
	fields textproto.MIMEHeader
	block  []byte
}

// read takes a file apart by the letter of the standard: gzip members, version line, fields, block,
// two empty lines.
func read(t *testing.T, raw []byte) []one {
	t.Helper()
	var out []one
	in := bufio.NewReader(bytes.NewReader(raw))
	for {
		zip, err := gzip.NewReader(in)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		zip.Multistream(false)
		text := textproto.NewReader(bufio.NewReader(zip))
		if line, err := text.ReadLine(); err != nil || line != "WARC/1.1" {
			t.Fatalf("begins with %q (%v)", line, err)
		}
		f, err := text.ReadMIMEHeader()
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(f.Get("Content-Length"))
		if err != nil {
			t.Fatal(err)
		}
		block := make([]byte, n)
		if _, err := io.ReadFull(text.R, block); err != nil {
			t.Fatal(err)
		}
		if rest, err := io.ReadAll(text.R); err != nil || string(rest) != "\r\n\r\n" {
			t.Fatalf("ends with %q (%v)", rest, err)
		}
		out = append(out, one{f, block})
	}
}

func page(url string, body []byte) *schema.Page {
	return &schema.Page{
		RowKey: "test.a:https/" + url, Url: url, Rev: 3, HttpStatus: 200, ContentType: "text/html", Body: body, Ip: "192.0.2.1",
		FetchedAt: 1_700_000_000_123,
		Headers: []*schema.Header{
			{Name: "etag", Value: `"x"`}, {Name: "content-length", Value: "99999"}, {Name: "transfer-encoding", Value: "chunked"},
			{Name: "x-evil", Value: "a\r\nWARC/1.1"}, {Name: "bad name", Value: "x"},
		},
	}
}

func TestAPageIsAResponseAndARequest(t *testing.T) {
	body := bytes.Repeat([]byte("some bytes\x00\r\n\r\n"), 30)
	p := page("https://a.test/x?y=1", body)
	p.ContentEncoding = "gzip"
	records := read(t, file(t, p))
	if len(records) != 3 || records[0].fields.Get("WARC-Type") != "warcinfo" {
		t.Fatalf("%d records", len(records))
	}
	r := records[1]
	for name, want := range map[string]string{
		"WARC-Type": "response", "WARC-Target-URI": "https://a.test/x?y=1", "WARC-Date": "2023-11-14T22:13:20.123Z",
		"WARC-IP-Address": "192.0.2.1", "Content-Type": "application/http;msgtype=response",
	} {
		if got := r.fields.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(r.block)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || !bytes.Equal(got, body) || resp.StatusCode != 200 || resp.Header.Get("Etag") != `"x"` ||
		resp.Header.Get("Content-Encoding") != "gzip" || resp.Header.Get("X-Evil") != "aWARC/1.1" {
		t.Errorf("response: %v, %+v", err, resp.Header)
	}
	req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(records[2].block)))
	if err != nil || req.RequestURI != "/x?y=1" || req.Host != "a.test" {
		t.Errorf("request: %+v, %v", req, err)
	}
	if records[2].fields.Get("WARC-Concurrent-To") != r.fields.Get("WARC-Record-ID") {
		t.Error("the request is not beside its response")
	}
}

func TestABodyThatCameAlreadyIsARevisit(t *testing.T) {
	body := bytes.Repeat([]byte("the same "), 40)
	records := read(t, file(t, page("https://a.test/1", body), page("https://a.test/2", body), page("https://a.test/3", []byte("short")), page("https://a.test/4", []byte("short"))))
	var types []string
	for _, r := range records {
		types = append(types, r.fields.Get("WARC-Type"))
	}
	want := []string{"warcinfo", "response", "request", "revisit", "request", "response", "request", "response", "request"}
	if len(types) != len(want) {
		t.Fatalf("types %v", types)
	}
	for i := range want {
		if types[i] != want[i] {
			t.Fatalf("types %v, want %v", types, want)
		}
	}
	a, b := records[1].fields, records[3].fields
	if b.Get("WARC-Refers-To") != a.Get("WARC-Record-ID") || b.Get("WARC-Refers-To-Target-URI") != "https://a.test/1" ||
		b.Get("WARC-Refers-To-Date") != a.Get("WARC-Date") || b.Get("WARC-Payload-Digest") != a.Get("WARC-Payload-Digest") {
		t.Errorf("revisit %v of %v", b, a)
	}
	if bytes.Contains(records[3].block, []byte("the same")) {
		t.Error("the revisit has the body")
	}
}

// FuzzPage: whatever a server said, the file can be read back, and the body is in it.
func FuzzPage(f *testing.F) {
	f.Add("https://a.test/", "name", "value", "text/html", []byte("body"), int32(200))
	f.Add("http://[::1]:80/\r\n", "a:b", "\r\n\r\n", "x\r\ny", []byte{}, int32(-1))
	f.Add("", "content-length", "7", "", []byte("\r\n\r\nWARC/1.1\r\n"), int32(99999))
	f.Fuzz(func(t *testing.T, url, name, value, kind string, body []byte, status int32) {
		p := &schema.Page{RowKey: "k", Url: url, Body: body, HttpStatus: status, ContentType: kind, ContentEncoding: value, Ip: value,
			Headers: []*schema.Header{{Name: name, Value: value}}}
		records := read(t, file(t, p))
		if len(records) < 2 || !bytes.HasSuffix(records[1].block, body) {
			t.Errorf("%d records", len(records))
		}
	})
}
