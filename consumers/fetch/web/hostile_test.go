package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"millrace/bench/outside"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestHostileServersEndInAnErrorOfTheirKind: whatever a server does, the call ends, and says how.
func TestHostileServersEndInAnErrorOfTheirKind(t *testing.T) {
	o := quick()
	o.Deadline, o.HeaderTimeout = 400*time.Millisecond, 300*time.Millisecond
	o.RateWindow, o.MinRate = 50*time.Millisecond, 1000
	o.MaxHeaderBytes, o.MaxBodyBytes = 8<<10, 64<<10
	c := client(t, o)
	forever := func(head, part string, pause time.Duration) func(net.Conn) {
		return func(c net.Conn) {
			_, err := io.WriteString(c, head)
			tick := time.NewTicker(max(pause, time.Microsecond))
			defer tick.Stop()
			for err == nil {
				if pause > 0 {
					<-tick.C
				}
				_, err = io.WriteString(c, part)
			}
		}
	}
	say := func(s string) func(net.Conn) { return func(c net.Conn) { sayAndClose(c, []byte(s)) } }
	hang := func(s string) func(net.Conn) {
		return func(c net.Conn) {
			_, _ = io.WriteString(c, s)
			_, _ = io.Copy(io.Discard, c)
		}
	}
	for _, k := range []struct {
		name   string
		server func(net.Conn)
		want   Kind
	}{
		{"says nothing and waits", hang(""), KindTimeout},
		{"closes at once", say(""), KindReset},
		{"half a header, then waits", hang("HTTP/1.1 200 OK\r\nContent-"), KindTimeout},
		{"endless header line", forever("HTTP/1.1 200 OK\r\nX: ", strings.Repeat("a", 1000), 0), KindHeaderTooBig},
		{"endless headers", forever("HTTP/1.1 200 OK\r\n", "X: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", 0), KindHeaderTooBig},
		{"header a byte at a time", forever("HTTP/1.1 200 OK\r\n", "a", 20*time.Millisecond), KindTimeout},
		{"endless 100 Continue", forever("", "HTTP/1.1 100 Continue\r\n\r\n", 0), KindHeaderTooBig},
		{"not HTTP", say("SSH-2.0-OpenSSH_9.2\r\n"), KindProtocol},
		{"zeros", forever("", strings.Repeat("\x00", 4096), 0), KindHeaderTooBig},
		{"body a byte at a time", forever("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "a", 5*time.Millisecond), KindSlow},
		{"no body although declared", hang("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"), KindSlow},
		{"shorter than declared", say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), KindReset},
		{"chunk of 16 EiB", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc"), KindReset},
		{"chunk size overflows", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc"), KindProtocol},
		{"declared 8 EiB of a type that cannot be cut", hang("HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Length: 9223372036854775807\r\n\r\n"), KindTooBig},
		{"HTML of 2^63-1 bytes", hang("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9223372036854775807\r\n\r\n"), KindSlow},
		{"endless body of a type that cannot be cut", forever("HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\n\r\n", strings.Repeat("a", 4096), 0), KindTooBig},
		{"negative length", say("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc"), KindProtocol},
		{"switches protocols", hang("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"), KindProtocol},
	} {
		res := c.Do(t.Context(), Request{URL: raw(t, k.server)})
		if res.Err == nil || res.Err.Kind != k.want {
			t.Errorf("%s: got %v, want %s", k.name, res.Err, k.want)
		}
		if !res.Written || res.Started.IsZero() {
			t.Errorf("%s: the request is not marked as written", k.name)
		}
	}
}

// TestAnEndlessPageIsCut: of HTML the front is kept, and memory stays near the cap.
func TestAnEndlessPageIsCut(t *testing.T) {
	o := quick()
	o.MaxBodyBytes = 1 << 20
	c := client(t, o)
	part := bytes.Repeat([]byte("a"), 1<<16)
	url := raw(t, func(c net.Conn) {
		_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
		for err == nil {
			_, err = c.Write(part)
		}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res := c.Do(t.Context(), Request{URL: url})
	runtime.ReadMemStats(&after)
	if res.Err != nil || !res.Truncated || int64(len(res.Body)) != o.MaxBodyBytes {
		t.Fatalf("err %v, truncated %v, %d bytes", res.Err, res.Truncated, len(res.Body))
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Fatalf("%d bytes allocated for a body of 1 MiB", grown)
	}
}

func TestADeclaredLengthIsNotBelieved(t *testing.T) {
	c := client(t, quick())
	url := raw(t, func(c net.Conn) {
		sayAndClose(c, []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 8000000\r\n\r\nabc"))
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res := c.Do(t.Context(), Request{URL: url})
	runtime.ReadMemStats(&after)
	if res.Err == nil || res.Err.Kind != KindReset || string(res.Body) != "abc" {
		t.Fatalf("err %v, body %q", res.Err, res.Body)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 2<<20 {
		t.Fatalf("%d bytes allocated for three", grown)
	}
}

func TestBodiesAreCarriedAsReceived(t *testing.T) {
	var zip bytes.Buffer
	w := gzip.NewWriter(&zip)
	_, _ = w.Write([]byte("<p>text</p>"))
	_ = w.Close()
	c := client(t, quick())
	url := raw(t, func(c net.Conn) {
		sayAndClose(c, append([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"), zip.Bytes()...))
	})
	res := c.Do(t.Context(), Request{URL: url})
	if res.Err != nil || !bytes.Equal(res.Body, zip.Bytes()) || res.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("err %v, %d bytes, header %v", res.Err, len(res.Body), res.Header)
	}
}

func TestPicturesAreNotDownloaded(t *testing.T) {
	c := client(t, quick())
	url := raw(t, func(c net.Conn) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 1000000\r\n\r\n")
		_, _ = io.Copy(io.Discard, c)
	})
	res := c.Do(t.Context(), Request{URL: url})
	if res.Err != nil || !res.Truncated || len(res.Body) != 0 || res.Length != 1000000 {
		t.Fatalf("err %v, truncated %v, %d bytes", res.Err, res.Truncated, len(res.Body))
	}
}

func TestACallEndsWhenTheCallerGivesUp(t *testing.T) {
	for _, cause := range []error{nil, errors.New("a reason of the caller's own"), io.EOF, context.DeadlineExceeded} {
		c := client(t, quick())
		ctx, cancel := context.WithCancelCause(t.Context())
		url := raw(t, func(c net.Conn) {
			cancel(cause)
			_, _ = io.Copy(io.Discard, c)
		})
		if res := c.Do(ctx, Request{URL: url}); res.Err == nil || res.Err.Kind != KindCanceled {
			t.Errorf("cause %v: got %v", cause, res.Err)
		}
		cancel(cause) // before anything is dialled
		if res := c.Do(ctx, Request{URL: url}); res.Err == nil || res.Err.Kind != KindCanceled || res.Written {
			t.Errorf("cause %v, at once: got %v", cause, res.Err)
		}
	}
}

// TestRepliesOfLlhttpEnd: the parser cases of Node's HTTP parser, as replies. What comes of them is
// net/http's matter; that the call ends is ours.
func TestRepliesOfLlhttpEnd(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(outside.Need(t, "http"), "llhttp_response", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	o := quick()
	o.Deadline = 2 * time.Second
	c := client(t, o)
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "```http\n")[1:] {
			reply, _, _ := strings.Cut(part, "```")
			reply = strings.ReplaceAll(strings.ReplaceAll(reply, "\\\n", ""), "\n", "\r\n")
			reply = strings.NewReplacer(`\r`, "\r", `\n`, "\n", `\t`, "\t", `\f`, "\f").Replace(reply)
			res := c.Do(t.Context(), Request{URL: raw(t, func(c net.Conn) { sayAndClose(c, []byte(reply)) })})
			if res.Err == nil && res.Status < 200 {
				t.Errorf("%s: status %d without an error", filepath.Base(file), res.Status)
			}
			n++
		}
	}
	if n < 80 {
		t.Fatalf("%d replies read", n)
	}
}
