package taps

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"millrace/consumers/taps/place"
)

// brokenStore is an S3 that fails at one request, in one of three ways.
type brokenStore struct {
	http.Handler
	mu    sync.Mutex
	asked int
	fail  int // the request that fails, from 1
	how   breakage
}

type breakage int

const (
	refused  breakage = iota // 503, nothing is done
	unheard                  // it is done, and the connection ends without an answer
	cutShort                 // the connection ends in the middle of the body, nothing is done
)

// ServeHTTP implements http.Handler.
func (s *brokenStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked++
	broken := s.asked == s.fail
	s.mu.Unlock()
	if !broken {
		s.Handler.ServeHTTP(w, r)
		return
	}
	switch s.how {
	case refused:
		http.Error(w, "slow down", http.StatusServiceUnavailable)
		return
	case unheard:
		s.Handler.ServeHTTP(httptest.NewRecorder(), r)
	case cutShort:
		_, _ = io.CopyN(io.Discard, r.Body, r.ContentLength/2)
	}
	panic(http.ErrAbortHandler)
}

// TestAStoreThatFailsInTheMiddleLosesAndDoublesNothing: whichever request to an S3 fails, and
// however, the tap begins again where it must, and each record is in one object at the end.
func TestAStoreThatFailsInTheMiddleLosesAndDoublesNothing(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_MAX_ATTEMPTS", "1") // what the SDK tries again by itself never comes to the tap
	newWorld(t).failsEverywhere(t, 6, func(t *testing.T) (http.Handler, func(address string) string) {
		back := s3mem.New()
		if err := back.CreateBucket("crawl"); err != nil {
			t.Fatal(err)
		}
		return gofakes3.New(back).Server(), func(address string) string {
			return "s3://crawl/x?region=us-east-1&use_path_style=true&endpoint=http://" + address
		}
	})
}

// TestAGoogleStoreThatFailsInTheMiddleLosesAndDoublesNothing: so it is with Google's store. Its SDK
// tries again by itself what was refused, and what it cannot know to be done if that is safe.
func TestAGoogleStoreThatFailsInTheMiddleLosesAndDoublesNothing(t *testing.T) {
	newWorld(t).failsEverywhere(t, 6, func(t *testing.T) (http.Handler, func(address string) string) {
		back, err := fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, PublicHost: "127.0.0.1"})
		if err != nil {
			t.Fatal(err)
		}
		back.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "crawl"})
		return back.HTTPHandler(), func(address string) string {
			t.Setenv("STORAGE_EMULATOR_HOST", address)
			return "gs://crawl/x?anonymous=true"
		}
	})
}

// store makes an empty store: its handler, and the URL of a folder in it when it is served at an
// address.
type store func(*testing.T) (http.Handler, func(address string) string)

// failsEverywhere lets one request after the other fail, each in a life of its own, with a step
// between two, and in every way.
func (w *world) failsEverywhere(t *testing.T, step int, s store) {
	failed := 0
	for how := refused; how <= cutShort; how++ {
		for at := 1 + step/3*int(how); w.survives(t, s, at, how); at += step { // each takes half a second
			failed++
		}
	}
	if failed < 15 {
		t.Errorf("only %d requests failed", failed)
	}
}

// survives reports whether there was a request of that number.
func (w *world) survives(t *testing.T, s store, at int, how breakage) bool {
	t.Helper()
	handler, folder := s(t)
	broken := &brokenStore{Handler: handler, fail: at, how: how}
	srv := httptest.NewServer(broken)
	defer srv.Close()
	what := fmt.Sprintf("request %d, breakage %d", at, how)
	p, err := place.Open(t.Context(), folder(srv.Listener.Addr().String()))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for try := 0; ; try++ { // as a process that is started again after each error
		tap, err := New(t.Context(), small(), w.deps(p))
		if err == nil {
			err = w.life(t.Context(), tap)
		}
		if err == nil {
			break
		}
		if try == 3 {
			t.Fatalf("%s: %v", what, err)
		}
	}
	dir := t.TempDir()
	copyOut(t, p, dir)
	checkOnce(t, dir, what)
	return broken.asked >= at
}

// copyOut writes what a place holds into a directory.
func copyOut(t *testing.T, p place.Place, dir string) {
	t.Helper()
	names, err := p.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		content, err := p.Read(t.Context(), name)
		to := filepath.Join(dir, filepath.FromSlash(name))
		err = errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755))
		if err = errors.Join(err, os.WriteFile(to, bytes.Clone(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}
