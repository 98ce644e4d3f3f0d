package miniweb

import (
	"fmt"
	"html"
	"mime"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Request is one request that came.
type Request struct {
	Host, Path string
	Status     int
	Type       string // content type of the answer
	At         time.Time
}

// Server serves the hosts by Host header.
type Server struct {
	hosts map[string]Host
	http  *http.Server
	ln    net.Listener

	mu       sync.Mutex
	requests []Request
}

// Serve listens on addr ("127.0.0.1:0" picks a port).
func Serve(addr string, hosts []Host) (*Server, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	s := &Server{hosts: map[string]Host{}, ln: ln}
	for _, h := range hosts {
		s.hosts[h.Name] = h
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.http.Serve(ln) }()
	return s, nil
}

// Addr is where the server listens.
func (s *Server) Addr() string { return s.ln.Addr().String() }

// Close ends the server.
func (s *Server) Close() error { return s.http.Close() }

// Requests returns what came so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := time.Now()
	name, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		name = r.Host
	}
	rec := &recorder{ResponseWriter: w, status: http.StatusOK}
	if h, ok := s.hosts[name]; ok {
		h.serve(rec, r)
	} else {
		http.Error(rec, "no such host here", http.StatusMisdirectedRequest)
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{name, r.URL.RequestURI(), rec.status, rec.Header().Get("Content-Type"), at})
	s.mu.Unlock()
}

// recorder remembers the status.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// file finds the file of a path.
func (h Host) file(p string) (string, bool) {
	for _, m := range h.Mounts {
		rest, ok := strings.CutPrefix(path.Clean(p), strings.TrimSuffix(m.Path, "/"))
		if !ok {
			continue
		}
		name := filepath.Join(m.dir, filepath.FromSlash(path.Clean("/"+rest)))
		if info, err := os.Stat(name); err == nil {
			if info.IsDir() {
				name = filepath.Join(name, "index.html")
			}
			return name, true
		}
	}
	return "", false
}

func (h Host) serve(w http.ResponseWriter, r *http.Request) {
	name, ok := h.file(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	f, err := os.Open(name)
	if err != nil {
		h.list(w, r, filepath.Dir(name))
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", contentType(name))
	w.Header().Set("ETag", fmt.Sprintf(`"%x-%x"`, info.ModTime().Unix(), info.Size()))
	http.ServeContent(w, r, "", info.ModTime(), f)
}

// list is the index of a folder that has none.
func (h Host) list(w http.ResponseWriter, r *http.Request, dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	base := strings.TrimSuffix(r.URL.Path, "/")
	for _, e := range entries {
		fmt.Fprintf(w, "<a href=\"%s/%s\">%s</a>\n", html.EscapeString(base), html.EscapeString(e.Name()), html.EscapeString(e.Name()))
	}
}

// contentType names no charset: the pages say it, or they do not.
func contentType(name string) string {
	t := mime.TypeByExtension(filepath.Ext(name))
	if t == "" {
		return "application/octet-stream"
	}
	bare, _, _ := strings.Cut(t, ";")
	return bare
}
