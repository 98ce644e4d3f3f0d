package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	stdlog "log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"millrace/ops/records"
	message "millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// A proxy between an analyst and the process cuts each connection after some bytes, in the middle
// of a record, before the first one, or behind one. Who reconnects with the last id sees each
// record once. Records that come while nobody is connected are not missed, also if not one record
// had come yet.
func TestEventsThatAProxyCutsAreResumedWithoutAGap(t *testing.T) {
	opts := streamstest.Options(t)
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	out, err := streams.NewProducer(t.Context(), opts, "test", topics.Pages())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	s := newSite(t)
	s.d.Follow = func(ctx context.Context, topic string, o records.Options, begin records.Position, to records.Follower) error {
		return records.Follow(ctx, log, topic, o, begin, to)
	}
	back := httptest.NewServer(s.server())
	defer back.Close()
	to, err := url.Parse(back.URL)
	if err != nil {
		t.Fatal(err)
	}
	left := 0 // bytes until the next cut
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1, ErrorLog: stdlog.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = "example.com" },
		ModifyResponse: func(r *http.Response) error {
			r.Body = &cutBody{r.Body, left}
			return nil
		},
	}
	front := httptest.NewServer(proxy)
	defer front.Close()

	const n = 12
	sent := 0
	var seen []string
	id := ""
	for round := 0; len(seen) < n; round++ {
		if round > 200 {
			t.Fatalf("after %d connections %d of %d records", round, len(seen), n)
		}
		left = 60 + 97*round%1500 // sometimes less than the first id and a record need
		seen = append(seen, connect(t, front.URL+"/api/v1/topics/pages.fetched/stream", &id, sent-len(seen))...)
		for end := min(n, sent+1+round%2); sent < end && id != ""; sent++ { // while nobody is connected
			if err := out.Send(t.Context(), &message.Page{RowKey: fmt.Sprintf("test.h%d:http/%d", sent%5, sent), Body: make([]byte, 100)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	slices.Sort(seen)
	if len(slices.Compact(slices.Clone(seen))) != n || len(seen) != n {
		t.Errorf("%d records were seen, %d of them different, want %d once each: %v", len(seen), len(slices.Compact(seen)), n, seen)
	}
}

// connect reads events until the connection is cut, or there were as many records as there are. It
// keeps the last id, and returns the keys of the records whose event was whole.
func connect(t *testing.T, address string, id *string, most int) (keys []string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if *id != "" {
		req.Header.Set("Last-Event-ID", *id)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil // it was cut before the status
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(resp.Body)
		t.Fatalf("%s: %s", resp.Status, b)
	}
	next, key := "", ""
	lines := bufio.NewReader(resp.Body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return keys
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case name == "id":
			next = value
		case name == "data":
			key = strings.Split(strings.SplitAfter(value, `"rowKey":"`)[1], `"`)[0]
		case line == "\n": // the end of an event: only now it counts
			if next != "" {
				*id = next
			}
			if key != "" {
				keys = append(keys, key)
			}
			if next, key = "", ""; len(keys) == most && *id != "" {
				return keys
			}
		}
	}
}

// cutBody ends with an error after some bytes.
type cutBody struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (c *cutBody) Read(b []byte) (int, error) {
	if c.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.ReadCloser.Read(b[:min(len(b), c.left)])
	c.left -= n
	return n, err
}
