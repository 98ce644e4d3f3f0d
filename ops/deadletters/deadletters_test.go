package deadletters

import (
	"testing"

	"go.uber.org/goleak"

	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestALetterIsPutBackAsItWasAndNotListedAgain(t *testing.T) {
	opts := streamstest.Options(t)
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, key := range []string{"a", "b"} {
		err := streams.Append(t.Context(), opts, streams.Send{
			Topic: topics.DeadLetters().Name, Key: key, Value: []byte("body of " + key),
			Headers: []streams.Header{{Key: "ce_id", Value: []byte(key)}, {Key: "topic", Value: []byte("pages.fetched")},
				{Key: "partition", Value: []byte("2")}, {Key: "offset", Value: []byte("77")}, {Key: "group", Value: []byte("extract")},
				{Key: "kind", Value: []byte("panic")}, {Key: "error", Value: []byte("no good")}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want(t, log, 2)
	if n, err := PutBack(t.Context(), opts, log, []int64{1}); n != 1 || err != nil {
		t.Fatalf("put back %d, %v", n, err)
	}
	left := want(t, log, 1)
	if l := left[0]; l.Key != "a" || l.Topic != "pages.fetched" || l.Partition != 2 || l.At != 77 || l.Kind != "panic" || l.Error != "no good" {
		t.Errorf("left is %+v", l)
	}
	end, err := log.End(t.Context(), "pages.fetched", 2)
	if err != nil || end != 1 {
		t.Fatalf("the original partition ends at %d, %v", end, err)
	}
	err = log.Scan(t.Context(), "pages.fetched", 2, 0, end, func(r streams.Raw) error {
		if r.Key != "b" || string(r.Value) != "body of b" || len(r.Headers) != 1 || r.Headers[0].Key != "ce_id" {
			t.Errorf("put back as %+v", r)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := PutBack(t.Context(), opts, log, nil); n != 1 || err != nil {
		t.Fatalf("put back %d, %v", n, err)
	}
	want(t, log, 0)
}

func want(t *testing.T, log *streams.Log, n int) []Letter {
	t.Helper()
	list, err := List(t.Context(), log, 100)
	if err != nil || len(list) != n {
		t.Fatalf("%d letters, %v; want %d", len(list), err, n)
	}
	if count, err := Count(t.Context(), log); err != nil || count != int64(n) {
		t.Fatalf("count is %d, %v; want %d", count, err, n)
	}
	return list
}
