package records

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// Who follows a topic, goes, and comes again with its last position sees every record once.
func TestAFollowerGoesOnWhereItWas(t *testing.T) {
	opts := streamstest.Options(t)
	out, err := streams.NewProducer(t.Context(), opts, "test", topics.Pages())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	next := 0
	send := func(n int) {
		t.Helper()
		for range n {
			p := &schema.Page{RowKey: fmt.Sprintf("test.h%d:http/%d", next%7, next), Url: fmt.Sprint("http://x.test/", next)}
			if next++; out.Send(t.Context(), p) != nil {
				t.Fatal("not sent")
			}
		}
	}
	// follow reads n records from a position, then goes.
	follow := func(o Options, begin Position, n int) (keys []string, at Position) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		enough := errors.New("enough")
		err := Follow(ctx, log, topics.Pages().Name, o, begin, Follower{Record: func(r Record, p Position) error {
			_, after, _ := strings.Cut(string(r.Value), `"rowKey":`)
			keys = append(keys, strings.Split(after, `"`)[1])
			if at, err = ParsePosition(p.String()); err != nil {
				t.Fatal(err)
			}
			if len(keys) == n {
				return enough
			}
			return nil
		}, Quiet: func(Position) error { return nil }})
		if !errors.Is(err, enough) {
			t.Fatalf("after %d records: %v", len(keys), err)
		}
		return keys, at
	}
	send(20)
	all := Options{FromBeginning: true, Partition: -1}
	first, at := follow(all, nil, 12)
	second, at := follow(all, at, 8)
	send(5)
	third, _ := follow(Options{Partition: -1}, at, 5)
	seen := slices.Concat(first, second, third)
	slices.Sort(seen)
	if len(slices.Compact(seen)) != 25 {
		t.Errorf("of 25 records %d were seen: %v", len(slices.Compact(seen)), seen)
	}

	where, err := ParseWhere([]string{"rowKey~test.h3:", "url!=http://x.test/3"})
	if err != nil {
		t.Fatal(err)
	}
	chosen, _ := follow(Options{FromBeginning: true, Partition: -1, Where: where}, nil, 3)
	if slices.Sort(chosen); !slices.Equal(chosen, []string{"test.h3:http/10", "test.h3:http/17", "test.h3:http/24"}) {
		t.Errorf("chosen: %v", chosen)
	}
}

func TestConditionsOnRecords(t *testing.T) {
	raw := streams.Raw{
		Topic: topics.Unique().Name, Key: "test.a:http/", Headers: []streams.Header{{Key: "ce_type", Value: []byte("doc")}},
		Value: streams.Encode(&schema.Unique{Doc: &schema.Doc{Url: "http://a.test/news/1", Lang: "en"}}),
	}
	gone := streams.Raw{Topic: topics.Unique().Name, Key: "test.b:http/", Headers: []streams.Header{{Key: "reason", Value: []byte("gone")}}}
	for text, want := range map[string][2]bool{
		"doc.lang=en": {true, false}, "doc.lang!=en": {false, true}, "doc.url~/news/": {true, false}, "doc.url!~/news/": {false, true},
		"headers.ce_type=doc": {true, false}, "headers.reason=gone": {false, true}, "key=test.a:http/": {true, false},
		"doc=x": {false, false}, "no.such.field=": {true, true}, "doc.lang.x=en": {false, false},
	} {
		list, err := ParseWhere([]string{text})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := [2]bool{holds(list, raw), holds(list, gone)}; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	for _, bad := range []string{"", "=x", "lang", "a..b=1", "!=x", strings.Repeat("a", 2000) + "=1"} {
		if _, err := ParseWhere([]string{bad}); err == nil {
			t.Errorf("%.20q was taken", bad)
		}
	}
}

func FuzzConditionsAndPositions(f *testing.F) {
	f.Add("doc.lang=en", "0:12,1:40")
	f.Add("a!~b", "65535:9223372036854775807")
	r := streams.Raw{Topic: topics.Unique().Name, Value: streams.Encode(&schema.Unique{Doc: &schema.Doc{Lang: "en"}})}
	f.Fuzz(func(t *testing.T, where, position string) {
		if list, err := ParseWhere([]string{where}); err == nil {
			holds(list, r)
		}
		p, err := ParsePosition(position)
		if err != nil {
			return
		}
		if again, err := ParsePosition(p.String()); err != nil || again.String() != p.String() {
			t.Fatalf("%q: %v", p, err)
		}
	})
}
