package records

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// What is asked for and cannot be there is named, whether it is read or followed; nobody waits for
// it.
func TestWhatIsNotThereIsNamed(t *testing.T) {
	opts := streamstest.Options(t)
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	name := topics.Unique().Name
	for _, c := range []struct {
		where, position string
		partition       int32
		offset          int64
		want            string
	}{
		{where: "doc.lagn=en", want: "no field doc.lagn: there are "},
		{where: "doc.row_key=x", want: "no field doc.row_key: did you mean rowKey?"},
		{where: "dco.lang=en", want: "no field dco: there are clusterHash, doc, "},
		{where: "doc=x", want: "doc of docs.unique has fields: name one of "},
		{where: "doc.lang.x=en", want: "lang of docs.unique is a value"},
		{where: "headers=x", want: "no field headers"},
		{partition: 99, want: "topic docs.unique has no partition 99: it has 0 to 3"},
		{partition: 2, offset: 7, want: "partition 2 of docs.unique ends at offset 0, before 7"},
		{position: "1:5", want: "partition 1 of docs.unique ends at offset 0, before 5"},
		{position: "0:0,99:0", want: "no partition 99"},
	} {
		o := Options{Partition: -1, N: 10}
		if c.partition > 0 {
			o.Partition, o.Offset = c.partition, c.offset
		}
		if c.where != "" {
			if o.Where, err = ParseWhere([]string{c.where}); err != nil {
				t.Fatal(err)
			}
		}
		var begin Position
		if c.position != "" {
			if begin, err = ParsePosition(c.position); err != nil {
				t.Fatal(err)
			}
		}
		quiet := Follower{Quiet: func(Position) error { return errors.New("it follows") }}
		got := []error{Follow(t.Context(), log, name, o, begin, quiet)}
		if begin == nil {
			got = append(got, Each(t.Context(), log, name, o, func(Record) error { return nil }))
		}
		for i, err := range got {
			var ask *AskError
			if !errors.As(err, &ask) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v (%d): %v", c, i, err)
			}
		}
	}
	for _, good := range []string{"doc.lang=en", "key=x", "headers.ce_type=x", "doc.headings~x"} {
		list, err := ParseWhere([]string{good})
		if err == nil {
			err = Each(t.Context(), log, name, Options{Partition: -1, N: 1, Where: list}, func(Record) error { return nil })
		}
		if err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

// Who comes back after the log deleted what they had not read hears which offsets are gone.
func TestAFollowerHearsWhatTheLogDeleted(t *testing.T) {
	opts := streamstest.Options(t)
	out, err := streams.NewProducer(t.Context(), opts, "test", topics.Pages())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for i := range 10 {
		if err := out.Send(t.Context(), &schema.Page{RowKey: fmt.Sprintf("test.a:http/%d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	ends, err := log.Ends(t.Context(), topics.Pages().Name)
	if err != nil {
		t.Fatal(err)
	}
	var part int32
	for p, end := range ends {
		if end == 10 {
			part = p
		}
	}
	cl, err := kgo.NewClient(append(opts.Client, kgo.SeedBrokers(opts.Brokers...))...)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	var cut kadm.Offsets
	cut.AddOffset(topics.Pages().Name, part, 6, -1)
	if _, err := kadm.NewClient(cl).DeleteRecords(t.Context(), cut); err != nil {
		t.Fatal(err)
	}
	var gone []string
	var seen []int64
	enough := errors.New("enough")
	err = Follow(t.Context(), log, topics.Pages().Name, Options{Partition: -1}, Position{part: 2}, Follower{
		Quiet: func(Position) error { return nil },
		Lost: func(p int32, from, to int64) error {
			gone = append(gone, fmt.Sprint(p == part, from, to))
			return nil
		},
		Record: func(r Record, _ Position) error {
			if seen = append(seen, r.Offset); len(seen) == 4 {
				return enough
			}
			return nil
		},
	})
	if !errors.Is(err, enough) || !slices.Equal(gone, []string{"true 2 6"}) || !slices.Equal(seen, []int64{6, 7, 8, 9}) {
		t.Errorf("gone %v, seen %v, %v", gone, seen, err)
	}
}
