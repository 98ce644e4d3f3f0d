package wire

import (
	"errors"
	"testing"

	"millrace/ops/web"
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
	})
	cfg.NoIndex = false
	t.Run("with", func(t *testing.T) {
		w := startIn(t, cfg, o)
		w.idle()
		w.wantFound("with an index again", story)
	})
}
