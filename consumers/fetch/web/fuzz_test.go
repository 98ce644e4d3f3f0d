package web

import (
	"bytes"
	"net"
	"testing"
	"time"
)

// FuzzReply: whatever bytes a server sends, Do returns within its deadline with a whole answer or
// an error, without a panic and within the caps.
func FuzzReply(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9223372036854775807\r\n\r\n<p>x",
		"HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775806\r\n\r\n",
		"HTTP/1.1 404 Not Found\r\nContent-Length: 9223372036854775807\r\n\r\nx",
		"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc",
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx",
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n",
		"HTTP/1.1 000 \r\n\r\n", "HTTP/1.1 999 X\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b",
		"HTTP/1.1 301 Moved\r\nLocation: \r\nLocation: //x\r\n\r\n",
		"HTTP/1.0 200 OK\n\nbody", "HTTP/9.9 200 OK\r\n\r\n", "\x00\x00\x00", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	} {
		f.Add([]byte(s))
	}
	o := quick()
	o.Deadline, o.HeaderTimeout = 2*time.Second, time.Second
	o.MaxHeaderBytes, o.MaxBodyBytes = 8<<10, 64<<10
	f.Fuzz(func(t *testing.T, reply []byte) {
		for _, whole := range []bool{false, true} {
			c := client(t, o)
			url := raw(t, func(c net.Conn) { sayAndClose(c, reply) })
			res := c.Do(t.Context(), Request{URL: url, Whole: whole})
			res.Release()
			switch {
			case res.Err == nil && res.Status < 200:
				t.Errorf("status %d without an error", res.Status)
			case int64(len(res.Body)) > o.MaxBodyBytes:
				t.Errorf("a body of %d bytes", len(res.Body))
			case len(res.Body) > 0 && !bytes.Contains(bytes.ReplaceAll(reply, []byte("\r\n"), nil), res.Body[:1]):
				t.Errorf("body %q is not of the reply", res.Body)
			}
		}
	})
}
