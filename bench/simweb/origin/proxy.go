package origin

import (
	"net/http"
)

// tunnel answers CONNECT: what comes through is served as if it had come to the
// port itself, TLS or not, whatever host was asked for.
func (s *Server) tunnel(rw http.ResponseWriter, _ *http.Request) {
	h, ok := rw.(http.Hijacker)
	if !ok {
		http.Error(rw, "no tunnel", http.StatusInternalServerError)
		return
	}
	c, _, err := h.Hijack()
	if err != nil {
		return
	}
	if _, err := c.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		c.Close()
		return
	}
	l := s.listeners[0]
	s.wg.Go(func() { l.offer(c) })
}
