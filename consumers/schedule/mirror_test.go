package schedule

import (
	"fmt"
	"testing"

	"millrace/consumers/schedule/table"
	"millrace/schema"
)

// The pages of a host that all name pages of another site as their canonical ones stand in the
// index, since that site may not be crawled: they count as useful, so their shape is no trap. Pages
// that name another page of their own site do not.
func TestPagesThatNameAnotherSiteAreWorthFetching(t *testing.T) {
	const pages = 60
	useful := map[string]int64{}
	for name, canonical := range map[string]string{"another site": "org.original:https/doc/%d", "own site": "com.example.www:http/all/%d"} {
		w := newWorld(t, func(o *Options) { o.Delay = 0 })
		var paths []string
		for n := range pages {
			paths = append(paths, fmt.Sprintf(":http/doc/chapter-%d/", n))
		}
		w.append(linksTo("com.example", paths...))
		for w.run(); len(w.unfinished()) > 0; w.run() {
			for _, i := range w.unfinished() {
				w.finish(i, nil)
				w.append(digestOf(w.out[i], fmt.Sprintf("%04d, a text", i), func(d *schema.Digest) {
					d.Canonical = fmt.Sprintf(canonical, i)
				}))
			}
		}
		row := &schema.HostRow{}
		if _, err := table.Read(t.Context(), w.store, schema.HostTable, table.Host("com.example"), row); err != nil {
			t.Fatal(err)
		}
		useful[name] = row.Useful
	}
	if useful["another site"] != pages || useful["own site"] != 0 {
		t.Errorf("of %d pages are useful: %v", pages, useful)
	}
}
