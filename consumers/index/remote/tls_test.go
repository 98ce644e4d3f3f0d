package remote

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"millrace/consumers/index/rank"
)

// wiretap passes a server on, and keeps what goes by in both directions.
func wiretap(t *testing.T, server string) (address string, heard func() []byte) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all bytes.Buffer
	var open sync.WaitGroup
	pass := func(from, to net.Conn) {
		defer to.Close()
		b := make([]byte, 32<<10)
		for n, err := from.Read(b); n > 0 || err == nil; n, err = from.Read(b) {
			mu.Lock()
			all.Write(b[:n])
			mu.Unlock()
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
	}
	open.Go(func() {
		for in, err := l.Accept(); err == nil; in, err = l.Accept() {
			out, err := net.Dial("tcp", server)
			if err != nil {
				in.Close()
				continue
			}
			open.Go(func() { pass(in, out) })
			open.Go(func() { pass(out, in) })
		}
	})
	t.Cleanup(func() { l.Close(); open.Wait() })
	return l.Addr().String(), func() []byte {
		mu.Lock()
		defer mu.Unlock()
		return bytes.Clone(all.Bytes())
	}
}

// A listener on the network learns neither the secret nor queries nor results.
func TestWhatTravelsIsEncrypted(t *testing.T) {
	_, peer := serve(t, process(t, map[int32]int{0: 5}), nil)
	address, heard := wiretap(t, strings.TrimPrefix(peer.URL, "https://"))
	peer.URL = "https://" + address
	if r := ask(t, joined(process(t, map[int32]int{1: 2}), peer), "water"); r.Total != 7 {
		t.Fatalf("%d found", r.Total)
	}
	peer.HTTP.CloseIdleConnections()
	b := heard()
	if len(b) < 1000 {
		t.Fatalf("%d bytes heard", len(b))
	}
	for _, word := range []string{"secret", "water", "Page 1 of part 0", "POST", "/view"} {
		if bytes.Contains(b, []byte(word)) {
			t.Errorf("%q on the wire", word)
		}
	}
}

// A process that does not know the secret is neither answered nor believed, whatever certificate it
// has.
func TestOnlyWhoKnowsTheSecretIsAPeer(t *testing.T) {
	h, peer := serve(t, process(t, map[int32]int{0: 5}), nil)
	guess := identity(t, "guess").Client
	blind := func(c *tls.Config) *tls.Config { c = c.Clone(); c.InsecureSkipVerify = true; return c } // as an attacker would
	for name, c := range map[string]*tls.Config{
		"another secret":             guess,
		"another secret, any server": blind(guess),
		"no certificate":             {InsecureSkipVerify: true},
		"one of its own, right name": blind(&tls.Config{Certificates: httptestCertificates()}),
		"an older version of TLS":    {InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12},
	} {
		if _, _, err := (&Peer{URL: peer.URL, HTTP: client(t, c)}).view(t.Context()); err == nil {
			t.Errorf("%s: was answered", name)
		}
	}
	if n := len(h.views); n != 0 {
		t.Errorf("%d views were opened", n)
	}

	for name, id := range map[string]*tls.Config{
		"another secret": identity(t, "guess").Server,
		"a public name":  {Certificates: httptestCertificates()},
	} {
		asked := false
		impostor := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked = true
			_, _ = w.Write([]byte(`{"view":"x","count":1,"parts":[]}`))
		}))
		impostor.TLS, impostor.Config.ErrorLog = id, log.New(io.Discard, "", 0)
		impostor.StartTLS()
		_, _, err := (&Peer{URL: impostor.URL, HTTP: peer.HTTP}).view(t.Context())
		impostor.Close()
		if err == nil || !strings.Contains(err.Error(), "does not know the secret") || asked {
			t.Errorf("%s: asked %t, %v", name, asked, err)
		}
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	_, _, err := (&Peer{URL: "https" + strings.TrimPrefix(plain.URL, "http"), HTTP: peer.HTTP}).view(t.Context())
	if err == nil || !strings.Contains(err.Error(), "HTTP response to HTTPS client") {
		t.Error(err)
	}
	if _, err := NewIdentity(""); err == nil {
		t.Error("an identity without a secret")
	}
}

// httptestCertificates are those of the standard library's test server: good, but not of this
// cluster.
func httptestCertificates() []tls.Certificate {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	return s.TLS.Certificates
}

func TestAnEndlessAnswerIsCut(t *testing.T) {
	sent := 0
	endless := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for b := make([]byte, 1<<20); sent < 4*maxReply; sent += len(b) {
			if _, err := w.Write(b); err != nil {
				return
			}
		}
	}))
	endless.TLS = identity(t, "secret").Server
	endless.StartTLS()
	defer endless.Close()
	p := &Peer{URL: endless.URL, HTTP: client(t, identity(t, "secret").Client)}
	if _, _, err := p.view(t.Context()); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Fatal(err)
	}
	p.HTTP.CloseIdleConnections()
}

// FuzzHandler sends requests with any body: none stops the process, and none makes a shard fail.
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
		h.ServeHTTP(httptest.NewRecorder(), r)
		if st := s.Status()[0]; st.Error != "" {
			t.Fatalf("%s %s made the shard fail: %s", path, b, st.Error)
		}
	})
}

// answers is an HTTP transport that gives one answer.
type answers string

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(a)))}, nil
}

// FuzzAnswer reads any answer of a peer that knows the secret.
func FuzzAnswer(f *testing.F) {
	f.Add(`{"view":"x","count":3,"parts":[{"partition":1,"offset":5,"analysers":["en"]}]}`)
	f.Add(`{"view":"x","count":2147483647,"parts":[{"partition":-1}]}`)
	f.Add(`{"view":"x","parts":[{"partition":-1}]}`)
	f.Add(`{"Totals":{"en":{"docs":-1}},"DF":[[1]],"Hits":[{"Score":1e308}],"Total":-5}`)
	here := process(f, map[int32]int{0: 3})
	f.Fuzz(func(t *testing.T, answer string) {
		peer := &Peer{URL: "https://peer", HTTP: &http.Client{Transport: answers(answer)}}
		if r := ask(t, joined(here, peer), "water"); r.Total < 0 {
			t.Fatalf("%d pages", r.Total)
		}
	})
}
