package opensearch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// items answers a bulk request with a status for each operation, by its id.
func items(t *testing.T, status func(id string) int) *client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var list []any
		for dec := json.NewDecoder(r.Body); dec.More(); {
			var line struct {
				Delete, Index *struct {
					ID string `json:"_id"`
				}
			}
			if err := dec.Decode(&line); err != nil {
				t.Error(err)
			}
			for verb, m := range map[string]*struct {
				ID string `json:"_id"`
			}{"delete": line.Delete, "index": line.Index} {
				if m == nil {
					continue
				}
				item := map[string]any{"status": status(m.ID)}
				if item["status"].(int) >= 400 {
					item["error"] = map[string]any{"type": "some_exception", "reason": "why"}
				}
				list = append(list, map[string]any{verb: item})
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"items": list})
	}))
	t.Cleanup(s.Close)
	o := DefaultOptions()
	o.URL, o.Client = s.URL, s.Client()
	return newClient(o)
}

// deletes are operations on ids, in this order.
func deletes(t *testing.T, ids ...string) (out []op) {
	t.Helper()
	for i, id := range ids {
		lines, err := operation("millrace", id, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, op{lines: lines, which: i})
	}
	return out
}

// An index that refuses everything, as a closed one does with 400, refuses no document: all of them
// are sent again. If it takes others, the document is the cause.
func TestAnIndexThatRefusesEverythingRefusesNoDocument(t *testing.T) {
	all := items(t, func(string) int { return http.StatusBadRequest })
	if out := all.bulk(t.Context(), deletes(t, "a", "b")); len(out.refused) > 0 || len(out.again) != 2 || out.err == nil {
		t.Errorf("a closed index: %+v", out)
	}
	one := items(t, func(id string) int {
		if id == "a" {
			return http.StatusBadRequest
		}
		return http.StatusOK
	})
	for _, ids := range [][]string{{"a", "b"}, {"a"}} {
		if out := one.bulk(t.Context(), deletes(t, ids...)); out.refused[0] == nil || len(out.again) > 0 || out.err != nil {
			t.Errorf("%v: %+v", ids, out)
		}
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "not today", http.StatusRequestEntityTooLarge)
	}))
	t.Cleanup(proxy.Close)
	o := DefaultOptions()
	o.URL, o.Client = proxy.URL, proxy.Client()
	if out := newClient(o).bulk(t.Context(), deletes(t, "a", "b", "c")); len(out.refused) > 0 || len(out.again) != 3 || out.err == nil {
		t.Errorf("a proxy that refuses all requests: %+v", out)
	}
}

// A document at which the index fails each time does not hold up its partition for ever: after ten
// tries it is a dead letter. An index that fails at everything is waited for.
func TestADocumentAtWhichTheIndexFailsEndsAsADeadLetter(t *testing.T) {
	c := items(t, func(id string) int {
		if id == "a" {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	})
	ops, tries := deletes(t, "b", "a"), 0
	for ; len(ops) > 0 && tries < 20; tries++ {
		out := c.bulk(t.Context(), ops)
		if ops = out.again; len(ops) == 0 && out.refused[1] == nil {
			t.Errorf("it ended as %+v", out)
		}
	}
	if tries != mostTries {
		t.Errorf("%d tries", tries)
	}
	down := items(t, func(string) int { return http.StatusInternalServerError })
	ops = deletes(t, "a", "b")
	for range 2 * mostTries {
		out := down.bulk(t.Context(), ops)
		if ops = out.again; len(ops) != 2 || len(out.refused) > 0 || out.err == nil {
			t.Fatalf("an index that fails at everything: %+v", out)
		}
	}
}

// rough is a transport to a server on a bad day: every other bulk request fails, each time in
// another way; a request may have been done, and only its answer be lost.
type rough struct {
	http.RoundTripper
	n atomic.Int64
}

var errCut = errors.New("connection reset by peer")

func (r *rough) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(req.URL.Path, "_bulk") {
		return r.RoundTripper.RoundTrip(req)
	}
	n := r.n.Add(1)
	if n%2 == 0 {
		return r.RoundTripper.RoundTrip(req)
	}
	statuses := []int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusRequestEntityTooLarge, http.StatusUnauthorized,
		http.StatusForbidden, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}
	i := int(n/2) % (len(statuses) + 3)
	if i < len(statuses) && statuses[i] == http.StatusRequestEntityTooLarge && operations(req) < 2 {
		i = 0 // one document alone that is too large would be its fault
	}
	switch i {
	case len(statuses): // not sent
		_ = req.Body.Close()
		return nil, errCut
	case len(statuses) + 1: // done, and its answer lost
		resp, err := r.RoundTripper.RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
			err = errCut
		}
		return nil, err
	case len(statuses) + 2: // half of the answer
		resp, err := r.RoundTripper.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		resp.Body = io.NopCloser(bytes.NewReader(raw[:len(raw)/2]))
		return resp, err
	default:
		_ = req.Body.Close()
		return &http.Response{StatusCode: statuses[i], Body: io.NopCloser(strings.NewReader("a bad day")), Request: req, Header: http.Header{}}, nil
	}
}

// operations is the number of operations of a bulk request.
func operations(r *http.Request) int {
	body, err := r.GetBody()
	if err != nil {
		return 0
	}
	defer body.Close()
	raw, _ := io.ReadAll(body) // from memory
	return bytes.Count(raw, []byte(`"version_type"`))
}

// Whatever an OpenSearch answers for a while, the index has what the topic says in the end, and no
// document became a dead letter.
func TestAServerOnABadDayLosesNothing(t *testing.T) {
	for name, o := range servers(t) {
		t.Run(name, func(t *testing.T) {
			kafka, want := streamstest.Options(t), map[string]int64{}
			plain := o
			o.Pause = time.Millisecond
			o.Client = &http.Client{Transport: &rough{RoundTripper: plain.Client.Transport}}
			random := rand.New(rand.NewPCG(5, 6))
			stop := member(t, o, kafka)
			defer stop()
			for range 3 {
				publish(t, kafka, random, want, 15)
				untilEqual(t, plain, want)
			}
			log, err := streams.NewLog(kafka)
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			if ends, err := log.Ends(t.Context(), topics.DeadLetters().Name); err != nil || ends[0] > 0 {
				t.Errorf("dead letters: %v, %v", ends, err)
			}
		})
	}
}

// An index that somebody deletes while the tap runs is made again and gets all documents, and not
// only those that come afterwards.
func TestAnIndexThatIsDeletedIsFilledAgain(t *testing.T) {
	for name, o := range servers(t) {
		t.Run(name, func(t *testing.T) {
			kafka, want := streamstest.Options(t), map[string]int64{}
			random := rand.New(rand.NewPCG(7, 8))
			stop := member(t, o, kafka)
			defer stop()
			publish(t, kafka, random, want, 40)
			untilEqual(t, o, want)
			if err := newClient(o).ask(t.Context(), http.MethodDelete, "/"+o.Index, "", nil, nil); err != nil {
				t.Fatal(err)
			}
			publish(t, kafka, random, want, 1)
			untilEqual(t, o, want)
		})
	}
}
