package schedule

import (
	"context"
	"fmt"
	"testing"
	"time"

	"millrace/schema"
	"millrace/streams/state"
)

// asksURLs counts the reads of rows of URLs.
type asksURLs struct {
	state.Store
	n int
}

func (a *asksURLs) GetMany(ctx context.Context, t *schema.Table, key state.Key, last []state.Value) ([]state.Row, error) {
	if t == schema.URLTable {
		a.n++
	}
	return a.Store.GetMany(ctx, t, key, last)
}

// The rows of the URLs that the outcomes of a round name are read together: a round trip for each
// of them would be most of what a page costs on a store behind a network.
func TestOutcomesOfARoundReadTheirRowsTogether(t *testing.T) {
	store := &asksURLs{Store: newMemory()}
	w := newWorldOn(t, store, testPartitions, func(o *Options) { o.Delay, o.InFlightLeast = 0, 40 })
	var paths []string
	for i := range 40 {
		paths = append(paths, fmt.Sprintf(":http/%d", i))
	}
	w.append(linksTo("com.example", paths...))
	w.run()
	w.finish(0, nil) // a new host is asked one thing first
	w.pass(time.Minute, time.Second)
	sent := w.unfinished()
	if len(sent) < 10 {
		t.Fatalf("%d URLs were sent, too few for this test", len(sent))
	}
	for _, i := range sent {
		w.finish(i, nil)
	}
	before := store.n
	if err := w.round(len(sent)); err != nil {
		t.Fatal(err)
	}
	if got := store.n - before; got > 3 { // two are of what is due next
		t.Errorf("%d outcomes took %d reads of rows, want 3 at most", len(sent), got)
	}
	for _, i := range sent {
		if row := w.row(w.out[i].RowKey); row.GetStatus() != schema.UrlRow_FETCHED {
			t.Errorf("%s is %v", w.out[i].RowKey, row.GetStatus())
		}
	}
}
