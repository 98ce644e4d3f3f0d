package records

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEachShowsTheNewestOrTheFirstAndCutsLongTexts(t *testing.T) {
	opts := streamstest.Options(t)
	out, err := streams.NewProducer(t.Context(), opts, "test", topics.Pages())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for i := range 12 {
		p := &schema.Page{RowKey: fmt.Sprintf("test.h%d:http/%d", i%5, i), Body: []byte(strings.Repeat("x", 5000))}
		if err := out.Send(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		for sent := time.Now().UnixMilli(); time.Now().UnixMilli() == sent; { // records have times of a millisecond
		}
	}
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cat := func(o Options) (keys []string, bytes int) {
		t.Helper()
		err := Each(t.Context(), log, topics.Pages().Name, o, func(r Record) error {
			_, after, _ := strings.Cut(string(r.Value), `"rowKey":`)
			keys = append(keys, strings.Split(after, `"`)[1])
			bytes += len(r.Value)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return keys, bytes
	}
	newest, short := cat(Options{Partition: -1, N: 3})
	if got := strings.Join(newest, " "); got != "test.h4:http/9 test.h0:http/10 test.h1:http/11" {
		t.Errorf("newest: %s", got)
	}
	if _, long := cat(Options{Partition: -1, N: 3, Full: true}); long < 3*5000 || short > 3*1000 {
		t.Errorf("%d bytes in full, %d cut", long, short)
	}
	if all, _ := cat(Options{Partition: -1, N: 100, FromBeginning: true}); len(all) != 12 {
		t.Errorf("%d records from the beginning", len(all))
	}
	if one, _ := cat(Options{Partition: -1, N: 1, Key: "test.h2"}); len(one) != 1 || one[0] != "test.h2:http/7" {
		t.Errorf("newest of a key: %v", one)
	}
}
