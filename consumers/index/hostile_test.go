package index

import (
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
)

// handleAndSettle handles one record as the loop does: an error of Handle makes it a dead letter,
// an error of Settle would be retried for ever.
func handleAndSettle(t *testing.T, task streams.Task[*schema.Unique], r *Record) (letter bool) {
	t.Helper()
	if err := task.Handle(t.Context(), r); err != nil {
		task.Undo()
		var refused *streams.DeadLetterError
		if !errors.As(err, &refused) {
			t.Fatalf("%q is retried for ever: %v", r.Key, err)
		}
		return true
	}
	if err := task.Settle(t.Context()); err != nil {
		t.Fatalf("%q stops the shard: %v", r.Key, err)
	}
	return false
}

// assigned is the task of partition 0 over an empty log.
func assigned(t testing.TB) (*Shards, streams.Task[*schema.Unique]) {
	t.Helper()
	kafka := streamstest.Options(t)
	log, err := streams.NewLog(kafka)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	o := DefaultOptions()
	o.Dir, o.Pause = t.TempDir(), 0
	s, err := New(o, Deps{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	task := s.Task((&streamstest.Recorder{Reader: log}).Partition(0, partitions))
	if _, err := task.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, task
}

// No record of docs.unique, however wrong, stops a shard.
func TestHostileRecordsDoNotStopAShard(t *testing.T) {
	s, task := assigned(t)
	long := strings.Repeat("longword", 1<<17)
	for i, c := range []struct {
		key    string
		doc    *schema.Doc
		letter bool
	}{
		{"", &schema.Doc{Title: "no key"}, true},
		{"com.example:https/\xff\xfe", &schema.Doc{Title: "key is no UTF-8"}, true},
		{strings.Repeat("k", 1<<17), &schema.Doc{Title: "long key"}, true},
		{"com.example:https/none", nil, true},
		{"com.example:https/1", &schema.Doc{Title: "\xff\xfe\x00", Text: "\xc3\x28 \xed\xa0\x80 \x00"}, false},
		{"com.example:https/2", &schema.Doc{Title: long, Text: long}, false},
		{"com.example:https/3", &schema.Doc{PublishedAt: math.MaxInt64, FetchedAt: math.MinInt64, Lang: "zz-\xff"}, false},
		{"com.example:https/4", &schema.Doc{PublishedAt: math.MinInt64, Host: strings.Repeat(".", 1000), Site: "\xff"}, false},
		{"com.example:https/5", &schema.Doc{Url: "javascript:alert(1)", Lang: strings.Repeat("x", 1<<16)}, false},
		{"com.example:https/6", &schema.Doc{Text: strings.Repeat("\u0301", 1<<16), Lang: "ru"}, false},
		{"com.example:https/7", &schema.Doc{Text: strings.Repeat("汉", 1<<16), Lang: "zh"}, false},
	} {
		r := &Record{Offset: int64(i), Key: c.key, Value: &schema.Unique{Doc: c.doc}, Bytes: []byte(c.key), Time: time.Unix(1, 0)}
		if letter := handleAndSettle(t, task, r); letter != c.letter {
			t.Errorf("%.40q: letter %v", c.key, letter)
		}
	}
	good := &Record{Offset: 99, Key: "com.example:https/good", Value: &schema.Unique{Doc: &schema.Doc{Title: "herons"}}, Bytes: []byte("g"), Time: time.Unix(1, 0)}
	if handleAndSettle(t, task, good); len(found(t, s, "herons")) != 1 {
		t.Fatal("the good document is not found")
	}
}

// FuzzRecord handles any record: it becomes a dead letter or is indexed, and the shard goes on.
func FuzzRecord(f *testing.F) {
	f.Add("com.example:https/1", streams.Encode(&schema.Unique{Doc: &schema.Doc{Title: "water", Text: "over the mill", Lang: "en", Host: "a.b"}}))
	f.Add("", []byte{})
	f.Add("k\x00", streams.Encode(&schema.Unique{Doc: &schema.Doc{PublishedAt: -1 << 62, Lang: "zh", Text: "汉字"}}))
	_, task := assigned(f)
	offset := int64(0)
	f.Fuzz(func(t *testing.T, key string, value []byte) {
		m := &schema.Unique{}
		if m.UnmarshalVT(value) != nil {
			return // streams makes a dead letter of it
		}
		offset++
		handleAndSettle(t, task, &Record{Offset: offset, Key: key, Value: m, Bytes: value, Time: time.Unix(1, 0)})
	})
}
