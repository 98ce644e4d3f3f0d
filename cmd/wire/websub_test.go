package wire

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// hubbed is a site whose feed names a hub, and that hub; the hub's requests reach the crawl.
type hubbed struct {
	*httptest.Server
	hub    *httptest.Server
	client *http.Client    // of the hub, and of anybody who writes to the crawl
	asked  chan url.Values // what was asked of the hub
	header bool            // the hub is named by the Link header of the feed's answer, not in its body
	files  atomic.Int64    // requests for the key file of IndexNow
	items  chan string     // paths of items that were fetched
}

func newHubbed(t *testing.T) *hubbed {
	t.Helper()
	h := &hubbed{asked: make(chan url.Values, 8), items: make(chan string, 64)}
	h.Server = httptest.NewServer(http.HandlerFunc(h.site))
	h.hub = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		h.asked <- r.PostForm
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(h.Close)
	t.Cleanup(h.hub.Close)
	return h
}

func (h *hubbed) feed(items ...string) string {
	var b strings.Builder
	b.WriteString(`<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>f</id>`)
	if !h.header {
		fmt.Fprintf(&b, `<link rel="hub" href="%s/"/><link rel="self" href="http://www.a.test/feed"/>`, h.hub.URL)
	}
	for _, it := range items {
		fmt.Fprintf(&b, `<entry><id>%s</id><title>n</title><link href="%s"/></entry>`, it, it)
	}
	return b.String() + "</feed>"
}

func (h *hubbed) site(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/feed":
		w.Header().Set("Content-Type", "application/atom+xml")
		if h.header {
			w.Header().Set("Link", fmt.Sprintf(`<%s/>; rel=hub, <http://www.a.test/feed>; rel="self"`, h.hub.URL))
		}
		fmt.Fprint(w, h.feed())
	case strings.HasPrefix(r.URL.Path, "/item/"):
		h.items <- r.URL.Path
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<html lang=en><title>Item</title><article><p>%s %s</article>`, text, strings.Repeat("The number of this item is "+r.URL.Path[len("/item/"):]+". ", 4))
	case r.URL.Path == "/"+announcedKey+".txt":
		h.files.Add(1)
		fmt.Fprintln(w, announcedKey)
	default:
		http.NotFound(w, r)
	}
}

// announcedKey proves that its host wants URLs to be announced.
const announcedKey = "5a17-this-is-the-key"

// startHubbed starts a crawl with WebSub and IndexNow whose web server runs, and waits until a hub
// was asked for the feed.
func startHubbed(t *testing.T, h *hubbed) (w *world, asked url.Values) {
	t.Helper()
	cfg := DefaultConfig()
	cfg.Data, cfg.Delay, cfg.Listen = t.TempDir(), 0, "127.0.0.1:0"
	cfg.IndexNow = true
	cfg.WebSub, cfg.ServeNames = "http://crawler.test", []string{"crawler.test"}
	w = startOver(t, cfg, Outside{Hubs: h.reaching()}, h.Listener.Addr().(*net.TCPAddr))
	site, err := w.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- site.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, site.Addr())
	}}
	t.Cleanup(transport.CloseIdleConnections)
	h.client = &http.Client{Transport: transport}
	w.seed("http://www.a.test/feed")
	select {
	case asked = <-h.asked:
	case <-time.After(2 * time.Minute):
		t.Fatal("no hub was asked")
	}
	return w, asked
}

// reaching is a client that reaches the hub and the site.
func (h *hubbed) reaching() *http.Client {
	c := h.hub.Client()
	c.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasSuffix(address, ".test:80") {
			address = h.Listener.Addr().String()
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	return c
}

// verify sends the request with which a hub checks a request to subscribe, and returns the answer.
func (h *hubbed) verify(t *testing.T, callback string, q url.Values) (int, string) {
	t.Helper()
	a, err := h.client.Get(callback + "?" + q.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	b, _ := io.ReadAll(a.Body)
	return a.StatusCode, string(b)
}

func (h *hubbed) push(t *testing.T, callback, secret, body string) int {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, callback, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	r.Header.Set("X-Hub-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	a, err := h.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = a.Body.Close()
	return a.StatusCode
}

// TestWhatAHubPushesIsFound follows an item from the hub through the running process into search:
// the feed itself never lists it. The hub is named by the feed, or by the Link header of its
// answer.
func TestWhatAHubPushesIsFound(t *testing.T) {
	t.Run("named by the feed", func(t *testing.T) { pushedIsFound(t, false) })
	t.Run("named by a Link header", func(t *testing.T) { pushedIsFound(t, true) })
}

func pushedIsFound(t *testing.T, header bool) {
	h := newHubbed(t)
	h.header = header
	w, asked := startHubbed(t, h)
	callback, secret := asked.Get("hub.callback"), asked.Get("hub.secret")
	if asked.Get("hub.mode") != "subscribe" || asked.Get("hub.topic") != "http://www.a.test/feed" || len(secret) < 20 {
		t.Fatalf("the hub was asked %v", asked)
	}
	good := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {asked.Get("hub.topic")}, "hub.challenge": {"sesame"}, "hub.lease_seconds": {"86400"}}
	if code, body := h.verify(t, callback, good); code != http.StatusOK || body != "sesame" {
		t.Fatalf("verification answered %d %q", code, body)
	}
	if code := h.push(t, callback, secret, h.feed("http://www.a.test/item/first")); code != http.StatusAccepted {
		t.Fatalf("push answered %d", code)
	}
	w.idle()
	if found := w.found(); !strings.Contains(found, "http://www.a.test/item/first") {
		t.Errorf("found %q after a push", found)
	}
}

// TestStrangersAtTheDoorOfHubsChangeNothing attacks the running process: verifications that nobody
// asked for, forged and unsigned content, content without end, and more of it than the bound.
func TestStrangersAtTheDoorOfHubsChangeNothing(t *testing.T) {
	h := newHubbed(t)
	w, asked := startHubbed(t, h)
	callback, secret, topic := asked.Get("hub.callback"), asked.Get("hub.secret"), asked.Get("hub.topic")
	evil := h.feed("http://www.a.test/item/evil")
	if code := h.push(t, callback, secret, evil); code != http.StatusNotFound {
		t.Errorf("content before the verification is answered with %d", code)
	}
	for name, c := range map[string]struct {
		callback string
		q        url.Values
	}{
		"another topic":      {callback, url.Values{"hub.mode": {"subscribe"}, "hub.topic": {"http://www.b.test/feed"}, "hub.challenge": {"c"}}},
		"another callback":   {"http://crawler.test/websub/aaaaaaaaaaaaaaaaaaaaaaaaaa", url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.challenge": {"c"}}},
		"unsubscribe":        {callback, url.Values{"hub.mode": {"unsubscribe"}, "hub.topic": {topic}, "hub.challenge": {"c"}}},
		"a long challenge":   {callback, url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.challenge": {strings.Repeat("c", 4<<10)}}},
		"no challenge":       {callback, url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}}},
		"a mode of its own":  {callback, url.Values{"hub.mode": {"publish"}, "hub.topic": {topic}, "hub.challenge": {"c"}}},
		"nothing it asks of": {callback, nil},
	} {
		if code, body := h.verify(t, c.callback, c.q); code != http.StatusNotFound || strings.HasPrefix(body, "c") {
			t.Errorf("%s: answered with %d %.50q", name, code, body)
		}
	}
	good := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.challenge": {"sesame"}, "hub.lease_seconds": {"86400"}}
	if code, _ := h.verify(t, callback, good); code != http.StatusOK {
		t.Fatalf("the verification is answered with %d", code)
	}
	if code := h.push(t, callback, "guessed", evil); code != http.StatusAccepted {
		t.Errorf("forged content is answered with %d, want 202: a forger learns nothing", code)
	}
	for name, want := range map[string]int{callback: http.StatusRequestEntityTooLarge, "http://crawler.test/websub/unknown": http.StatusNotFound} {
		if code := h.push(t, name, secret, evil+strings.Repeat(" ", 2<<20)); code != want {
			t.Errorf("%s: content of 2 MiB is answered with %d, want %d", name, code, want)
		}
	}
	flooded := false
	for n := 0; n < 1000 && !flooded; n++ {
		flooded = h.push(t, callback, "guessed", evil) == http.StatusTooManyRequests
	}
	if !flooded {
		t.Error("1000 contents in a row are taken")
	}
	w.idle()
	if found := w.found(); strings.Contains(found, "evil") {
		t.Errorf("found %q", found)
	}
	if line := w.websub.List()[0]; line.Items != 0 || line.Refused < 1 || line.State != "verified" {
		t.Errorf("the subscription after all that: %+v", line)
	}
}

// TestWhatASiteAnnouncesIsFound announces URLs to the running process by IndexNow: the host is
// asked for its key once, what it announced is found, and what a stranger announces is not.
func TestWhatASiteAnnouncesIsFound(t *testing.T) {
	h := newHubbed(t)
	w, _ := startHubbed(t, h)
	announce := func(key, path string) int {
		t.Helper()
		q := url.Values{"url": {"http://www.a.test" + path}, "key": {key}}
		a, err := h.client.Get("http://crawler.test/indexnow?" + q.Encode())
		if err != nil {
			t.Fatal(err)
		}
		_ = a.Body.Close()
		return a.StatusCode
	}
	if code := announce(announcedKey, "/item/first"); code != http.StatusAccepted {
		t.Fatalf("the first one is answered with %d", code)
	}
	select { // it is fetched when the key is proved
	case p := <-h.items:
		if p != "/item/first" {
			t.Fatalf("%s is fetched first", p)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("the key is never proved")
	}
	if code := announce(announcedKey, "/item/second"); code != http.StatusOK {
		t.Fatalf("the second one is answered with %d", code)
	}
	if code := announce("a-key-it-does-not-have", "/item/evil"); code != http.StatusAccepted {
		t.Errorf("a stranger is answered with %d", code)
	}
	w.idle()
	if found := w.found(); !strings.Contains(found, "/item/first") || !strings.Contains(found, "/item/second") || strings.Contains(found, "evil") {
		t.Errorf("found %q", found)
	}
	if n := h.files.Load(); n != 1 {
		t.Errorf("the key file was asked for %d times", n)
	}
}

// TestADoorOpensWithTheCrawlsOwnClient protects the start of `millrace run --websub --indexnow`:
// the other tests here bring a client of their own.
func TestADoorOpensWithTheCrawlsOwnClient(t *testing.T) {
	h := newHubbed(t)
	cfg := DefaultConfig()
	cfg.Data, cfg.WebSub, cfg.IndexNow = t.TempDir(), "http://crawler.test", true
	w := startOver(t, cfg, Outside{}, h.Listener.Addr().(*net.TCPAddr))
	if w.hubs() == nil || w.announced() == nil {
		t.Error("there is no door")
	}
}
