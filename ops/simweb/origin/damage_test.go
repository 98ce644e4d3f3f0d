package origin_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"millrace/ops/simweb/world"
)

func TestDamagedAnswers(t *testing.T) {
	s := start(t, leaves(map[string]float64{
		"cut": 0.1, "length_short": 0.1, "length_long": 0.1, "broken_gzip": 0.1, "reset": 0.1, "wrong_type": 0.1, "wrong_charset": 0.1,
		"busy": 0.05, "slow_down": 0.05, "pdf": 0.1, "image": 0.1,
	}), nil)
	if _, _, err := s.do(s.c, "GET", s.page(world.Cut)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut: %v", err)
	}
	const end = "</html>\n"
	if _, _, err := s.do(s.c, "GET", s.page(world.LengthLong)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("length long: %v", err)
	}
	for range 3 { // the surplus must not be taken for the next answer
		if res, body := s.get(s.page(world.LengthShort)); int64(len(body)) != res.ContentLength || strings.HasSuffix(string(body), end) {
			t.Errorf("length short: %d bytes", len(body))
		}
	}
	if sent := s.raw(s.page(world.LengthShort)); !strings.HasSuffix(sent, end) {
		t.Error("length short: the body is not whole")
	}
	if sent := s.raw(s.page(world.LengthLong)); !strings.HasSuffix(sent, end) {
		t.Error("length long: the body is not whole")
	}
	if _, _, err := s.do(s.c, "GET", s.page(world.Reset)); err == nil {
		t.Error("reset: an answer came")
	}
	res, body := s.get(s.page(world.BrokenGzip))
	if z, err := gzip.NewReader(bytes.NewReader(body)); err != nil || res.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("broken gzip: %v", err)
	} else if _, err := io.ReadAll(z); err == nil {
		t.Error("broken gzip is whole")
	}
	for role, status := range map[world.Role]int{world.Busy: 503, world.SlowDown: 429} {
		if res, _ := s.get(s.page(role)); res.StatusCode != status || res.Header.Get("Retry-After") == "" {
			t.Errorf("%v: %d %v", role, res.StatusCode, res.Header)
		}
	}
	for role, begin := range map[world.Role]string{
		world.PDF: "%PDF-1.4", world.Image: "\x89PNG", world.WrongType: "<!doctype", world.WrongCharset: "<!doctype",
	} {
		if _, body := s.get(s.page(role)); !strings.HasPrefix(string(body), begin) {
			t.Errorf("%v begins with %.20q", role, body)
		}
	}
}

// raw is everything the server sends until it closes the connection.
func (s *site) raw(u string) string {
	s.t.Helper()
	c, err := net.Dial("tcp", s.srv.Addr())
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	_, rest, _ := strings.Cut(u, "://")
	host, path, _ := strings.Cut(rest, "/")
	fmt.Fprintf(c, "GET /%s HTTP/1.1\r\nHost: %s\r\n\r\n", path, host)
	sent, err := io.ReadAll(c)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(sent)
}
