package warc

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"millrace/consumers/taps"
	"millrace/schema"
)

// Format is WARC: it implements taps.Format.
type Format struct {
	Software string // in warcinfo: "millrace/0.1"
	Operator string // in warcinfo: who runs the crawl; "" is left out
}

// Name implements taps.Format.
func (Format) Name() string { return "warc" }

// Ext implements taps.Format.
func (Format) Ext() string { return ".warc.gz" }

// Wants implements taps.Format.
func (Format) Wants(r *taps.Record) bool {
	p, ok := r.Message.(*schema.Page)
	return ok && p != nil
}

// Part implements taps.Format.
func (Format) Part(r *taps.Record) string { return taps.Day(r.Time) }

// revisitFrom is the smallest body, in bytes, for which a repetition becomes a revisit record.
const revisitFrom = 128

// Encode implements taps.Format.
func (f Format) Encode(w io.Writer, file taps.File, next func() (*taps.Record, error)) error {
	out := writer{w: w, zip: gzip.NewWriter(nil), seen: map[[sha1.Size]byte]original{}}
	if err := out.info(f, file); err != nil {
		return err
	}
	for {
		r, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			p, _ := r.Message.(*schema.Page)
			err = out.page(p)
		}
		if err != nil {
			return err
		}
	}
}

// writer writes the records of one file.
type writer struct {
	w    io.Writer
	zip  *gzip.Writer
	seen map[[sha1.Size]byte]original
}

// original is the response record to which revisit records of the same body refer.
type original struct{ url, date, id string }

// fields are the named fields of a record, in order.
type fields []struct{ name, value string }

func (f *fields) add(name, value string) {
	if value != "" {
		*f = append(*f, struct{ name, value string }{name, value})
	}
}

// record writes one record as a gzip member.
func (w *writer) record(f fields, block []byte) error {
	var head bytes.Buffer
	head.WriteString("WARC/1.1\r\n")
	for _, x := range f {
		fmt.Fprintf(&head, "%s: %s\r\n", x.name, clean(x.value))
	}
	fmt.Fprintf(&head, "Content-Length: %d\r\n\r\n", len(block))
	w.zip.Reset(w.w)
	for _, b := range [][]byte{head.Bytes(), block, []byte("\r\n\r\n")} {
		if _, err := w.zip.Write(b); err != nil {
			return err
		}
	}
	return w.zip.Close()
}

// clean removes control characters, which could end a line.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

func (w *writer) info(o Format, file taps.File) error {
	var body bytes.Buffer
	fmt.Fprintf(&body, "software: %s\r\nformat: WARC File Format 1.1\r\nconformsTo: %s\r\nrobots: obey\r\n", clean(o.Software),
		"http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/")
	if o.Operator != "" {
		fmt.Fprintf(&body, "operator: %s\r\n", clean(o.Operator))
	}
	body.WriteString("description: bodies as received; a list of response headers; requests as far as known: line and Host\r\n")
	var f fields
	f.add("WARC-Type", "warcinfo")
	f.add("WARC-Record-ID", recordID("warcinfo", file.Name))
	f.add("WARC-Date", date(file.Last.UnixMilli()))
	f.add("WARC-Filename", path.Base(file.Name))
	f.add("Content-Type", "application/warc-fields")
	return w.record(f, body.Bytes())
}

// page writes the records of a page: response or revisit, and request.
func (w *writer) page(p *schema.Page) error {
	id, at := recordID("response", p.RowKey, strconv.FormatInt(p.Rev, 10)), date(p.FetchedAt)
	payload := sha1.Sum(p.Body)
	head := responseHead(p)
	block := append(head[:len(head):len(head)], p.Body...)
	var f fields
	before, again := w.seen[payload]
	again = again && len(p.Body) >= revisitFrom && !p.Truncated
	if again {
		block = head
		f.add("WARC-Type", "revisit")
	} else {
		f.add("WARC-Type", "response")
	}
	f.add("WARC-Record-ID", id)
	f.add("WARC-Date", at)
	f.add("WARC-Target-URI", p.Url)
	f.add("WARC-IP-Address", p.Ip)
	f.add("WARC-Payload-Digest", digest(payload))
	f.add("WARC-Block-Digest", digest(sha1.Sum(block)))
	if again {
		f.add("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest")
		f.add("WARC-Refers-To", before.id)
		f.add("WARC-Refers-To-Target-URI", before.url)
		f.add("WARC-Refers-To-Date", before.date)
	}
	if p.Truncated {
		f.add("WARC-Truncated", "length")
	}
	f.add("Content-Type", "application/http;msgtype=response")
	if err := w.record(f, block); err != nil {
		return err
	}
	if !again && len(p.Body) >= revisitFrom && !p.Truncated {
		w.seen[payload] = original{p.Url, at, id}
	}
	return w.request(p, id, at)
}

func (w *writer) request(p *schema.Page, response, at string) error {
	u, err := url.Parse(p.Url)
	if err != nil || u.Host == "" {
		return nil // the response is written; without a URL there is no request record
	}
	block := []byte(fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", clean(u.RequestURI()), clean(u.Host)))
	var f fields
	f.add("WARC-Type", "request")
	f.add("WARC-Record-ID", recordID("request", p.RowKey, strconv.FormatInt(p.Rev, 10)))
	f.add("WARC-Date", at)
	f.add("WARC-Target-URI", p.Url)
	f.add("WARC-Concurrent-To", response)
	f.add("WARC-Block-Digest", digest(sha1.Sum(block)))
	f.add("Content-Type", "application/http;msgtype=request")
	return w.record(f, block)
}

// responseHead returns the status line and the headers, up to the empty line. Content-Length and
// Content-Encoding describe the body as it is kept, and Transfer-Encoding is left out, because the
// body is kept without chunks.
func responseHead(p *schema.Page) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %03d %s\r\n", p.HttpStatus, http.StatusText(int(p.HttpStatus)))
	typed := false
	for _, h := range p.Headers {
		name := strings.ToLower(h.Name)
		switch {
		case name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == ':' || r > '~' }):
			continue
		case name == "content-length", name == "content-encoding", name == "transfer-encoding":
			continue
		case name == "content-type":
			typed = true
		}
		fmt.Fprintf(&b, "%s: %s\r\n", http.CanonicalHeaderKey(name), clean(h.Value))
	}
	if !typed && p.ContentType != "" {
		fmt.Fprintf(&b, "Content-Type: %s\r\n", clean(p.ContentType))
	}
	if p.ContentEncoding != "" {
		fmt.Fprintf(&b, "Content-Encoding: %s\r\n", clean(p.ContentEncoding))
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", len(p.Body))
	return b.Bytes()
}

// date formats a time as W3C-DTF (ISO 8601) with milliseconds, which WARC 1.1 allows.
func date(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

func digest(sum [sha1.Size]byte) string { return "sha1:" + base32.StdEncoding.EncodeToString(sum[:]) }

// recordID is a name-based UUID (RFC 9562, version 5) over the parts.
func recordID(parts ...string) string {
	sum := sha1.Sum([]byte("millrace " + strings.Join(parts, " ")))
	sum[6], sum[8] = sum[6]&0x0f|0x50, sum[8]&0x3f|0x80
	h := hex.EncodeToString(sum[:16])
	return "<urn:uuid:" + h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:] + ">"
}
