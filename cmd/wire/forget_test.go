package wire

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"millrace/ops/web"
)

// twoAddresses serves texts under several addresses each.
func twoAddresses(w http.ResponseWriter, r *http.Request) {
	text := map[string]string{
		"/jane": "Jane lives by the old water mill.", "/jane/": "Jane lives by the old water mill.",
		"/jane?print=1": "Jane lives by the old water mill.",
		"/mary":         "Mary lives by the new bridge.", "/mary?print=1": "Mary lives by the new bridge.",
		"/private": "A private folder of texts.", "/private/diary": "A private diary.", "/private?year=1": "A private year.",
		"/privateer": "A privateer is a ship of war.",
	}[r.URL.RequestURI()]
	switch {
	case r.URL.Path == "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<html><title>Home</title>`)
		for _, path := range []string{"/jane", "/jane/", "/jane?print=1", "/mary", "/mary?print=1", "/private", "/private/diary", "/private?year=1", "/privateer"} {
			fmt.Fprintf(w, `<a href="%s">%s</a> `, path, path)
		}
	case text == "":
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<html><title>%s</title><p>%s %s</p>`, text, text, "Whoever has a mill keeps it clear of weed, and of much else that floats down a river in a year.")
	}
}

// What is removed is what was meant: the answer names where its text stays, --content takes out the
// text under every address, and what is below a page is not what begins like it.
func TestWhatIsRemovedIsWhatWasMeant(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(twoAddresses))
	t.Cleanup(server.Close)
	cfg := DefaultConfig()
	cfg.Data, cfg.Delay = t.TempDir(), 0
	w := startOver(t, cfg, Outside{}, server.Listener.Addr().(*net.TCPAddr))
	w.seed("http://www.a.test/")
	o := &operators{w.System.opened, w.System.groups, w.System.cluster, w.System.additions}
	const at = "http://www.a.test"
	want := func(when string, urls ...string) {
		t.Helper()
		r, err := w.Search(t.Context(), `"keeps it clear of weed" site:www.a.test`, 0, 20)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, h := range r.Hits {
			found = append(found, h.URL)
		}
		slices.Sort(found)
		if slices.Sort(urls); !slices.Equal(found, urls) {
			t.Errorf("%s: found %q, want %q", when, found, urls)
		}
	}
	want("at first", at+"/jane", at+"/mary", at+"/private", at+"/private/diary", at+"/private?year=1", at+"/privateer")

	out, err := o.Forget(t.Context(), web.ForgetCall{URLs: []string{at + "/jane"}})
	if err != nil || !slices.Equal(out.SameText, []string{at + "/jane/", at + "/jane?print=1"}) {
		t.Errorf("removed one of three addresses: %+v, %v", out, err)
	}
	if out, err = o.Forget(t.Context(), web.ForgetCall{URLs: []string{at + "/mary"}, Content: true}); err != nil || len(out.SameText) > 0 {
		t.Errorf("removed a text: %+v, %v", out, err)
	}
	if _, err = o.Forget(t.Context(), web.ForgetCall{URLs: []string{at + "/private"}, Prefix: true}); err != nil {
		t.Error(err)
	}
	w.idle()
	want("after the removals", at+"/jane/", at+"/privateer")

	if _, err = o.Forget(t.Context(), web.ForgetCall{URLs: []string{at + "/private"}, Prefix: true, Lift: true}); err != nil {
		t.Error(err)
	}
	w.idle()
	want("after a lift", at+"/jane/", at+"/private", at+"/private/diary", at+"/private?year=1", at+"/privateer")
}
