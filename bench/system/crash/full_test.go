package crash

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"millrace/cmd/wire"
	"millrace/ops/simweb"
	"millrace/streams/streamstest"
)

// disk is a file system of a given size.
type disk struct{ dir string }

// mount makes a file system in memory of some MiB, or skips where nobody may.
func mount(t *testing.T, mib string) disk {
	t.Helper()
	d := disk{t.TempDir()}
	if err := syscall.Mount("millrace-test", d.dir, "tmpfs", 0, "size="+mib+"m"); err != nil {
		t.Skipf("no file system of a given size can be mounted here (it takes root): %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(d.dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return d
}

func (d disk) resize(t *testing.T, mib string) {
	t.Helper()
	if err := syscall.Mount("millrace-test", d.dir, "tmpfs", syscall.MS_REMOUNT, "size="+mib+"m"); err != nil {
		t.Fatal(err)
	}
}

// fill takes all that is left, with a file that it returns.
func (d disk) fill(t *testing.T) string {
	t.Helper()
	name := filepath.Join(d.dir, "ballast")
	f, err := os.Create(name)
	for err == nil {
		_, err = f.Write(make([]byte, 1<<16))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// says waits until the process has printed a text as often as n; it must not end before.
func (p *process) says(ctx context.Context, t *testing.T, text string, n int) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for strings.Count(p.out.String(), text) < n {
		select {
		case err := <-p.done:
			t.Fatalf("ended with %v before it said %q\n%s", err, text, p.out)
		case <-ctx.Done():
			t.Fatalf("never said %q\n%s", text, p.out)
		case <-tick.C:
		}
	}
}

// A file system that is truly full, under the whole program: the crawl waits, says why, goes on by
// itself when there is room, and is complete. A start on a full disk ends with an error.
func TestRunGoesOnAfterAFullDisk(t *testing.T) {
	d := mount(t, "14")
	p, err := simweb.Load("fast")
	if err != nil {
		t.Fatal(err)
	}
	p.Hosts, p.HostsPerSite = 20, 2
	p.Pages.Min, p.Pages.Max = 50, 50
	p.Size.Min, p.Size.Median, p.Size.Max = 8000, 12000, 16000
	p.Links.Mean, p.Links.External = 12, 0.2
	w, err := simweb.Build(p, seedOf(t), simweb.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	s, err := simweb.Serve(w, simweb.DefaultServe())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	seeds, dir, bin := w.Seeds(p.Hosts, ""), d.dir+"/data", binary(t)
	ctx, stop := streamstest.Moving(t, patience, requests(s))
	defer stop()
	args := append([]string{"run", "--keep-free", "0"}, flags(s, dir)...)
	args = append(args, "--delay", "0s", "--until-idle", "--idle-wait", "5s")

	crawl := begin(t, bin, append(args, seeds...)...)
	crawl.says(ctx, t, "the disk is full: writes wait for room, nothing is lost", 1)
	crawl.kill(t)
	ballast := d.fill(t) // what the crawl may have given back
	start := begin(t, bin, args...)
	select {
	case err := <-start.done:
		if err == nil || !strings.Contains(start.out.String(), "make room on that disk and start again; nothing is lost") {
			t.Fatalf("a start on a full disk: %v\n%s", err, start.out)
		}
	case <-ctx.Done():
		t.Fatalf("a start on a full disk does not end\n%s", start.out)
	}

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	d.resize(t, "22")
	crawl = begin(t, bin, args...)
	crawl.says(ctx, t, "the disk is full: writes wait for room, nothing is lost", 1)
	d.resize(t, "1000")
	crawl.ends(ctx, t)

	truth, err := s.Truth(simweb.DefaultRules(s.Clock().Now(), seeds...))
	if err != nil {
		t.Fatal(err)
	}
	cfg := wire.DefaultConfig()
	cfg.Data, cfg.AllowPrivate, cfg.Scope = dir, true, "any"
	sys := open(t, cfg)
	agree(t, sys, sys.Shard, truth)
	sys.Close()
}
