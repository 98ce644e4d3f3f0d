package shard

import (
	"errors"
	"fmt"
	"sync"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"millrace/consumers/index/segment"
)

// registry guards scorch.RegistryAsyncErrorCallbacks: bleve takes error callbacks only by name,
// from a global map that it reads without a lock. An entry exists only while one shard is
// constructed.
var registry sync.Mutex

const callback = "millrace"

// register tells scorch of our format of segments. It keeps formats in a global map, too.
var register = sync.OnceFunc(func() { scorch.RegisterSegmentPlugin(segment.Plugin{}, false) })

// openScorch opens the files. Batches return when they are on disk ("safe" mode).
func openScorch(dir string, queue *index.AnalysisQueue, failed func(error), readOnly bool) (*scorch.Scorch, error) {
	config := map[string]any{
		"path":                   dir,
		"bolt_timeout":           "1s", // if another process has it: fail, do not wait
		"asyncErrorCallbackName": callback,
		"numSnapshotsToKeep":     1,
		"forceSegmentType":       segment.Plugin{}.Type(),
		"forceSegmentVersion":    int(segment.Plugin{}.Version()),
		"scorchMergePlanOptions": map[string]any{
			// Segments below 2 MB are merged freely. With 10 MB every batch rewrote what came
			// shortly before it, for 14 % of the index's CPU time; without a floor there are too
			// many small ones.
			"floorSegmentFileSize": 2 << 20,
		},
	}
	if readOnly {
		config["read_only"] = true
	}
	registry.Lock()
	register()
	scorch.RegistryAsyncErrorCallbacks[callback] = func(err error, _ string) {
		failed(fmt.Errorf("index background: %w", err))
	}
	opened, err := scorch.NewScorch(scorch.Name, config, queue)
	delete(scorch.RegistryAsyncErrorCallbacks, callback)
	registry.Unlock()
	if err != nil {
		return nil, err
	}
	s, ok := opened.(*scorch.Scorch)
	if !ok {
		return nil, errors.New("scorch is not scorch")
	}
	return s, s.Open()
}
