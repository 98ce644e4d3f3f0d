package wire

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// Many servers do not compress their pages: the log keeps such a page compressed.
func TestAPageThatCameUncompressedIsCompressedInTheLog(t *testing.T) {
	var markup strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&markup, `<div class="row row-%d"><span class="cell"></span></div>`, i*i)
	}
	page := `<title>Rows</title><article><p>` + strings.Repeat(text, 3) + `</article>` + markup.String()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	}))
	t.Cleanup(s.Close)
	cfg := DefaultConfig()
	cfg.Data = t.TempDir()
	w := startIn(t, cfg, &origin{Server: s})
	w.seed("http://www.a.test/")
	size := int64(0)
	err := filepath.WalkDir(filepath.Join(cfg.Data, "log"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if size < 1000 || size > int64(len(page))/2 {
		t.Errorf("a page of %d bytes takes %d in the log", len(page), size)
	}
}
