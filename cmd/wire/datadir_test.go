package wire

import (
	"errors"
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
