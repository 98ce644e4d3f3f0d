package dedupe

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// FuzzRecord gives any two records to a Task. Each is handled or becomes a dead letter, none is
// retried for ever, and the partition goes on.
func FuzzRecord(f *testing.F) {
	for _, x := range []*schema.Extracted{
		page(short, "x", 1), pageNaming(long, "x", short, 2), lost(short, 3), gone(plain, schema.Gone_TAKEDOWN, 4),
		page("test.a:http/\xff", "x", 1), ofSite("\xff", short), pageNaming(short, "y", "\xff:https/", 1), {},
	} {
		f.Add(streams.Encode(x), streams.Encode(page(short, "y", 9)))
	}
	f.Fuzz(func(t *testing.T, one, two []byte) {
		w := newWorld(testOptions())
		if err := w.start(); err != nil {
			t.Fatal(err)
		}
		for i, value := range [][]byte{one, two, streams.Encode(ofSite("last.com", "com.last:https/"))} {
			x := &schema.Extracted{}
			if x.UnmarshalVT(value) != nil {
				continue
			}
			r := &streams.Record[*schema.Extracted]{Offset: int64(i), Value: x, Bytes: value}
			if err := w.task.Handle(context.Background(), r); err != nil {
				w.task.Undo()
				if p := (*streams.DeadLetterError)(nil); !errors.As(err, &p) || p.Kind == "panic" {
					t.Fatalf("%v: %v", x, err)
				}
			}
			if err := w.task.Settle(context.Background()); err != nil {
				t.Fatalf("%v: %v", x, err)
			}
		}
		last, _, err := standing(offsetless(taken(w)))
		if err != nil || last["com.last:https/"] == nil {
			t.Fatalf("the last document is not published: %v", err)
		}
	})
}

func offsetless(sends []streams.Send) []said {
	var out []said
	for _, s := range sends {
		out = append(out, said{0, s})
	}
	return out
}

// A record of another client whose row key is no text.
func TestABadRecordDoesNotStopItsPartition(t *testing.T) {
	kafka := streamstest.Options(t)
	opts := DefaultOptions()
	opts.Transactions = false
	group, err := New(opts, Deps{Store: newMemory(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	spec, err := topics.GroupNamed(Group)
	if err != nil {
		t.Fatal(err)
	}
	bad := page("test.a:http/\xff", "x", 1)
	for _, x := range []*schema.Extracted{bad, page(short, "y", 1)} {
		x.GetDoc().Site = site
		putIn(t, kafka, topics.Extracted().Name, topics.Partition(site, 4), streams.Encode(x))
	}
	streamstest.Start(t, streamstest.Config(kafka), spec, topics.Extracted(), group.Task)
	streamstest.Tail(t, kafka, topics.Unique().Name, func(r *kgo.Record) bool { return string(r.Key) == short })
	streamstest.Tail(t, kafka, topics.DeadLetters().Name, func(r *kgo.Record) bool { return string(r.Value) == string(streams.Encode(bad)) })
}

// A record that became a dead letter because of its effect becomes one again if its transaction was
// aborted.
func TestADeadLetterIsOneAgainAfterAnAbort(t *testing.T) {
	s := newScene(t, nil)
	big := page(short, "x", 1)
	big.GetDoc().Author = string(make([]byte, 9<<20)) // more than a row may have
	s.w.in = []*schema.Extracted{big, page(long, "y", 1)}
	for range 2 { // the second time after an abort
		s.w.at = 0
		_, err := s.w.handle()
		if p := (*streams.DeadLetterError)(nil); !errors.As(err, &p) {
			t.Fatalf("got %v, want a dead letter", err)
		}
		s.w.at = 1
		sent, err := s.w.handle()
		if err != nil || len(sent) != 1 {
			t.Fatalf("sent %v, %v; want the next document", sent, err)
		}
		if err := s.w.task.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
