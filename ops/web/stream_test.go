package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"millrace/ops/records"
)

func TestATopicIsFollowedAsEventsAndResumed(t *testing.T) {
	s := newSite(t)
	var asked records.Options
	var began records.Position
	s.d.Follow = func(_ context.Context, topic string, o records.Options, begin records.Position, to records.Follower) error {
		asked, began = o, begin
		at := records.Position{0: 8, 1: 5}
		if err := to.Record(records.Record{Partition: 1, Offset: 4, Key: "k", Time: time.Unix(1, 0).UTC(), Value: json.RawMessage(`{"a":"<\n"}`)}, at); err != nil {
			return err
		}
		return to.Quiet(at)
	}
	resume := func(path, last string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Last-Event-ID", last)
		return s.do(r)
	}
	rec := resume("/api/v1/topics/docs.unique/stream?where=doc.lang=en&since=2h", "0:8,1:4")
	want := ": records follow\n\nid: 0:8,1:5\ndata: " +
		`{"partition":1,"offset":4,"time":"1970-01-01T00:00:01Z","key":"k","value":{"a":"\u003c\n"}}` +
		"\n\nid: 0:8,1:5\n: nothing new\n\n"
	if got := rec.Body.String(); got != want || rec.Header().Get("Content-Type") != "text/event-stream" {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if began.String() != "0:8,1:4" || len(asked.Where) != 1 || time.Since(asked.Since) < time.Hour {
		t.Errorf("began at %s, asked for %+v", began, asked)
	}
	for _, bad := range []string{"offset=3", "since=yesterday", "where=x", "partition=-4"} {
		if rec := s.get("/api/v1/topics/docs.unique/stream?" + bad); rec.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", bad, rec.Code, rec.Body)
		}
	}
	if rec := resume("/api/v1/topics/docs.unique/stream", "x"); rec.Code != http.StatusBadRequest {
		t.Errorf("a position that is none: %d %s", rec.Code, rec.Body)
	}
}

// noReplay replays nothing.
type noReplay struct{}

func (noReplay) PlanReplay(_ context.Context, a ReplayAsk) (Replay, error) {
	return Replay{ReplayAsk: a}, nil
}
func (noReplay) Replay(context.Context, ReplayAsk) error { return nil }
func (noReplay) Replaying() Replay                       { return Replay{} }

// One reader more than a process serves is told so, with what to do; it is served when another has
// gone.
func TestOneReaderTooManyOfATopicIsToldWhatToDo(t *testing.T) {
	s := newSite(t)
	s.o.MaxFollowers = 1
	inside, leave, ended := make(chan struct{}), make(chan struct{}), make(chan int)
	s.d.Follow = func(_ context.Context, _ string, _ records.Options, _ records.Position, to records.Follower) error {
		inside <- struct{}{}
		<-leave
		return to.Quiet(records.Position{0: 1})
	}
	s.server()
	const path = "/api/v1/topics/docs.unique/stream"
	follow := func() { ended <- s.get(path).Code }
	go follow()
	<-inside
	rec := s.get(path)
	if rec.Code != http.StatusServiceUnavailable || rec.Header().Get("Retry-After") == "" ||
		!strings.Contains(rec.Body.String(), "1 clients follow topics here already, as many as one process serves: try again when one of them has gone") {
		t.Errorf("the second one: %d %s", rec.Code, rec.Body)
	}
	leave <- struct{}{}
	if code := <-ended; code != http.StatusOK {
		t.Errorf("the first one: %d", code)
	}
	go follow()
	<-inside
	leave <- struct{}{}
	if code := <-ended; code != http.StatusOK {
		t.Errorf("the second one, when the first had gone: %d", code)
	}
}
