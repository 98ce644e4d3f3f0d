package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"millrace/schema"
)

var (
	errNotNow   = errors.New("documents are not taken now: their readers are behind, or there is no memory for one more")
	errUnwanted = errors.New("documents are switched off")
	errUnwhole  = errors.New("a document that was not whole within the deadline")
)

// fileWait is how long a PDF or Office file waits for memory before the request ends with
// KindLater.
const fileWait = 10 * time.Second

// peek reads the first bytes of a body and reports whether it is a PDF, an Office file or the like.
// The returned reader begins with these bytes. Types of pages are not examined.
func peek(body io.Reader, h http.Header) (io.Reader, bool, error) {
	if t := mediaType(h); strings.HasPrefix(t, "text/") && t != "text/rtf" || strings.HasSuffix(t, "xml") && !strings.Contains(t, "officedocument") || strings.HasSuffix(t, "json") {
		return body, false, nil
	}
	head := make([]byte, schema.FileHead)
	n, err := io.ReadFull(body, head)
	if head = head[:n]; errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	rest := io.MultiReader(bytes.NewReader(head), body)
	return rest, err == nil && schema.FamilyOf(unpacked(head), h.Get("Content-Type")) != schema.NoFile, err
}

// unpacked unpacks the beginning of a body if it is gzip.
func unpacked(head []byte) []byte {
	if !bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		return head
	}
	z, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		return head
	}
	defer z.Close()
	out := make([]byte, schema.FileHead)
	n, _ := io.ReadFull(z, out)
	return out[:n]
}

// admitFile decides whether a file is read now, and reserves the memory for it.
func (c *Client) admitFile(ctx context.Context, r Request, res *Result, limit int64) error {
	switch {
	case limit <= 0:
		return &Error{KindTooBig, errUnwanted}
	case res.Length > limit:
		return &Error{KindTooBig, errTooBig}
	case r.NoFiles:
		return &Error{KindLater, errNotNow}
	}
	size := limit
	if res.Length > 0 {
		size = res.Length
	}
	began := time.Now()
	ctx, stop := context.WithTimeout(ctx, fileWait)
	defer stop()
	if err := c.files.Acquire(ctx, size); err != nil {
		return &Error{KindLater, errNotNow}
	}
	res.Waited = time.Since(began)
	res.held = size
	return nil
}
