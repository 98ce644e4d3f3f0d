package wire

import (
	"errors"
	"testing"

	"millrace/ops/web"
	"millrace/topics"
)

// A crawl without the index publishes the same documents, answers searches with an error that says
// so, and can be indexed later from docs.unique.
func TestACrawlWithoutAnIndexIsIndexedWhenItIsWanted(t *testing.T) {
	o, dir := newOrigin(t), t.TempDir()
	cfg := DefaultConfig()
	cfg.Data, cfg.NoIndex = dir, true
	t.Run("without", func(t *testing.T) {
		w := startIn(t, cfg, o)
		w.seed(home)
		var why *web.Unavailable
		if _, err := w.searchPage(t.Context(), web.Question{Query: "weed", Size: 10}); !errors.As(err, &why) {
			t.Errorf("a search without an index: %v", err)
		}
		w.wantCleanable()
	})
	cfg.NoIndex = false
	t.Run("with", func(t *testing.T) {
		w := startIn(t, cfg, o)
		w.idle()
		w.wantFound("with an index again", story)
	})
	cfg.NoIndex = true
	t.Run("without again", func(t *testing.T) {
		w := startIn(t, cfg, o)
		w.idle()
		w.recheck(home)
		w.wantCleanable()
	})
}

// wantCleanable checks that dedupe may clean all of docs.unique: nobody reads it, whatever an index
// of an earlier run has read.
func (w *world) wantCleanable() {
	w.t.Helper()
	ends, err := w.Reader.Ends(w.t.Context(), topics.Unique().Name)
	if err != nil {
		w.t.Fatal(err)
	}
	records := int64(0)
	for p, end := range ends {
		floor, err := trimmer{w.groups}.Floor(w.t.Context(), p)
		if err != nil || floor != end {
			w.t.Errorf("partition %d: cleaned up to %d of %d: %v", p, floor, end, err)
		}
		records += end
	}
	if records == 0 {
		w.t.Error("nothing was published")
	}
}
