package origin

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"millrace/ops/simweb/judge"
	"millrace/ops/simweb/world"
)

// damage is the fault with which a body is sent.
type damage uint8

const (
	whole   damage = iota
	cut            // the connection ends before Content-Length
	badGzip        // gzip that ends in the middle
	short          // Content-Length is half the body's
	long           // Content-Length is above the body's
)

// send answers with a page.
func (x *exchange) send(a *world.Answer) {
	switch {
	case a.Status == 0 && a.Role == world.Hang:
		x.hang()
		return
	case a.Status == 0:
		x.reset()
		return
	case a.Status/100 == 3:
		x.k.head["Location"] = []string{x.s.w.URL(a.Location, a.Port)}
	}
	if a.RetryAfter > 0 {
		x.retryAfter(a.RetryAfter)
	}
	if a.Status != http.StatusOK {
		x.status(a.Status)
		return
	}
	if x.validators(a.ETag, a.Modified) {
		return
	}
	buf := x.s.buffers.get()
	defer x.s.buffers.put(buf)
	buf.b = x.s.w.Body(buf.b[:headRoom], a)
	d := whole
	switch a.Role {
	case world.Cut:
		d = cut
	case world.BrokenGzip:
		d = badGzip
	case world.LengthShort:
		d = short
	case world.LengthLong:
		d = long
	}
	x.body(buf.b, a.Type, d)
}

// validators sends ETag and Last-Modified, as the host does, and 304 if the
// client's copy is current; true if it is.
func (x *exchange) validators(etag uint64, modified int64) bool {
	h, w := x.k.head, x.s.w
	var tag string
	if w.HasETag(x.event.Host) {
		tag = `"` + strconv.FormatUint(etag, 36) + `"`
		h["Etag"] = []string{tag}
	}
	last := time.Unix(0, modified).UTC().Truncate(time.Second)
	if w.HasLastModified(x.event.Host) {
		h["Last-Modified"] = []string{last.Format(http.TimeFormat)}
	} else {
		last = time.Time{}
	}
	if x.event.Flags&judge.Conditional == 0 || !current(x.r.Header, tag, last) {
		return false
	}
	x.event.Status = http.StatusNotModified
	x.k.begin(http.StatusNotModified)
	x.k.flush(x.k.out, x.ends)
	return true
}

// current says whether a conditional request holds what stands there.
func current(h http.Header, tag string, last time.Time) bool {
	if asked := h.Values("If-None-Match"); len(asked) > 0 {
		for t := range strings.SplitSeq(strings.Join(asked, ","), ",") {
			t = strings.TrimSpace(t)
			if t == "*" || tag != "" && strings.TrimPrefix(t, "W/") == tag {
				return true
			}
		}
		return false
	}
	since, err := http.ParseTime(h.Get("If-Modified-Since"))
	return err == nil && !last.IsZero() && !last.After(since)
}

// status answers with a line of text.
func (x *exchange) status(code int) {
	x.event.Status = uint16(code)
	body := strconv.AppendInt(make([]byte, headRoom, headRoom+64), int64(code), 10)
	body = append(append(append(body, ' '), http.StatusText(code)...), '\n')
	x.k.head["Content-Type"] = []string{"text/plain; charset=utf-8"}
	x.k.head["Content-Length"] = []string{strconv.Itoa(len(body) - headRoom)}
	x.k.begin(code)
	x.write(body)
}

func (x *exchange) retryAfter(d time.Duration) {
	x.k.head["Retry-After"] = []string{strconv.Itoa(int(max(1, (d+time.Second-1)/time.Second)))}
}

// body answers 200 with the body that stands behind headRoom bytes of b,
// compressed if that was asked for.
func (x *exchange) body(b []byte, mediaType string, d damage) {
	x.event.Status = http.StatusOK
	h := x.k.head
	h["Content-Type"] = []string{mediaType}
	if d == badGzip || x.compresses(mediaType) {
		h["Content-Encoding"] = []string{"gzip"}
		h["Vary"] = []string{"Accept-Encoding"}
		z := x.s.buffers.get()
		defer x.s.buffers.put(z)
		z.b = x.s.gzips.compress(z.b[:headRoom], b[headRoom:])
		b = z.b
	}
	if d == badGzip {
		b = firstHalf(b)
	}
	h["Content-Length"] = []string{strconv.Itoa(d.length(len(b) - headRoom))}
	switch d {
	case cut:
		b = firstHalf(b)
	case short: // else the surplus could be taken for the next page's answer
		h["Connection"] = []string{"close"}
	}
	x.k.begin(http.StatusOK)
	x.write(b)
	if d == cut || d == long {
		x.k.close()
	}
}

// firstHalf keeps half of the body behind headRoom bytes.
func firstHalf(b []byte) []byte { return b[:headRoom+(len(b)-headRoom)/2] }

// length returns the Content-Length that is sent with a body of n bytes.
func (d damage) length(n int) int {
	switch d {
	case short:
		return n / 2
	case long:
		return n + n/2
	}
	return n
}

func (x *exchange) compresses(mediaType string) bool {
	text := strings.HasPrefix(mediaType, "text/") || strings.HasSuffix(mediaType, "xml") || strings.Contains(mediaType, "xml;")
	return text && acceptsGzip(x.r.Header) && x.s.w.Compresses(x.event.Host)
}

// acceptsGzip: named, and not refused with q=0.
func acceptsGzip(h http.Header) bool {
	for part := range strings.SplitSeq(h.Get("Accept-Encoding"), ",") {
		name, q, _ := strings.Cut(part, ";")
		if strings.TrimSpace(name) == "gzip" {
			q = strings.TrimSpace(q)
			return q == "" || strings.Trim(strings.TrimPrefix(q, "q="), "0.") != ""
		}
	}
	return false
}

// write sends the head and the body behind headRoom bytes of b.
func (x *exchange) write(b []byte) {
	if x.r.Method == http.MethodHead {
		x.k.flush(x.k.out, x.ends)
		return
	}
	x.event.Bytes = uint32(len(b) - headRoom)
	x.k.flush(x.k.join(b), x.ends)
}
