package wire

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// millrace status opens a directory for a moment when no process uses it. A crawl that starts in
// that moment waits for it, and does not for a crawl that has the directory.
func TestACrawlStartsWhileACommandLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		look, err := OpenDataDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		type opened struct {
			dir *DataDir
			err error
		}
		done := make(chan opened, 1)
		go func() {
			d, err := openFree(t.Context(), dir)
			done <- opened{d, err}
		}()
		synctest.Wait()
		look.Close()
		crawl := <-done
		if crawl.err != nil {
			t.Fatal(crawl.err)
		}
		defer crawl.dir.Close()
		if err := crawl.dir.SetAddress("127.0.0.1:1"); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = openFree(t.Context(), dir)
		var held *InUseError
		if !errors.As(err, &held) || time.Since(began) != 0 {
			t.Errorf("a second crawl: %v after %s", err, time.Since(began))
		}
	})
}

// A file of the directory that was cut or overwritten is made again where nothing is lost by it;
// else the error names the file and says what to do, and nothing is changed.
func TestDamagedFilesOfADataDirectory(t *testing.T) {
	for _, c := range []struct{ file, text, wants string }{
		{"token", "", ""},
		{"id", "\n", ""},
		{"token", "short", "delete it"},
		{"token", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "delete it"},
		{"id", "two words of which none is one", "delete it"},
		{"id", strings.Repeat("x", 5000), "delete it"},
		{"layout", "", "write " + layoutVersion + " into it"},
		{"layout", strings.Repeat("\xff", 5000), "write " + layoutVersion + " into it"},
		{"layout", "99", "use the millrace that made it"},
	} {
		dir := t.TempDir()
		first, err := OpenDataDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		first.Close()
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := OpenDataDir(dir)
		if c.wants != "" {
			if err == nil || !strings.Contains(err.Error(), c.wants) || !strings.Contains(err.Error(), dir) || len(err.Error()) > 400 {
				t.Errorf("%s %.20q: %v", c.file, c.text, err)
			}
			if left, _ := os.ReadFile(filepath.Join(dir, c.file)); string(left) != c.text {
				t.Errorf("%s %.20q was changed", c.file, c.text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %.20q: %v", c.file, c.text, err)
			continue
		}
		if word, err := readLine(filepath.Join(dir, c.file)); err != nil || !isWord(word) {
			t.Errorf("%s: %q, %v", c.file, word, err)
		}
		d.Close()
	}
}

// A crawl does not begin inside the directory of another one, nor where a file stands, and the
// error says what to do; nothing is made there.
func TestADirectoryThatIsNoPlaceForACrawl(t *testing.T) {
	crawl := filepath.Join(t.TempDir(), "crawl")
	d, err := OpenDataDir(crawl)
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, wants := range map[string]string{
		filepath.Join(crawl, "state"):      "lies inside " + crawl,
		filepath.Join(crawl, "state", "b"): "lies inside " + crawl,
		file:                               "a file is there: name a directory with --data",
		filepath.Join(file, "below"):       "a file is there: name a directory with --data",
	} {
		if d, err := OpenDataDir(path); err == nil || !strings.Contains(err.Error(), wants) {
			t.Errorf("%s: %v", path, err)
			if err == nil {
				d.Close()
			}
		}
	}
	if _, err := os.Stat(filepath.Join(crawl, "state")); err == nil {
		t.Error("something was made inside the other crawl")
	}
	d, err = OpenDataDir(crawl)
	if err != nil {
		t.Fatalf("the crawl itself: %v", err)
	}
	d.Close()
}
