package wire

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"millrace/bench/traps"
	"millrace/producers/seeds"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// ledger sums up the records that a crawl put on its topics.
type ledger struct {
	named     int64           // URLs that links and lists named
	scheduled map[string]bool // row key and rev of what was sent to fetch
	outcomes  map[string]bool // row key and rev of what was answered
	pages     int64           // answers with a body for extract
	lists     int64           // and for feeds and sitemaps
	made      int64           // documents and deletions of extract
	digests   int64           // of pages
	texts     map[string]bool // site and text of each document that is not withdrawn
	live      map[string]bool // row keys of docs.unique
	latest    map[string]string
}

// readLedger reads all topics.
func readLedger(w *world) *ledger {
	l := &ledger{scheduled: map[string]bool{}, outcomes: map[string]bool{}, texts: map[string]bool{}, live: map[string]bool{}, latest: map[string]string{}}
	readAll(w, topics.Discovered(), func(r *streams.Record[*schema.Discovered]) {
		switch b := r.Value.Body.(type) {
		case *schema.Discovered_Links:
			l.named += int64(len(b.Links.Links))
		case *schema.Discovered_Add:
			l.named += int64(len(b.Add.Items))
		case *schema.Discovered_Digest:
			l.digests++
		case *schema.Discovered_Outcome:
			if b.Outcome.Rule != "" { // the frontier's own answer, without a request
				return
			}
			l.outcomes[fmt.Sprint(b.Outcome.RowKey, b.Outcome.Rev)] = true
		}
	})
	readAll(w, topics.Scheduled(), func(r *streams.Record[*schema.Scheduled]) {
		l.scheduled[fmt.Sprint(r.Value.RowKey, r.Value.Rev)] = true
	})
	readAll(w, topics.Pages(), func(*streams.Record[*schema.Page]) { l.pages++ })
	readAll(w, topics.Feeds(), func(*streams.Record[*schema.Page]) { l.lists++ })
	readAll(w, topics.Extracted(), func(r *streams.Record[*schema.Extracted]) {
		l.made++
		if d := r.Value.GetDoc(); d != nil {
			l.latest[d.RowKey] = d.Site + string(d.TextHash)
		} else {
			delete(l.latest, r.Value.GetGone().RowKey)
		}
	})
	for _, text := range l.latest {
		l.texts[text] = true
	}
	readAll(w, topics.Unique(), func(r *streams.Record[*schema.Unique]) {
		if l.live[r.Key] = true; r.Tombstone {
			delete(l.live, r.Key)
		}
	})
	return l
}

func readAll[M topics.Message](w *world, topic topics.Topic[M], fn func(*streams.Record[M])) {
	w.t.Helper()
	n, err := w.Reader.Partitions(w.t.Context(), topic.Name)
	if err != nil {
		w.t.Fatal(err)
	}
	for p := range n {
		end, err := w.Reader.End(w.t.Context(), topic.Name, p)
		if err == nil {
			err = streams.Read(w.t.Context(), w.Reader, topic, p, 0, end, func(r *streams.Record[M]) error { fn(r); return nil })
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// dropped is how much a group counted as dropped, and of which reasons.
func dropped(w *world, group string) (sum int64, by []string) {
	for _, c := range w.Meter.Counts() {
		if c.Group == group && c.What == "dropped" {
			sum += c.Value
			by = append(by, fmt.Sprintf("%s %d", c.Label, c.Value))
		}
	}
	return sum, by
}

// serveOdd serves a host whose pages end in other ways than as documents.
func serveOdd(res http.ResponseWriter, req *http.Request) {
	res.Header().Set("Content-Type", "text/html")
	switch req.URL.Path {
	case "/":
		fmt.Fprint(res, webPage("Odd", strings.Repeat(filler, 3), "/noindex", "/empty", "/moved", "/lost", "/data.bin",
			"http://other.test/", "ftp://odd.test/x", "/twin", "/copy"))
	case "/noindex":
		fmt.Fprint(res, `<meta name=robots content=noindex>`+webPage("Kept out", strings.Repeat(filler, 2)))
	case "/empty":
	case "/moved":
		http.Redirect(res, req, "/twin", http.StatusMovedPermanently)
	case "/twin", "/copy":
		fmt.Fprint(res, webPage("Twin", strings.Repeat("Two pages with the same words. "+filler, 3)))
	case "/data.bin":
		res.Header().Set("Content-Type", "application/octet-stream")
		_, _ = res.Write([]byte{0, 1, 2, 3})
	default:
		http.NotFound(res, req)
	}
}

// X2: when a crawl is over, all that went into a stage came out of it or was dropped by a counted
// reason, to the last URL. The sites have traps, copies, sitemaps, redirects, dead links, and pages
// that are no documents.
func TestInIsOutAndDroppedByReasonAtEveryStage(t *testing.T) {
	var sites []traps.Site
	var list []seeds.Seed
	for _, s := range traps.Sites() {
		if slices.Contains([]string{"sessions.test", "soft404.test", "sitemaps.test", "shop.test"}, s.Name) {
			sites = append(sites, s)
		}
	}
	web := traps.New(sites...)
	origin := httptest.NewServer(http.HandlerFunc(func(res http.ResponseWriter, req *http.Request) {
		if req.Host == "odd.test" {
			serveOdd(res, req)
			return
		}
		web.ServeHTTP(res, req)
	}))
	t.Cleanup(origin.Close)
	cfg := DefaultConfig()
	cfg.Data, cfg.Delay, cfg.DelayIP = t.TempDir(), 0, 0
	w := startAt(t, cfg, origin.Listener.Addr().(*net.TCPAddr))
	for _, s := range append(sites, traps.Site{Name: "odd.test"}) {
		seed, err := seeds.Parse(w.Canon, "http://"+s.Name+"/")
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, seed)
	}
	if err := w.Seed(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	w.idle()
	l, f := readLedger(w), w.Status()
	known := int64(0)
	for _, n := range f.URLs {
		known += n
	}
	drops := int64(0)
	for _, n := range f.Drops {
		drops += n
	}
	extractDrops, why := dropped(w, "extract")
	t.Logf("%d named = %d URLs + %d known before + %v; %d pages, extract dropped %v", l.named, known, f.Known, f.Drops, l.pages, why)
	for _, x := range []struct {
		stage   string
		in, out int64
	}{
		{"schedule: URLs named = URLs kept + named again + dropped", l.named + f.Probes, known + f.Known + drops},
		{"fetch: sent = answered", int64(len(l.scheduled)), int64(len(l.outcomes))},
		{"extract: pages = documents and deletions", l.pages, l.made},
		{"extract: pages = documents + dropped", l.pages, int64(len(l.latest)) + extractDrops},
		{"extract: pages = digests", l.pages, l.digests},
		{"dedupe: texts by site = documents", int64(len(l.texts)), int64(len(l.live))},
	} {
		if x.in != x.out || x.in == 0 {
			t.Errorf("%s: %d and %d", x.stage, x.in, x.out)
		}
	}
	if l.lists == 0 || f.Drops["trap"] == 0 || f.Known == 0 || extractDrops == 0 || f.Probes == 0 {
		t.Errorf("the crawl had no lists, traps, known links or pages without text: %d, %v, %d", l.lists, f.Drops, extractDrops)
	}
}
