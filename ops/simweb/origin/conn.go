package origin

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"
)

// connection is one client's. It speaks HTTP/1.1 by itself: net/http reads in a
// second goroutine during every request and writes head and body apart, which
// costs more than making the page. What is read is parsed by http.ReadRequest.
type connection struct {
	s    *Server
	c    net.Conn
	br   *bufio.Reader
	ip   uint16
	tls  bool
	head http.Header
	out  []byte // the head of the answer
	done bool   // nothing more may be read or written here
}

func (s *Server) newConnection(c net.Conn) *connection {
	k := &connection{s: s, c: c, br: bufio.NewReaderSize(c, 4<<10), head: http.Header{}}
	_, k.tls = c.(*tls.Conn)
	if a, ok := c.LocalAddr().(*net.TCPAddr); ok {
		ip, _ := netip.AddrFromSlice(a.IP)
		k.ip = s.addresses[ip.Unmap()]
	}
	return k
}

// accept serves the connections of a listener until it is closed.
func (s *Server) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		s.wg.Go(func() { s.talk(c) })
	}
}

// talk answers requests until either side ends the connection.
func (s *Server) talk(c net.Conn) {
	if !s.hold(c) {
		c.Close()
		return
	}
	k := s.newConnection(c)
	for k.next() {
	}
	s.release(c)
}

// hold lets Close find a connection; false if the server is closed.
func (s *Server) hold(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		return false
	}
	s.conns[c] = true
	return true
}

func (s *Server) release(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// next answers one request; false if the connection is over.
func (k *connection) next() bool {
	r, err := http.ReadRequest(k.br)
	if err != nil {
		k.c.Close()
		return false
	}
	if r.Method == http.MethodConnect {
		k.tunnel()
		return false
	}
	clear(k.head)
	k.out = k.out[:0]
	k.s.exchange(k, r)
	if k.done {
		return false
	}
	_, err = io.Copy(io.Discard, r.Body)
	if err != nil || r.Close || k.head["Connection"] != nil {
		k.c.Close()
		return false
	}
	return true
}

// tunnel answers CONNECT: what comes through is served as if it had come to the
// port itself, TLS or not, whatever host was asked for.
func (k *connection) tunnel() {
	if _, err := k.c.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		k.c.Close()
		return
	}
	l := k.s.listeners[0]
	k.s.wg.Go(func() { l.offer(k.c) })
}

// headRoom is the space left before a body for the head: a page is made where
// it is sent from, in a buffer that the request before left in the processor's
// cache, instead of being copied into one of the connection.
const headRoom = 1 << 10

// join puts the head before the body that stands behind headRoom bytes of b.
func (k *connection) join(b []byte) []byte {
	from := headRoom - len(k.out)
	if from < 0 {
		k.out = append(k.out, b[headRoom:]...)
		return k.out
	}
	copy(b[from:], k.out)
	return b[from:]
}

// begin writes status line and header into the buffer.
func (k *connection) begin(status int) {
	k.out = append(k.out, "HTTP/1.1 "...)
	k.out = strconv.AppendInt(k.out, int64(status), 10)
	k.out = append(append(append(k.out, ' '), http.StatusText(status)...), "\r\n"...)
	for name, values := range k.head {
		for _, v := range values {
			k.out = append(append(append(append(k.out, name...), ": "...), v...), "\r\n"...)
		}
	}
	k.out = append(k.out, "\r\n"...)
}

// A client may have the whole answer before the goroutine that wrote it runs
// again. So the end of a request is taken, and recorded, before its last bytes
// are on their way: ahead of what the socket takes at once, and in longer
// answers ahead of the last bytes.
const (
	takenAtOnce = 64 << 10
	heldBack    = 1 << 10
)

// flush sends an answer and calls ends before its last bytes.
func (k *connection) flush(b []byte, ends func()) {
	if n := len(b) - heldBack; len(b) > takenAtOnce {
		k.send(b[:n])
		ends()
		k.send(b[n:])
		return
	}
	ends()
	k.send(b)
}

func (k *connection) send(b []byte) {
	if k.done {
		return
	}
	if _, err := k.c.Write(b); err != nil {
		k.close()
	}
}

func (k *connection) close() {
	k.done = true
	k.c.Close()
}

// reset closes the connection with RST where that can be.
func (k *connection) reset() {
	if tcp := tcpOf(k.c); tcp != nil {
		tcp.SetLinger(0)
		tcp.Close() // not through TLS, which would say goodbye
	}
	k.close()
}

// bare is the connection below TLS and what was read ahead to tell the two apart.
func bare(c net.Conn) net.Conn {
	for {
		switch t := c.(type) {
		case *tls.Conn:
			c = t.NetConn()
		case *peeked:
			c = t.Conn
		default:
			return c
		}
	}
}

// waiting returns a context that ends when the client or the server goes away.
// The returned function ends the watch and must be called before the
// connection is used again.
func (k *connection) waiting() (context.Context, func()) {
	ctx, cancel := context.WithCancel(k.s.stopped)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if _, err := k.br.Peek(1); err != nil {
			cancel()
		}
	}()
	return ctx, func() {
		k.c.SetReadDeadline(time.Unix(1, 0)) // wakes the watch
		<-watched
		k.c.SetReadDeadline(time.Time{})
		cancel()
	}
}
