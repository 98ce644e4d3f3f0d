package remote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"millrace/consumers/index/rank"
)

// wiretap keeps what goes over the wire, and can change it.
type wiretap struct {
	mu     sync.Mutex
	all    bytes.Buffer
	change func([]byte) []byte
}

func (w *wiretap) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprint(&w.all, r.URL, r.Header, string(body), resp.Header, string(answer))
	if w.change != nil {
		answer = w.change(answer)
	}
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	return resp, err
}

func tapped(t *testing.T, p *Peer) *wiretap {
	w := &wiretap{}
	p.Client.HTTP = &http.Client{Transport: w}
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	return w
}

func TestTheSecretStaysAtHome(t *testing.T) {
	_, peer := serve(t, process(t, map[int32]int{0: 5}), func(o *Options) { o.Secret = "dontell" })
	peer.Client.Secret = "dontell"
	wire := tapped(t, peer)
	if r := ask(t, joined(process(t, map[int32]int{1: 2}), peer), "water"); r.Total != 7 {
		t.Fatalf("%d found", r.Total)
	}
	if s := wire.all.String(); strings.Contains(s, "dontell") || !strings.Contains(s, "Page 1 of part 0") {
		t.Fatalf("on the wire: %s", s)
	}
}

// Who takes a peer's place, or changes what it says, is not believed.
func TestAnswersAreBelievedOnlyIfTheyAreSigned(t *testing.T) {
	_, peer := serve(t, process(t, map[int32]int{0: 5}), nil)
	wire := tapped(t, peer)
	if _, _, err := peer.view(t.Context()); err != nil {
		t.Fatal(err)
	}
	wire.change = func(b []byte) []byte { return bytes.Replace(b, []byte(`"offset":5`), []byte(`"offset":9`), 1) }
	if _, _, err := peer.view(t.Context()); err == nil || !strings.Contains(err.Error(), "not signed") {
		t.Fatalf("a changed answer: %v", err)
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"view":"x","count":1,"parts":[]}`))
	}))
	defer other.Close()
	impostor := &Peer{URL: other.URL, Client: &Client{Secret: "secret", HTTP: other.Client()}}
	if _, _, err := impostor.view(t.Context()); err == nil {
		t.Fatal("an answer without a signature was believed")
	}
}

// A request is good for one server and some minutes, and for its own path and body.
func TestARequestCannotBeUsedForAnother(t *testing.T) {
	h, peer := serve(t, process(t, map[int32]int{0: 5}), nil)
	body := []byte("{}")
	challenge := h.asks.now()
	send := func(challenge, signature, path string, body []byte) int {
		r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
		r.Header.Set(challengeHeader, challenge)
		r.Header.Set(signatureHeader, signature)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
	good := signRequest("secret", challenge, "/view", body)
	for name, c := range map[string]struct {
		challenge, signature, path string
		body                       []byte
		want                       int
	}{
		"as it is":           {challenge, good, "/view", body, http.StatusOK},
		"another path":       {challenge, good, "/top", body, http.StatusUnauthorized},
		"another body":       {challenge, good, "/view", []byte("{ }"), http.StatusUnauthorized},
		"another secret":     {challenge, signRequest("guess", challenge, "/view", body), "/view", body, http.StatusUnauthorized},
		"an old challenge":   {h.asks.at(-2), signRequest("secret", h.asks.at(-2), "/view", body), "/view", body, http.StatusUnauthorized},
		"another server's":   {newChallenges().now(), good, "/view", body, http.StatusUnauthorized},
		"the one before":     {h.asks.at(h.asks.number() - 1), signRequest("secret", h.asks.at(h.asks.number()-1), "/view", body), "/view", body, http.StatusOK},
		"too long a request": {challenge, signRequest("secret", challenge, "/view", make([]byte, maxRequest+1)), "/view", make([]byte, maxRequest+1), http.StatusUnauthorized},
	} {
		if got := send(c.challenge, c.signature, c.path, c.body); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	// A server that was started anew has other challenges: the peer asks once more by itself.
	h.asks = newChallenges()
	if _, _, err := peer.view(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestAnEndlessAnswerIsCut(t *testing.T) {
	sent := 0
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for b := make([]byte, 1<<20); sent < 4*maxReply; sent += len(b) {
			if _, err := w.Write(b); err != nil {
				return
			}
		}
	}))
	client := endless.Client()
	defer endless.Close()
	p := &Peer{URL: endless.URL, Client: &Client{Secret: "secret", HTTP: client}}
	if _, _, err := p.view(t.Context()); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Fatal(err)
	}
	client.CloseIdleConnections()
}

// FuzzHandler sends signed requests with any body: none stops the process, and none makes a shard fail.
func FuzzHandler(f *testing.F) {
	top, err := json.Marshal(topRequest{place{"V", 0}, &rank.Plan{
		Words: []rank.Word{{Terms: []rank.Term{{Name: "water"}}}}, Weights: []float64{1}, K: 5,
		Match: rank.Match{Op: rank.Has}, Pairs: []rank.Pair{{First: 0, Second: 0}},
	}})
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{
		"{}", `{"view":"V","partition":0,"words":[{"Terms":[{"Name":"water"}]}]}`, string(top),
		`{"view":"V","ref":{"Segment":0,"Doc":99999}}`, `{"view":"V","ref":{"Segment":-1}}`,
		`{"view":"V","plan":{"Match":{"Op":7,"Sequences":[{"Names":["a"],"At":[]}]},"K":9}}`,
		`{"view":"V","plan":{"Pairs":[{"First":9}],"K":1000000000}}`, `{"view":"V","plan":{"Match":{"Op":10,"From":-2147483648,"To":2147483647},"K":1}}`,
	} {
		for _, path := range []string{"/view", "/stats", "/top", "/page", "/close"} {
			f.Add(path, s)
		}
	}
	s := process(f, map[int32]int{0: 5})
	h, peer := serve(f, s, func(o *Options) { o.MaxViews = 1 << 20 })
	f.Fuzz(func(t *testing.T, path, body string) {
		shards, _, err := peer.view(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b := []byte(strings.ReplaceAll(body, `"V"`, `"`+shards[0].view+`"`))
		r := httptest.NewRequest(http.MethodPost, "/view", bytes.NewReader(b))
		r.URL.Path = path
		challenge := h.asks.now()
		r.Header.Set(challengeHeader, challenge)
		r.Header.Set(signatureHeader, signRequest("secret", challenge, path, b))
		h.ServeHTTP(httptest.NewRecorder(), r)
		if st := s.Status()[0]; st.Error != "" {
			t.Fatalf("%s %s made the shard fail: %s", path, b, st.Error)
		}
	})
}

// answers is an HTTP transport that gives one answer, signed.
type answers string

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	h := http.Header{}
	h.Set(signatureHeader, signReply("secret", r.Header.Get(signatureHeader), http.StatusOK, []byte(a)))
	return &http.Response{StatusCode: http.StatusOK, Header: h, Body: io.NopCloser(strings.NewReader(string(a)))}, nil
}

// FuzzAnswer reads any answer of a peer that knows the secret.
func FuzzAnswer(f *testing.F) {
	f.Add(`{"view":"x","count":3,"parts":[{"partition":1,"offset":5,"analysers":["en"]}]}`)
	f.Add(`{"view":"x","count":2147483647,"parts":[{"partition":-1}]}`)
	f.Add(`{"view":"x","parts":[{"partition":-1}]}`)
	f.Add(`{"Totals":{"en":{"docs":-1}},"DF":[[1]],"Hits":[{"Score":1e308}],"Total":-5}`)
	here := process(f, map[int32]int{0: 3})
	f.Fuzz(func(t *testing.T, answer string) {
		peer := &Peer{URL: "http://peer", Client: &Client{Secret: "secret", HTTP: &http.Client{Transport: answers(answer)}}}
		if r := ask(t, joined(here, peer), "water"); r.Total < 0 {
			t.Fatalf("%d pages", r.Total)
		}
	})
}
