package web

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// library serves a PDF of a size: /whole with its length, /chunked without, /slow with a pause in
// the middle that ends with the request, /page a page of as much.
func library(t *testing.T, size int) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := "%PDF-1.7" + strings.Repeat("x", size-8)
		w.Header().Set("Content-Type", "application/octet-stream")
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			body = strings.Repeat("x", size)
		case "/chunked":
			w.(http.Flusher).Flush()
		case "/whole":
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		case "/slow":
			_, _ = w.Write([]byte(body[:size/2]))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestAFileMayBeLargerThanAPage protects PDFs of universities: their limit is their own, whatever
// their type is said to be.
func TestAFileMayBeLargerThanAPage(t *testing.T) {
	o := quick()
	o.MaxBodyBytes, o.MaxFileBytes, o.FileMemory = largeBody, 4*largeBody, 4*largeBody
	c := client(t, o)
	url := library(t, 3*largeBody)
	for _, path := range []string{"/whole", "/chunked", "/whole"} { // each takes all memory for files, and gives it back
		r := c.Do(t.Context(), Request{URL: url + path})
		if r.Err != nil || !r.File || r.Truncated || len(r.Body) != 3*largeBody {
			t.Errorf("%s: %v, file %v, %d bytes", path, r.Err, r.File, len(r.Body))
		}
		r.Release()
		r.Release() // does nothing
	}
	if r := c.Do(t.Context(), Request{URL: url + "/page"}); r.Err != nil || r.File || !r.Truncated || len(r.Body) != largeBody {
		t.Errorf("a page: %v, file %v, %d bytes", r.Err, r.File, len(r.Body))
	}
	large := library(t, 5*largeBody)
	for _, path := range []string{"/whole", "/chunked"} {
		r := c.Do(t.Context(), Request{URL: large + path})
		if r.Err == nil || r.Err.Kind != KindTooBig || len(r.Body) != 0 {
			t.Errorf("too large %s: %v", path, r.Err)
		}
		r.Release()
	}
	if !c.files.TryAcquire(o.FileMemory) {
		t.Error("memory for files is still taken")
	}
}

// TestAFileIsGivenBackUnread protects the memory and the readers of files, when they are behind.
func TestAFileIsGivenBackUnread(t *testing.T) {
	c := client(t, quick())
	url := library(t, 3*largeBody)
	r := c.Do(t.Context(), Request{URL: url + "/whole", NoFiles: true})
	if r.Err == nil || r.Err.Kind != KindLater || len(r.Body) != 0 || !r.Written {
		t.Errorf("%v, %d bytes", r.Err, len(r.Body))
	}
	if r := c.Do(t.Context(), Request{URL: url + "/page", NoFiles: true}); r.Err != nil {
		t.Errorf("a page: %v", r.Err)
	}
}

// TestAFileThatDoesNotArriveIsTooBig protects its host: a timeout would rest all its pages.
func TestAFileThatDoesNotArriveIsTooBig(t *testing.T) {
	o := quick()
	o.Deadline, o.RateWindow = 200*time.Millisecond, time.Minute
	if r := client(t, o).Do(t.Context(), Request{URL: library(t, 64<<10) + "/slow"}); r.Err == nil || r.Err.Kind != KindTooBig {
		t.Errorf("%v", r.Err)
	}
}
