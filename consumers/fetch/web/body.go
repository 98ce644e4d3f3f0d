package web

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// redirectBody is how much of the body of an answer that is not 2xx is read, so that the connection
// can be kept.
const redirectBody = 64 << 10

// read takes the header of an answer, and as much of its body as the caps allow.
func (c *Client) read(ctx context.Context, cancel context.CancelCauseFunc, a *http.Response, r Request, res *Result) error {
	defer a.Body.Close()
	res.Status, res.Header, res.Length = a.StatusCode, a.Header, a.ContentLength
	if a.StatusCode < 200 {
		return &Error{KindProtocol, errSwitch}
	}
	limit := c.o.MaxBodyBytes
	if r.MaxBodyBytes > 0 {
		limit = min(limit, r.MaxBodyBytes)
	}
	if a.StatusCode/100 != 2 {
		limit = min(limit, redirectBody)
	}
	usable := r.Whole || a.StatusCode/100 != 2 || usableInPart(a.Header)
	if unread(a.Header) && !r.Whole {
		res.Truncated = true
		return nil
	}
	if !usable && a.ContentLength > max(limit, c.o.MaxFileBytes) {
		return &Error{KindTooBig, errTooBig}
	}
	body := &watched{Reader: a.Body, least: c.o.MinRate}
	defer body.watch(ctx, cancel, c.o.RateWindow)()
	if a.StatusCode/100 == 2 && !r.Whole {
		front, file, err := peek(body.Reader, a.Header)
		if err != nil {
			return err
		}
		if body.Reader, res.File = front, file; file {
			body.held.Store(true)
			if limit, err = c.o.MaxFileBytes, c.admitFile(ctx, r, res, c.o.MaxFileBytes); err != nil {
				return err
			}
			body.n.Add(body.least)
			body.held.Store(false)
		}
	}
	if !usable && !res.File && a.ContentLength > limit {
		return &Error{KindTooBig, errTooBig}
	}
	err := c.fill(ctx, res, body, limit)
	if res.Truncated && (!usable || res.File) {
		res.Body = nil
		return &Error{KindTooBig, errTooBig}
	}
	return err
}

// largeBody is the size above which a body needs one of Options.LargeBodies places. So hosts that
// all send their longest pages at once do not fill the memory: all requests together hold at most
// largeBody each, and LargeBodies times MaxBodyBytes.
const largeBody = 256 << 10

// fill reads up to limit bytes, and one more to see whether the body is longer.
func (c *Client) fill(ctx context.Context, res *Result, body *watched, limit int64) error {
	// 32 KiB is the size of a usual page. A declared length is used up to largeBody, so that a
	// false one costs little.
	size := int64(32 << 10)
	if res.Length > 0 {
		size = min(res.Length, limit, largeBody) + 1 // limited before one is added, since 2^63-1 would overflow
	}
	buf := make([]byte, 0, min(size, limit+1))
	for {
		if len(buf) == cap(buf) {
			if len(buf) >= largeBody && res.large == nil && !res.File {
				if err := c.place(ctx, res, body); err != nil {
					res.Body = buf
					return err
				}
			}
			buf = append(buf, 0)[:len(buf)]
		}
		room := buf[len(buf):min(int64(cap(buf)), limit+1)]
		n, err := body.Read(room)
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > limit:
			res.Body, res.Truncated = buf[:limit], true
			return nil
		case err == io.EOF:
			res.Body = buf
			return nil
		case err != nil:
			res.Body = buf
			return err
		}
	}
}

// place waits until one more large body may be in memory. This time does not count against the
// server.
func (c *Client) place(ctx context.Context, res *Result, body *watched) error {
	body.held.Store(true)
	began := time.Now()
	defer func() {
		res.Waited = time.Since(began)
		body.n.Add(body.least)
		body.held.Store(false)
	}()
	select {
	case c.large <- struct{}{}:
		res.large = c.large
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// watched counts the bytes that are read of a body.
type watched struct {
	io.Reader
	least int64 // least bytes per window
	n     atomic.Int64
	held  atomic.Bool // the body is not read now: the window does not count
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	w.n.Add(int64(n))
	return n, err
}

// watch cancels the request when a window passes with fewer than least new bytes. The returned
// function ends the watch.
func (w *watched) watch(ctx context.Context, cancel context.CancelCauseFunc, window time.Duration) (stop func()) {
	last := int64(0)
	var t *time.Timer
	ready := make(chan struct{})
	t = time.AfterFunc(window, func() {
		<-ready
		n := w.n.Load()
		if n-last < w.least && !w.held.Load() {
			cancel(&Error{KindSlow, errSlow})
			return
		}
		last = n
		if ctx.Err() == nil {
			t.Reset(window)
		}
	})
	close(ready)
	return func() { t.Stop() }
}

// usableInPart reports whether the beginning of a body is of use: that of a text is, that of a PDF
// or an archive is not.
func usableInPart(h http.Header) bool {
	t := mediaType(h)
	return t == "" || strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "+xml") || strings.HasSuffix(t, "/xml") || strings.HasSuffix(t, "json")
}

// unread reports the types that no later stage reads (pictures, films, sound, fonts): their bodies
// are not read.
func unread(h http.Header) bool {
	t := mediaType(h)
	for _, p := range []string{"image/", "video/", "audio/", "font/"} {
		if strings.HasPrefix(t, p) && t != "image/svg+xml" {
			return true
		}
	}
	return false
}

func mediaType(h http.Header) string {
	t, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(t))
}
