package web

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"millrace/bench/outside"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/conformance.txt")

// reply is one recorded server reply of curl's own test suite, and what curl made of it.
type reply struct {
	Test string `json:"test"`
	B64  string `json:"response_b64"`
	exit int
	sha  string
}

// reasons says why a body differs from curl's, or is missing, on purpose.
var reasons = map[string]string{
	"test771":  "two Content-Lengths that differ: newer curls refuse it too",
	"test1116": "chunk lines that end in a bare LF are refused: parsers that disagree about them are how answers are smuggled",
	"test1122": "a transfer coding that was not asked for",
	"test1124": "a transfer coding that was not asked for",
	"test1277": "a transfer coding that was not asked for",
	"test1482": "chunked twice",
	"test1483": "chunked twice",
	"test1493": "the coding identity does not exist any more (RFC 9112, 7)",
	"test1494": "the coding identity does not exist any more (RFC 9112, 7)",
	"test1546": "chunked is not the last coding: newer curls refuse it too",
	"test1704": "HTTP/2 in answer to HTTP/1.1",
	"test1801": "101 was not asked for",
}

func TestRecordedRepliesGiveCurlsBodyOrAnError(t *testing.T) {
	replies := readReplies(t)
	c := client(t, quick())
	var report strings.Builder
	equal, total := 0, 0
	for _, r := range replies {
		got := outcome(t, c, r)
		if r.exit == 0 {
			total++
		}
		switch {
		case r.exit == 0 && got == "equal":
			equal++
			continue
		case r.exit != 0 && strings.HasPrefix(got, "error"):
			continue
		case reasons[r.Test] == "":
			t.Errorf("%s: curl's exit %d, we: %s, and no reason is given", r.Test, r.exit, got)
		}
		fmt.Fprintf(&report, "  %s: curl's exit %d, we: %s: %s\n", r.Test, r.exit, got, reasons[r.Test])
	}
	text := fmt.Sprintf("%d of %d bodies equal curl's where curl exits 0, of %d replies\n%s", equal, total, len(replies), report.String())
	golden := filepath.Join("testdata", "conformance.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || string(want) != text {
		t.Errorf("the share changed (%v); look, then run with -update. Now:\n%s", err, text)
	}
}

// outcome fetches a replayed reply and compares the body's hash with that of curl's.
func outcome(t *testing.T, c *Client, r reply) string {
	b, err := base64.StdEncoding.DecodeString(r.B64)
	if err != nil {
		t.Fatal(err)
	}
	url := raw(t, func(c net.Conn) { sayAndClose(c, b) })
	res := c.Do(t.Context(), Request{URL: url, Whole: true})
	if res.Err != nil {
		return "error " + string(res.Err.Kind)
	}
	sum := sha256.Sum256(res.Body)
	if hex.EncodeToString(sum[:8]) == r.sha {
		return "equal"
	}
	return fmt.Sprintf("status %d, another body of %d bytes", res.Status, len(res.Body))
}

func readReplies(t *testing.T) []reply {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(outside.Need(t, "http"), "curl_http_responses.json"))
	if err != nil {
		t.Fatal(err)
	}
	var replies []reply
	if err := json.Unmarshal(b, &replies); err != nil {
		t.Fatal(err)
	}
	known, err := os.ReadFile(filepath.Join("testdata", "curl.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range replies {
		_, line, ok := strings.Cut(string(known), "\n"+replies[i].Test+" ")
		var status string
		var n int
		if _, err := fmt.Sscanf(line, "%d %s %d %s", &replies[i].exit, &status, &n, &replies[i].sha); !ok || err != nil {
			t.Fatalf("testdata/curl.txt says nothing of %s: %v", replies[i].Test, err)
		}
	}
	if len(replies) == 0 {
		t.Fatal("no replies")
	}
	return replies
}
