package websub

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/schema"
	"millrace/streams/state"
	"millrace/streams/state/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const feed = "com.example:https/feed"

// world is a subscriber with a hub that does what the recommendation asks of it.
type world struct {
	t     *testing.T
	store state.Store
	sub   *Subscriber
	door  *httptest.Server
	hub   *httptest.Server
	now   time.Time

	asked []url.Values
	sent  []*schema.Discovered
}

func newWorld(t *testing.T) *world {
	t.Helper()
	store, err := embedded.Open(t.TempDir(), embedded.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	w := &world{t: t, store: store, now: time.UnixMilli(1_700_000_000_000)}
	w.hub = httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		w.asked = append(w.asked, r.PostForm)
		rw.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(w.hub.Close)
	w.door = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.sub.ServeHTTP(rw, r) }))
	t.Cleanup(w.door.Close)
	w.open()
	return w
}

// open is a start of the process.
func (w *world) open() {
	w.t.Helper()
	o := DefaultOptions()
	o.Base = w.door.URL
	var err error
	w.sub, err = Open(w.t.Context(), o, Deps{Store: w.store, Client: w.hub.Client(), Agent: "test", Clock: func() time.Time { return w.now },
		Log: slog.New(slog.DiscardHandler),
		Items: func(p *schema.Page) []*schema.Discovered {
			if !strings.Contains(string(p.Body), "item") {
				return nil
			}
			return []*schema.Discovered{{Host: "com.example", Body: &schema.Discovered_Add{
				Add: &schema.Add{Items: []*schema.AddItem{{Url: "https://example.com/new"}}}}}}
		},
		Send: func(_ context.Context, ms ...*schema.Discovered) error { w.sent = append(w.sent, ms...); return nil },
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// ask lets the subscriber ask its hub, and returns what it asked.
func (w *world) ask() url.Values {
	w.t.Helper()
	n := len(w.asked)
	w.now = w.now.Add(2 * time.Second)
	w.sub.step(w.t.Context())
	if len(w.asked) != n+1 {
		w.t.Fatalf("the hub was asked %d times", len(w.asked)-n)
	}
	return w.asked[n]
}

func (w *world) get(address string, q url.Values) (int, string) {
	w.t.Helper()
	r, err := http.Get(address + "?" + q.Encode())
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(b)
}

func (w *world) push(address, secret, body string) int {
	w.t.Helper()
	r, _ := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	r.Header.Set("X-Hub-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = a.Body.Close()
	return a.StatusCode
}

// verified subscribes, and returns what was asked of the hub.
func (w *world) verified(lease string) url.Values {
	w.t.Helper()
	if err := w.sub.Learn(w.t.Context(), feed, w.hub.URL, "https://example.com/feed"); err != nil {
		w.t.Fatal(err)
	}
	form := w.ask()
	code, body := w.get(form.Get("hub.callback"), url.Values{"hub.mode": {"subscribe"}, "hub.topic": {form.Get("hub.topic")},
		"hub.challenge": {"c-1"}, "hub.lease_seconds": {lease}})
	if code != 200 || body != "c-1" {
		w.t.Fatalf("verification answered %d %q", code, body)
	}
	return form
}

// A signed push brings its URLs, before and after a restart; a forged one nothing.
func TestAPushBringsItsItems(t *testing.T) {
	w := newWorld(t)
	form := w.verified("864000")
	at, secret := form.Get("hub.callback"), form.Get("hub.secret")
	for range 2 {
		if code := w.push(at, secret, "an item"); code != http.StatusAccepted || len(w.sent) != 1 {
			t.Fatalf("answered %d, %d records", code, len(w.sent))
		}
		add := w.sent[0].GetAdd()
		if add.Producer != Producer || add.FeedRowKey != feed || add.Items[0].Url != "https://example.com/new" {
			t.Errorf("added %v", add)
		}
		if w.push(at, secret+"x", "an item"); len(w.sent) != 1 {
			t.Errorf("a forged push brought %d records", len(w.sent)-1)
		}
		w.sent = nil
		w.open()
	}
	if w.push(at, secret, "a ping"); len(w.sent) != 1 || w.sent[0].GetAdd().Items[0].Kind != schema.Kind_FEED {
		t.Errorf("a ping without entries brought %v, want the feed", w.sent)
	}
	if line := w.sub.List()[0]; line.Pushes != 3 || line.Refused != 2 || line.State != "verified" {
		t.Errorf("%+v", line)
	}
	w.sent = nil
	if w.now = w.now.Add(11 * 24 * time.Hour); w.push(at, secret, "an item") != http.StatusNotFound || len(w.sent) > 0 {
		t.Errorf("a push after the end of the lease brought %v", w.sent)
	}
}

// Nothing is confirmed that was not asked for, and addresses cannot be guessed.
func TestOnlyWhatWasAskedIsConfirmed(t *testing.T) {
	w := newWorld(t)
	form := w.verified("3600")
	at, topic := form.Get("hub.callback"), form.Get("hub.topic")
	if id := at[strings.LastIndexByte(at, '/')+1:]; len(id) < 26 {
		t.Errorf("the callback ends with %q", id)
	}
	for _, q := range []url.Values{
		{"hub.mode": {"subscribe"}, "hub.topic": {"https://example.com/other"}, "hub.challenge": {"c"}},
		{"hub.mode": {"unsubscribe"}, "hub.topic": {topic}, "hub.challenge": {"c"}},
		{"hub.mode": {"subscribe"}, "hub.topic": {topic}},
		{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.challenge": {strings.Repeat("c", maxChallenge+1)}},
	} {
		if code, _ := w.get(at, q); code != http.StatusNotFound {
			t.Errorf("%v is answered with %d", q, code)
		}
	}
	if code, _ := w.get(w.door.URL+Path+"unknown", url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.challenge": {"c"}}); code != http.StatusNotFound {
		t.Errorf("an unknown callback is answered with %d", code)
	}
}

// A lease is renewed before it ends, and a hub that a feed names no more is told so.
func TestLeasesAreRenewedAndEnded(t *testing.T) {
	w := newWorld(t)
	form := w.verified("3600")
	if w.now = w.now.Add(50 * time.Minute); len(w.asked) != 1 {
		t.Fatal("renewed at once")
	}
	w.now = w.now.Add(5 * time.Minute)
	if again := w.ask(); again.Get("hub.mode") != "subscribe" || again.Get("hub.callback") != form.Get("hub.callback") {
		t.Errorf("renewal asks %v", again)
	}
	if err := w.sub.Learn(t.Context(), feed, "", ""); err != nil {
		t.Fatal(err)
	}
	bye := w.ask()
	code, body := w.get(bye.Get("hub.callback"), url.Values{"hub.mode": {"unsubscribe"}, "hub.topic": {bye.Get("hub.topic")}, "hub.challenge": {"c-2"}})
	if bye.Get("hub.mode") != "unsubscribe" || code != 200 || body != "c-2" || len(w.sub.List()) != 0 {
		t.Errorf("asked %v, answered %d %q, left %v", bye, code, body, w.sub.List())
	}
	if w.open(); len(w.sub.List()) != 0 {
		t.Error("it is back after a restart")
	}
}

func FuzzTheDoorOfHubs(f *testing.F) {
	f.Add("hub.mode=subscribe&hub.topic=x&hub.challenge=c", "sha1=00", []byte("item"))
	s := &Subscriber{opts: DefaultOptions(), byID: map[string]*subscription{}}
	f.Fuzz(func(t *testing.T, query, signature string, body []byte) {
		q, _ := url.ParseQuery(query)
		if _, ok, err := s.verify(t.Context(), "unknown", q); ok || err != nil {
			t.Errorf("confirmed %q", query)
		}
		if signed("a secret that nobody knows", signature, body) {
			t.Errorf("signature %q is taken", signature)
		}
	})
}
