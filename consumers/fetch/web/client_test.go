package web

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestTheRequestSaysWhoAsksAndNothingMore(t *testing.T) {
	c := client(t, quick())
	head := make(chan http.Header, 2)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head <- r.Header.Clone()
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	}))
	defer srv.Close()
	res := c.Do(t.Context(), Request{URL: srv.URL, ETag: `"v1"`, LastModified: "Tue, 13 Jun 2000 12:10:00 GMT"})
	if res.Err != nil || res.Status != http.StatusFound || res.Header.Get("Location") != "/elsewhere" {
		t.Fatalf("redirect not handed back: %v %d", res.Err, res.Status)
	}
	_ = c.Do(t.Context(), Request{URL: srv.URL, ETag: "a\r\nX-Evil: 1"})
	first, second := <-head, <-head
	if first.Get("If-None-Match") != `"v1"` || first.Get("If-Modified-Since") == "" || !strings.Contains(first.Get("User-Agent"), "+https://") {
		t.Errorf("header %v", first)
	}
	if second.Get("Cookie") != "" || second.Get("X-Evil") != "" || second.Get("If-None-Match") != "" {
		t.Errorf("header %v", second)
	}
}

// TestNothingIsWrittenAfterARefusal: the origin must not see one byte.
func TestNothingIsWrittenAfterARefusal(t *testing.T) {
	c := client(t, quick())
	got := make(chan int64, 4)
	addr := listen(t, func(c net.Conn) {
		n, _ := io.Copy(io.Discard, c)
		got <- n
	})
	no := errors.New("the heartbeat is old")
	res := c.Do(t.Context(), Request{URL: "http://" + addr + "/", MayWrite: func() error { return no }})
	if res.Err == nil || res.Err.Kind != KindRefused || !errors.Is(res.Err, no) || res.Written {
		t.Fatalf("got %v, written %v", res.Err, res.Written)
	}
	if n := <-got; n != 0 {
		t.Fatalf("%d bytes reached the server", n)
	}
}

// TestARequestIsWrittenOnce: net/http would repeat it at once when a kept connection dies, and a
// server would see two requests without a delay.
func TestARequestIsWrittenOnce(t *testing.T) {
	c := client(t, quick())
	var seen atomic.Int32
	addr := listen(t, func(c net.Conn) {
		for readRequest(c) {
			if seen.Add(1) == 2 {
				return
			}
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	if res := c.Do(t.Context(), Request{URL: "http://" + addr + "/"}); res.Err != nil {
		t.Fatal(res.Err)
	}
	res := c.Do(t.Context(), Request{URL: "http://" + addr + "/"})
	if res.Err == nil || res.Err.Kind != KindReset || !res.Reused || !res.Written {
		t.Fatalf("got %v, reused %v, written %v", res.Err, res.Reused, res.Written)
	}
	if n := seen.Load(); n != 2 {
		t.Fatalf("the server saw %d requests for two calls", n)
	}
}

func TestStartedIsNotBeforeTheRequestWasWritten(t *testing.T) {
	c := client(t, quick())
	asked := make(chan time.Time, 1)
	url := raw(t, func(c net.Conn) { sayAndClose(c, []byte("HTTP/1.1 200 OK\r\n\r\nok")) })
	res := c.Do(t.Context(), Request{URL: url, MayWrite: func() error { asked <- time.Now(); return nil }})
	if res.Err != nil || res.Started.Before(<-asked) {
		t.Fatalf("%v, started %v", res.Err, res.Started)
	}
	if !res.Addr.IsLoopback() {
		t.Fatalf("address %v", res.Addr)
	}
}

func TestHTTP2AndTLSErrors(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }))
	srv.EnableHTTP2 = true
	srv.Config.ErrorLog = quietLog()
	srv.StartTLS()
	defer srv.Close()
	stranger := client(t, quick())
	if res := stranger.Do(t.Context(), Request{URL: srv.URL}); res.Err == nil || res.Err.Kind != KindTLSUntrusted || res.Written {
		t.Errorf("a certificate nobody vouches for: %v", res.Err)
	}
	friend := client(t, quick())
	friend.transport.TLSClientConfig = &tls.Config{RootCAs: srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	name := strings.Replace(srv.URL, "127.0.0.1", "other.test", 1)
	friend.dialer.mapping = mapping{{host: "other.test", to: srv.Listener.Addr().String()}}
	if res := friend.Do(t.Context(), Request{URL: name}); res.Err == nil || res.Err.Kind != KindTLSName {
		t.Errorf("a certificate for another name: %v", res.Err)
	}
	late := client(t, quick())
	late.transport.TLSClientConfig = &tls.Config{
		RootCAs: friend.transport.TLSClientConfig.RootCAs, Time: func() time.Time { return time.Now().AddDate(100, 0, 0) },
	}
	if res := late.Do(t.Context(), Request{URL: srv.URL}); res.Err == nil || res.Err.Kind != KindTLSExpired {
		t.Errorf("an old certificate: %v", res.Err)
	}
	asked := 0
	for range 2 {
		res := friend.Do(t.Context(), Request{URL: srv.URL, MayWrite: func() error { asked++; return nil }})
		if res.Err != nil || string(res.Body) != "HTTP/2.0" || !res.Written {
			t.Errorf("%v, %q over %v", res.Err, res.Body, res.Addr)
		}
	}
	if asked != 2 {
		t.Errorf("MayWrite asked %d times for two requests", asked)
	}
	refused := friend.Do(t.Context(), Request{URL: srv.URL, MayWrite: func() error { return io.EOF }})
	if refused.Err == nil || refused.Err.Kind != KindRefused {
		t.Errorf("refusal over HTTP/2: %v", refused.Err)
	}
	plain := listen(t, func(c net.Conn) { sayAndClose(c, []byte("HTTP/1.1 400 Bad Request\r\n\r\n")) })
	if res := stranger.Do(t.Context(), Request{URL: "https://" + plain + "/"}); res.Err == nil || res.Err.Kind != KindTLS {
		t.Errorf("https to a plain port: %v", res.Err)
	}
}

func TestHandshakesThatHangEnd(t *testing.T) {
	o := quick()
	o.TLSTimeout = 50 * time.Millisecond
	c := client(t, o)
	addr := listen(t, func(c net.Conn) { _, _ = bufio.NewReader(c).WriteTo(io.Discard) })
	if res := c.Do(t.Context(), Request{URL: "https://" + addr + "/"}); res.Err == nil || res.Err.Kind != KindTimeout {
		t.Fatalf("got %v", res.Err)
	}
}

func TestURLsThatCannotBeAskedFor(t *testing.T) {
	c := client(t, quick())
	for _, u := range []string{"", "/a", "ftp://a.test/", "http://", "http://a b/", "file:///etc/passwd"} {
		if res := c.Do(t.Context(), Request{URL: u}); res.Err == nil || res.Err.Kind != KindURL {
			t.Errorf("%q: %v", u, res.Err)
		}
	}
}
