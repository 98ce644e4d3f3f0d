//go:build linux

package main

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"millrace/cmd/wire"
)

// pdfBomb is a PDF of 4 MB whose only page unpacks to 4 GiB.
func pdfBomb(t *testing.T) []byte {
	packed := packedTimes(t, bytes.Repeat([]byte("(mill) Tj "), 1<<20/10), 4096)
	var b bytes.Buffer
	var at []int
	add := func(object string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), object)
	}
	b.WriteString("%PDF-1.4\n")
	add("<< /Type /Catalog /Pages 2 0 R >>")
	add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>")
	add(fmt.Sprintf("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", len(packed), packed))
	add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return b.Bytes()
}

// packedTimes is what zlib makes of a block so many times: packed twice, where the second time is
// as all that follow, since the window before it is the same.
func packedTimes(t *testing.T, block []byte, times int) []byte {
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.DefaultCompression)
	var ends [2]int
	for i := range 2 {
		if err == nil {
			_, err = z.Write(block)
		}
		if err == nil {
			err = z.Flush()
		}
		ends[i] = packed.Len()
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	p := packed.Bytes()
	out := append([]byte{0x78, 0x9c}, p[:ends[0]]...)
	out = append(out, bytes.Repeat(p[ends[0]:ends[1]], times-1)...)
	out = append(out, p[ends[1]:]...)
	return append(out, adlerTimes(block, times)...)
}

// adlerTimes is the checksum (RFC 1950, 9) of a block so many times.
func adlerTimes(block []byte, times int) []byte {
	const mod = 65521
	n := uint64(len(block))
	var sum, weighed uint64
	for i, c := range block {
		sum = (sum + uint64(c)) % mod
		weighed = (weighed + (n-uint64(i))%mod*uint64(c)) % mod
	}
	a, b := uint64(1), uint64(0)
	for range times {
		a, b = (a+sum)%mod, (b+n%mod*a+weighed)%mod
	}
	return binary.BigEndian.AppendUint32(nil, uint32(b<<16|a))
}

// attacked is a site of 40 pages with a PDF bomb on the first.
func attacked(t *testing.T) (url string, bombed <-chan struct{}) {
	bomb, asked := pdfBomb(t), make(chan struct{})
	once := sync.OnceFunc(func() { close(asked) })
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		switch _, err := fmt.Sscanf(r.URL.Path, "/page%d", &n); {
		case r.URL.Path == "/bomb.pdf":
			w.Header().Set("Content-Type", "application/pdf")
			_, _ = w.Write(bomb)
			once()
		case err != nil || n > 40:
			http.NotFound(w, r)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<title>Wheel %d</title><p>The wheel of village %d: %s.</p><a href=/bomb.pdf>plans</a>`, n, n, ownText(n))
			for i := range 40 {
				fmt.Fprintf(w, " <a href=/page%d>wheel %d</a>", i+1, i+1)
			}
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

// ownText is a text that no other page is like, so that the pages are no trap.
func ownText(n int) string {
	words := strings.Fields("mill race water wheel grain stone river village miller turns flows grinds carries old deep narrow wooden sluice")
	r := rand.New(rand.NewPCG(uint64(n), 1))
	var text []string
	for range 60 {
		text = append(text, words[r.IntN(len(words))])
	}
	return strings.Join(text, " ")
}

// peak is the largest resident memory of a process so far, in MiB.
func peak(t *testing.T, pid int) (mib int) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(b)) {
		if _, err := fmt.Sscanf(l, "VmHWM: %d kB", &mib); err == nil {
			return mib >> 10
		}
	}
	t.Fatalf("no VmHWM in\n%s", b)
	return 0
}

// A running process is asked by 200 clients that follow a topic and read nothing, and by 400
// searches at once, while its crawl meets a PDF that unpacks to 4 GiB. Nobody waits for another:
// what is too much is refused, the site is complete and found, memory stays far below the bomb, and
// Ctrl-C ends the process, whose clients are still there.
func TestAProcessUnderAttackGoesOnAndEnds(t *testing.T) {
	site, bombed := attacked(t)
	dir := t.TempDir()
	cmd, out := process(t, flags(dir, site+"/page1")...)
	if !out.has(t.Context(), "\ndashboard ") {
		t.Fatalf("it did not begin: %s", out)
	}
	addr, _, ok := wire.Running(dir)
	if !ok {
		t.Fatal("no address in " + filepath.Join(dir, "address"))
	}
	found := follow(t, addr, "Wheel 40") // begun before all others: it keeps its place
	idle := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	taken, refused := 0, 0
	for range 200 {
		a, err := idle.Get("http://" + addr + "/api/v1/topics/pages.fetched/stream?from_beginning&full")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = a.Body.Close() }) // after the process has ended
		switch a.StatusCode {
		case http.StatusOK:
			taken++
		case http.StatusServiceUnavailable, http.StatusTooManyRequests:
			refused++
		default:
			t.Fatalf("a client that follows: %s", a.Status)
		}
	}
	if taken == 0 || refused == 0 {
		t.Errorf("%d clients follow, %d were refused", taken, refused)
	}
	<-bombed
	var all sync.WaitGroup
	for i := range 400 {
		all.Go(func() {
			a, err := idle.Get(fmt.Sprintf("http://%s/api/v1/search?q=wheel+village+%d", addr, i))
			if err != nil {
				t.Error(err)
				return
			}
			defer a.Body.Close()
			switch a.StatusCode {
			case http.StatusOK, http.StatusServiceUnavailable, http.StatusTooManyRequests:
			default:
				t.Errorf("a search: %s", a.Status)
			}
		})
	}
	all.Wait()
	if err := <-found; err != nil {
		t.Error(err)
	}
	if mib := peak(t, cmd.Process.Pid); mib > 2048 { // the race detector takes most of it
		t.Errorf("the process had %d MiB", mib)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v\n%s", err, out)
	}
}

// follow reads docs.unique and says when a document with a title is there.
func follow(t *testing.T, addr, title string) <-chan error {
	a, err := http.Get("http://" + addr + "/api/v1/topics/docs.unique/stream?from_beginning&full")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Body.Close() })
	found := make(chan error, 1)
	go func() {
		lines := bufio.NewScanner(a.Body)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			if strings.Contains(lines.Text(), title) {
				found <- nil
				return
			}
		}
		found <- fmt.Errorf("%q does not come: %s, %w", title, a.Status, errors.Join(lines.Err(), io.EOF))
	}()
	return found
}
