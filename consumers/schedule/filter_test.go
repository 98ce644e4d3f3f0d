package schedule

import (
	"testing"

	"millrace/schema"
)

// New links of a host that was first seen here need no read; after a restart,
// when the filter is empty, the store is asked and nothing is taken for new.
func TestFilterSavesReadsAndLosesNothing(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.SeenCache = 1 })
	w.run()
	w.append(linksTo("com.example", ":http/a"))
	w.run()
	reads := w.store.Store.(*memory)
	read := func(m *schema.Discovered) int {
		w.append(m)
		before := reads.reads
		if err := w.task.Handle(t.Context(), w.in[len(w.in)-1]); err != nil {
			t.Fatal(err)
		}
		n := reads.reads - before
		if err := w.task.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.committed = len(w.in)
		return n
	}
	if n := read(linksTo("com.example", paths(50)...)); n != 0 {
		t.Errorf("%d reads for links that are new", n)
	}
	if n := read(linksTo("com.example", paths(50)...)); n != 1 {
		t.Errorf("%d reads for links that the filter knows, want 1", n)
	}
	w.crash()
	w.run()
	read(linksTo("com.example", paths(51)...))
	w.run()
	if n := w.group.Status().URLs[schema.UrlRow_QUEUED]; n != 52 {
		t.Errorf("%d URLs, want 52", n)
	}
}
