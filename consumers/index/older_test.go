package index

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"millrace/consumers/index/shard"
)

// older puts a shard in bleve's format of files, as older versions wrote it, in place of the one in
// dir. It has one document.
func older(t *testing.T, dir, key string, at shard.Position) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	queue := index.NewAnalysisQueue(1)
	defer queue.Close()
	s, err := scorch.NewScorch(scorch.Name, map[string]any{"path": dir}, queue)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Open(); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(at)
	if err != nil {
		t.Fatal(err)
	}
	batch := index.NewBatch()
	batch.SetInternal([]byte("millrace"), b)
	doc := document.NewDocument(key)
	for name, value := range map[string]string{"_mark": "12345678\x00\x00", "_page": "{}", "body": "a heron", "title": "Herons"} {
		doc.AddField(document.NewTextFieldWithIndexingOptions(name, nil, []byte(value), index.StoreField))
	}
	batch.Update(doc)
	if err := s.(*scorch.Scorch).Batch(batch); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A shard of an older version cannot be searched. The partition is partial and says so, is filled
// anew from the log, and then is the fold again.
func TestAShardOfAnOlderVersionIsFilledAnew(t *testing.T) {
	w := newWorld(t)
	w.some(0, 120)
	s := w.open()
	stop := w.run(s)
	w.caughtUp(s)
	stop()
	dir, at := s.live.path(1, 0), s.held(1).Position()
	s.Close()
	at.Shape, at.Docs = "older", 1
	for key := range w.fold[1] {
		older(t, dir, key, at)
		break
	}

	again := w.open()
	v, err := again.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, sh := range v.Shards {
		sh.Release()
	}
	if len(v.Gaps) != 1 || v.Gaps[0].Partition != 1 || v.Gaps[0].Share != 1 {
		t.Fatalf("gaps %+v, want the whole of partition 1", v.Gaps)
	}
	if again.Status()[1].Replacing {
		t.Fatal("said that the old shard answers")
	}
	w.run(again)
	w.caughtUp(again)
	w.replaced(again)
	w.isFold(again)
}
