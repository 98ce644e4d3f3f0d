package indexnow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "0a1b2c3d-key"

// world is an endpoint, with a host that has files.
type world struct {
	paused schema.Host
	*Endpoint
	files map[string]string // body, by address
	asked []string
	sent  []*schema.Discovered
	now   time.Time
	fail  error // of Send
}

// RoundTrip implements http.RoundTripper.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	w.asked = append(w.asked, r.URL.String())
	rec := httptest.NewRecorder()
	switch body, ok := w.files[r.URL.String()]; {
	case strings.HasPrefix(body, "redirect "):
		http.Redirect(rec, r, body[len("redirect "):], http.StatusFound)
	case ok:
		_, _ = rec.WriteString(body)
	default:
		rec.WriteHeader(http.StatusNotFound)
	}
	return rec.Result(), nil
}

func newWorld(t testing.TB, change func(*Options)) *world {
	t.Helper()
	w := &world{files: map[string]string{"https://www.a.test/" + key + ".txt": key}, now: time.UnixMilli(1_700_000_000_000)}
	o := DefaultOptions()
	if change != nil {
		change(&o)
	}
	var err error
	w.Endpoint, err = New(o, Deps{Canon: &schema.Canonicalizer{}, Client: &http.Client{Transport: w}, Agent: "test",
		InScope: func(h schema.Host, _ schema.Site) bool { return h != "test.outside" },
		Paused:  func(h schema.Host, _ schema.Site) bool { return w.paused == h },
		Send: func(_ context.Context, ms ...*schema.Discovered) error {
			w.sent = append(w.sent, ms...)
			return w.fail
		},
		Clock: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) get(u, key, location string) int {
	q := url.Values{"url": {u}, "key": {key}}
	if location != "" {
		q.Set("keyLocation", location)
	}
	return w.serve(httptest.NewRequest(http.MethodGet, Path+"?"+q.Encode(), nil))
}

func (w *world) post(b body) int {
	raw, _ := json.Marshal(b)
	return w.serve(httptest.NewRequest(http.MethodPost, Path, strings.NewReader(string(raw))))
}

func (w *world) serve(r *http.Request) int {
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	return rec.Code
}

// prove does what Run does with what waits.
func (w *world) proveAll(t testing.TB) {
	for q := w.next(); q != nil; q = w.next() {
		w.prove(t.Context(), q)
	}
}

// A host that an operator paused is not asked for its key file, and its announcements are refused
// until it goes on.
func TestAHostThatIsPausedIsNotAsked(t *testing.T) {
	w := newWorld(t, nil)
	for _, before := range []bool{false, true} { // it announces before it is paused, too
		if before {
			w.get("https://www.a.test/new", key, "")
		}
		w.paused = "test.a.www"
		if code := w.get("https://www.a.test/new", key, ""); code != http.StatusServiceUnavailable {
			t.Errorf("answered %d", code)
		}
		w.proveAll(t)
		if len(w.asked) > 0 || len(w.sent) > 0 {
			t.Errorf("asked %v, sent %v", w.asked, w.sent)
		}
		w.paused = ""
	}
	w.get("https://www.a.test/new", key, "")
	if w.proveAll(t); len(w.sent) != 1 {
		t.Errorf("it goes on: sent %v", w.sent)
	}
}

// The first announcement waits for the key file, later ones do not; the file is asked for once.
func TestAnnouncedURLsAreAddedOnceTheKeyIsProved(t *testing.T) {
	w := newWorld(t, nil)
	if code := w.get("https://www.a.test/new", key, ""); code != http.StatusAccepted || len(w.sent) > 0 {
		t.Fatalf("answered %d before the key was proved, sent %v", code, w.sent)
	}
	w.proveAll(t)
	code := w.post(body{Host: "WWW.a.test", Key: key, URLs: []string{"https://www.a.test/b", "https://www.a.test/c?d=1"}})
	if code != http.StatusOK || len(w.sent) != 2 || len(w.asked) != 1 {
		t.Fatalf("answered %d, %d records, files %v", code, len(w.sent), w.asked)
	}
	add := w.sent[1].GetAdd()
	if w.sent[1].Host != "test.a.www" || add.Producer != Producer || add.FeedRowKey != "test.a.www:https/"+key+".txt" ||
		len(add.Items) != 2 || add.Items[1].Url != "https://www.a.test/c?d=1" || add.Items[1].Lastmod != w.now.UnixMilli() {
		t.Errorf("added %v", w.sent[1])
	}
	w.fail = errors.New("no broker")
	if code := w.get("https://www.a.test/new", key, ""); code != http.StatusServiceUnavailable {
		t.Errorf("answered %d when nothing could be appended", code)
	}
}

// A request that is not what the protocol says is refused, and nobody is asked for a file.
func TestWhatTheProtocolForbidsIsRefused(t *testing.T) {
	w := newWorld(t, nil)
	many := make([]string, MaxURLs+1)
	for i := range many {
		many[i] = fmt.Sprintf("https://www.a.test/%d", i)
	}
	for name, c := range map[string]struct {
		code int
		b    body
	}{
		"a short key":          {422, body{Key: "short", URLs: []string{"https://www.a.test/"}}},
		"a key with a slash":   {422, body{Key: "../../etc/passwd", URLs: []string{"https://www.a.test/"}}},
		"no URL":               {422, body{Key: key}},
		"too many":             {422, body{Key: key, URLs: many}},
		"no URL of a page":     {422, body{Key: key, URLs: []string{"javascript:alert(1)"}}},
		"two hosts":            {422, body{Key: key, URLs: []string{"https://www.a.test/", "https://www.b.test/"}}},
		"another host":         {422, body{Host: "www.b.test", Key: key, URLs: []string{"https://www.a.test/"}}},
		"a key elsewhere":      {422, body{Key: key, KeyLocation: "https://evil.test/k.txt", URLs: []string{"https://www.a.test/"}}},
		"above the key's path": {422, body{Key: key, KeyLocation: "https://www.a.test/shop/k.txt", URLs: []string{"https://www.a.test/other"}}},
		"out of scope":         {422, body{Key: key, URLs: []string{"https://outside.test/"}}},
	} {
		if code := w.post(c.b); code != c.code {
			t.Errorf("%s: answered %d, want %d", name, code, c.code)
		}
	}
	if code := w.serve(httptest.NewRequest(http.MethodPost, Path, strings.NewReader("{"))); code != http.StatusBadRequest {
		t.Errorf("half a JSON: %d", code)
	}
	if code := w.serve(httptest.NewRequest(http.MethodDelete, Path, nil)); code != http.StatusMethodNotAllowed {
		t.Errorf("DELETE: %d", code)
	}
	if code := w.serve(httptest.NewRequest(http.MethodPost, Path, strings.NewReader(strings.Repeat(" ", 5<<20)))); code != http.StatusRequestEntityTooLarge {
		t.Errorf("5 MiB: %d", code)
	}
	if w.proveAll(t); len(w.asked)+len(w.sent) > 0 {
		t.Errorf("asked for %v, sent %v", w.asked, w.sent)
	}
}

// A key that its host does not have brings nothing; who claims many keys does not make the host be
// asked for all of them, and does not take a proved key away.
func TestAKeyThatIsNotOnItsHostBringsNothing(t *testing.T) {
	w := newWorld(t, nil)
	w.files["https://www.a.test/redirected.txt"] = "redirect https://evil.test/redirected.txt"
	w.files["https://evil.test/redirected.txt"] = "redirected"
	w.get("https://www.a.test/x", key, "")
	w.proveAll(t)
	w.sent, w.asked = nil, nil
	for i := range 50 {
		w.get("https://www.a.test/x", fmt.Sprintf("guessed-%04d", i), "")
		w.proveAll(t)
	}
	if len(w.sent) > 0 || len(w.asked) != w.opts.Tries {
		t.Errorf("%d records, asked for %v", len(w.sent), w.asked)
	}
	if code := w.get("https://www.a.test/x", "guessed-0000", ""); code != http.StatusForbidden {
		t.Errorf("a key that was not found: answered %d, want 403", code)
	}
	if code := w.get("https://www.a.test/x", key, ""); code != http.StatusOK {
		t.Errorf("the proved key: answered %d", code)
	}
	w.sent, w.now = nil, w.now.Add(w.opts.Again)
	w.get("https://www.a.test/x", "redirected", "")
	if w.proveAll(t); len(w.sent) > 0 {
		t.Error("a file on another host proves a key")
	}
}

// Requests of one host, and of all, are bounded in a minute, and so are requests that wait.
func TestAFloodIsRefused(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.HostMost, o.Most, o.Waiting, o.Hosts = 5, 20, 3, 4 })
	codes := map[int]int{}
	for range 8 {
		codes[w.get("https://www.a.test/x", key, "")]++
	}
	if codes[http.StatusAccepted] != 3 || codes[http.StatusTooManyRequests] != 5 {
		t.Errorf("one host: %v", codes)
	}
	for i := range 40 {
		codes[w.get(fmt.Sprintf("https://h%d.test/x", i), key, "")]++
	}
	if codes[http.StatusAccepted] != 3 || len(w.waiting) != 3 || len(w.hosts) > 4 {
		t.Errorf("many hosts: %v, %d wait, %d remembered", codes, len(w.waiting), len(w.hosts))
	}
}

func FuzzAnnouncements(f *testing.F) {
	f.Add("url=https://www.a.test/&key="+key, []byte(`{"host":"www.a.test","key":"`+key+`","urlList":["https://www.a.test/x"]}`))
	f.Add("url=%00&key=%ff", []byte(`{"urlList":[null]}`))
	f.Fuzz(func(t *testing.T, query string, raw []byte) {
		w := newWorld(t, nil)
		get := httptest.NewRequest(http.MethodGet, Path, nil)
		get.URL.RawQuery = query
		for _, code := range []int{w.serve(get), w.serve(httptest.NewRequest(http.MethodPost, Path, strings.NewReader(string(raw))))} {
			if code/100 != 2 && code/100 != 4 {
				t.Errorf("answered %d", code)
			}
		}
		w.proveAll(t)
		for _, d := range w.sent {
			for _, it := range d.GetAdd().Items {
				if u, err := w.deps.Canon.Parse(it.Url); err != nil || string(u.Host()) != d.Host {
					t.Errorf("%q is added to host %s", it.Url, d.Host)
				}
			}
		}
	})
}
