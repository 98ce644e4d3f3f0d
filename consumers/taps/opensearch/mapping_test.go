package opensearch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"testing"

	"millrace/consumers/taps/opensearch/opensearchtest"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// mapped are a server and the options of a tap into an index of it.
func mapped(t *testing.T) (*opensearchtest.Server, Options) {
	t.Helper()
	server := opensearchtest.New()
	front := httptest.NewServer(server)
	t.Cleanup(front.Close)
	o := DefaultOptions()
	o.URL, o.Index, o.Client = front.URL, fmt.Sprintf("millrace-test-%d", rand.Uint32()), front.Client()
	return server, o
}

// An index with another mapping is named at the start, with what to do.
func TestAnIndexWithAnotherMappingIsNamedAtTheStart(t *testing.T) {
	server, o := mapped(t)
	server.Numbers(o.Index, "title")
	for range 3 { // the server is busy for the first document at times
		_, err := New(t.Context(), o, slog.New(slog.DiscardHandler), streams.NewMeter())
		if err == nil {
			continue
		}
		if other := (mappingError{}); !errors.As(err, &other) || !strings.Contains(err.Error(), o.Index) || !strings.Contains(err.Error(), "--index") {
			t.Fatalf("%v", err)
		}
		return
	}
	t.Error("it was taken")
}

// A mapping that changes while the tap runs ends it; no document becomes a dead letter, and when
// the index is made again, it gets all of them.
func TestAMappingThatDoesNotFitLosesNothing(t *testing.T) {
	server, o := mapped(t)
	kafka, want := streamstest.Options(t), map[string]int64{}
	log, err := streams.NewLog(kafka)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	tap, err := New(t.Context(), o, slog.New(slog.DiscardHandler), streams.NewMeter())
	if err != nil {
		t.Fatal(err)
	}
	server.Numbers(o.Index, "title")
	publish(t, kafka, rand.New(rand.NewPCG(9, 10)), want, 40)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = tap.Run(ctx, streamstest.Config(kafka))
	if other := (mappingError{}); !errors.As(err, &other) {
		t.Fatalf("the tap ended with %v", err)
	}
	if ends, err := log.Ends(t.Context(), topics.DeadLetters().Name); err != nil || ends[0] > 0 {
		t.Errorf("dead letters: %v, %v", ends, err)
	}
	c := newClient(o)
	if err := c.ask(t.Context(), "DELETE", "/"+o.Index, "", nil, nil); err != nil {
		t.Fatal(err)
	}
	o.Client.Transport = &observed{written: make(chan struct{}, 1)}
	t.Cleanup(o.Client.CloseIdleConnections)
	stop := member(t, o, kafka)
	untilEqual(t, o, want)
	stop()
}
