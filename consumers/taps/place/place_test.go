package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// A library of the fake of Google's store starts it in its init; the product has it not.
		goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

// store is an S3 in this process, with one bucket; it returns the address of a folder in it.
func store(t *testing.T) string {
	t.Helper()
	back := s3mem.New()
	if err := back.CreateBucket("crawl"); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(gofakes3.New(back).Server())
	t.Cleanup(srv.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	return "s3://crawl/taps/documents?region=us-east-1&use_path_style=true&endpoint=" + srv.URL
}

// google is a Google Cloud Storage in this process, with one bucket; it returns the address of a
// folder in it.
func google(t *testing.T) string {
	t.Helper()
	srv, err := fakestorage.NewServerWithOptions(fakestorage.Options{NoListener: true, PublicHost: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	srv.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: "crawl"})
	web := httptest.NewServer(srv.HTTPHandler())
	t.Cleanup(web.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", web.Listener.Addr().String())
	return "gs://crawl/taps/documents?anonymous=true"
}

// All kinds of places keep the contract of Place.
func TestPlacesKeepTheirContract(t *testing.T) {
	for name, where := range map[string]string{"directory": t.TempDir(), "S3": store(t), "Google": google(t)} {
		t.Run(name, func(t *testing.T) {
			p, err := Open(t.Context(), where)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}()
			contract(t, p)
		})
	}
}

func contract(t *testing.T, p Place) {
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		t.Helper()
		must(p.Write(ctx, name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }))
	}
	holds := func(name, want string) {
		t.Helper()
		if b, err := p.Read(ctx, name); err != nil || string(b) != want {
			t.Errorf("%s holds %q, %v; want %q", name, b, err, want)
		}
	}
	write("day=1/a.txt", "one")
	write("day=1/a.txt", "two")
	holds("day=1/a.txt", "two")

	broken := errors.New("broken")
	err := p.Write(ctx, "day=1/half.txt", func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("half", 4<<20)) // more than one part of an upload
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("a write that failed: %v", err)
	}
	if _, err := p.Read(ctx, "day=1/half.txt"); !errors.Is(err, ErrMissing) {
		t.Errorf("half a file is there: %v", err)
	}

	oneWins(t, p)

	r, size, err := p.Open(ctx, "day=1/a.txt")
	must(err)
	b := make([]byte, 4)
	if n, err := r.ReadAt(b, 1); size != 3 || n != 2 || !errors.Is(err, io.EOF) || string(b[:n]) != "wo" {
		t.Errorf("read %q of %d, %v", b[:n], size, err)
	}
	must(r.Close())
	if _, _, err := p.Open(ctx, "nothing"); !errors.Is(err, ErrMissing) {
		t.Errorf("opened what is not there: %v", err)
	}

	for range 2 { // repeating it changes nothing
		must(p.Move(ctx, "day=1/a.txt", "day=2/b.txt"))
		holds("day=2/b.txt", "two")
	}
	if err := p.Move(ctx, "nothing", "nowhere"); !errors.Is(err, ErrMissing) {
		t.Errorf("moved what is not there: %v", err)
	}
	write("day=2/c.txt", "")
	must(p.Sweep(ctx, "day=2/", func(string) bool { return true })) // deletes no file that is whole
	must(p.Sweep(ctx, "nothing/", func(string) bool { return true }))
	if names, err := p.List(ctx, "day=2/"); err != nil || !slices.Equal(names, []string{"day=2/b.txt", "day=2/c.txt"}) {
		t.Errorf("listed %q, %v", names, err)
	}
	if names, err := p.List(ctx, ""); err != nil || !slices.Equal(names, []string{"day=2/b.txt", "day=2/c.txt", "once"}) {
		t.Errorf("listed %q, %v", names, err)
	}
	for range 2 {
		must(p.Remove(ctx, "day=2/b.txt"))
	}
	if names, err := p.List(ctx, "day=2/"); err != nil || len(names) != 1 {
		t.Errorf("listed %q, %v", names, err)
	}
}

// oneWins lets many create a name at the same time.
func oneWins(t *testing.T, p Place) {
	t.Helper()
	var all sync.WaitGroup
	var winner atomic.Int32
	for i := range 8 {
		all.Go(func() {
			switch err := p.CreateOnce(t.Context(), "once", fmt.Appendf(nil, "writer %d", i+1)); {
			case err == nil:
				if other := winner.Swap(int32(i + 1)); other != 0 {
					t.Errorf("both %d and %d created it", other, i+1)
				}
			case !errors.Is(err, ErrExists):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if b, err := p.Read(t.Context(), "once"); err != nil || string(b) != fmt.Sprintf("writer %d", winner.Load()) {
		t.Errorf("it holds %q, %v; %d was the one", b, err, winner.Load())
	}
}

// What cannot be a place is said, with what to write instead, and no secret.
func TestPlacesThatCannotBe(t *testing.T) {
	for where, want := range map[string]string{
		"":                        "no directory is named",
		"ftp://crawl":             "gs://bucket/folder",
		"gs:///folder":            "gs://bucket/folder",
		"gs://key:hush@crawl":     "GOOGLE_APPLICATION_CREDENTIALS",
		"s3:///folder":            "names no bucket",
		"s3://key:hush@crawl":     "AWS_ACCESS_KEY_ID",
		"s3://crawl?colour=green": "colour",
	} {
		p, err := Open(context.Background(), where)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: %v, %v; want %q", where, p, err, want)
		}
	}
}

// A key in an address is refused, and no error repeats it, however the address is wrong.
func TestNoErrorRepeatsAKey(t *testing.T) {
	for _, where := range []string{"s3://name:geheim@bucket/x", "s3://name:ge%heim@bucket/x", "gs://name:geheim@bucket", "s3://geheim@/x", "ftp://name:geheim@host/x"} {
		p, err := Open(t.Context(), where)
		if err == nil {
			_ = p.Close()
		}
		if err == nil || strings.Contains(err.Error(), "heim") {
			t.Errorf("%s: %v", where, err)
		}
	}
}
