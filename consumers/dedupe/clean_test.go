package dedupe

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// reader is the position of the slowest reader of docs.unique.
type reader struct {
	log   *streams.Log
	floor int64
	t     *testing.T
	asked int // times that Floor was called
}

func (r *reader) Floor(context.Context, int32) (int64, error) {
	r.asked++
	return r.floor, nil
}

func (r *reader) DeleteBefore(ctx context.Context, p int32, offset int64) error {
	if offset > r.floor {
		r.t.Errorf("records before %d are deleted, but a reader is at %d", offset, r.floor)
	}
	return r.log.DeleteRecords(ctx, topics.Unique().Name, p, offset)
}

// tidy is a partition of the in-process broker that is cleaned.
type tidy struct {
	*scene
	cl     *kgo.Client
	log    *streams.Log
	reader *reader
	now    time.Time
}

func newTidy(t *testing.T) *tidy {
	kafka := streamstest.Options(t)
	log, err := streams.NewLog(kafka)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	cl, err := kgo.NewClient(kgo.SeedBrokers(kafka.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	s := newScene(t, func(o *Options) { o.Transactions, o.MaxLiveBytes = false, 4000 })
	d := &tidy{s, cl, log, &reader{log: log, floor: 1 << 40, t: t}, time.UnixMilli(1 << 40)}
	s.w.link.Reader, s.w.trimmer = log, d.reader
	if err := s.w.start(); err != nil {
		t.Fatal(err)
	}
	return d
}

// append appends to docs.unique what was sent.
func (d *tidy) append(sends []streams.Send) {
	d.Helper()
	var list []*kgo.Record
	for _, s := range sends {
		if s.Topic == topics.Unique().Name {
			list = append(list, &kgo.Record{Topic: s.Topic, Key: []byte(s.Key), Value: s.Value})
		}
	}
	if err := d.cl.ProduceSync(d.Context(), list...).FirstErr(); err != nil {
		d.Fatal(err)
	}
}

// tick runs a round without records.
func (d *tidy) tick() (copies int) {
	d.Helper()
	d.now = d.now.Add(cleanEvery)
	if err := d.w.task.Tick(d.Context(), d.now); err != nil {
		d.Fatal(err)
	}
	sends := d.w.link.Take()
	d.append(sends)
	if err := d.w.task.Settle(d.Context()); err != nil {
		d.Fatal(err)
	}
	return len(sends)
}

func (d *tidy) edges() (start, end int64) {
	d.Helper()
	start, err := d.log.Start(d.Context(), topics.Unique().Name, 0)
	if err != nil {
		d.Fatal(err)
	}
	if end, err = d.log.End(d.Context(), topics.Unique().Name, 0); err != nil {
		d.Fatal(err)
	}
	return start, end
}

// wantWhole checks that a reader of the remaining records finds all current documents and no
// others.
func (d *tidy) wantWhole() {
	d.Helper()
	_, end := d.edges()
	values := map[string][]byte{}
	err := d.log.Scan(d.Context(), topics.Unique().Name, 0, 0, end, func(r streams.Raw) error {
		if values[r.Key] = r.Value; r.Value == nil {
			delete(values, r.Key)
		}
		return nil
	})
	if err != nil {
		d.Fatal(err)
	}
	digest := uint64(0)
	for key, value := range values {
		digest ^= schema.RecordHash(key, value)
	}
	row, err := readFold(d.Context(), d.w.store, 0, foldKind)
	if err != nil {
		d.Fatal(err)
	}
	if row.Digest != digest || row.Documents != int64(len(values)) || len(values) == 0 {
		d.Errorf("the topic has %d documents, digest %x; dedupe published %d, %x", len(values), digest, row.Documents, row.Digest)
	}
}

func TestWhatIsDeadIsCleanedAndNothingElse(t *testing.T) {
	d := newTidy(t)
	at := func(i int) string { return fmt.Sprintf("com.example.www:https/%02d", i) }
	for rev := range int64(60) {
		for i := range 40 {
			if i < 10 && rev > 0 { // written once, and alive in the oldest part
				continue
			}
			d.come(page(at(i), fmt.Sprint(i, " ", rev), rev+1))
		}
	}
	d.come(lost(at(39), 100), lost(at(38), 100))
	d.append(sendsOf(d.w.out))
	d.wantWhole()

	d.reader.floor = 0
	for range 3 {
		if d.tick() > 0 {
			t.Fatal("cleaned what a reader has not passed")
		}
	}
	d.reader.floor = 1 << 40
	for range 400 {
		d.tick()
		d.wantWhole()
	}
	start, end := d.edges()
	if left := end - start; start == 0 || left > minDead+2*40 {
		t.Errorf("records %d to %d are left of 40 documents", start, end)
	}
}

// While too few records are dead and none comes, the brokers are asked once; the record that makes
// enough dead is followed by cleaning.
func TestATopicAtRestIsNotLookedAt(t *testing.T) {
	d := newTidy(t)
	publish := func(from, to int64) {
		for rev := from; rev < to; rev++ {
			d.come(page(short, fmt.Sprint(rev), rev+1))
		}
		d.append(sendsOf(d.w.out))
		d.w.out = nil
	}
	publish(0, minDead)
	for range 10 {
		d.tick()
	}
	if d.reader.asked != 1 {
		t.Errorf("asked %d times while nothing came", d.reader.asked)
	}
	publish(minDead, minDead+2)
	for range 3 {
		d.tick()
	}
	if start, _ := d.edges(); start == 0 {
		t.Error("enough records are dead, and nothing is cleaned")
	}
	d.wantWhole()
}

func TestAReaderThatIsBehindIsWaitedFor(t *testing.T) {
	d := newTidy(t)
	for rev := range int64(1500) {
		d.come(page(short, fmt.Sprint(rev), rev+1))
	}
	d.append(sendsOf(d.w.out))
	d.reader.floor = 100
	for range 10 {
		d.tick()
	}
	if start, _ := d.edges(); start != 100 {
		t.Errorf("the topic begins at %d, want 100, where the reader is", start)
	}
	d.wantWhole()
}

func TestAboveItsBoundTheTopicIsFull(t *testing.T) {
	d := newTidy(t)
	at := func(i int) string { return fmt.Sprintf("com.example.www:https/%02d", i) }
	n := 0
	for ; !d.w.group.Full() && n < 100; n++ {
		d.come(page(at(n), fmt.Sprint(n), 1))
	}
	if bytes, limit := d.w.group.Live(); n < 10 || n == 100 || bytes <= limit {
		t.Fatalf("full after %d documents, %d bytes of %d", n, bytes, limit)
	}
	if err := d.w.start(); err != nil || !d.w.group.Full() {
		t.Errorf("after a restart: full %t, %v", d.w.group.Full(), err)
	}
	d.come(lost(at(0), 2), lost(at(1), 2))
	if d.w.group.Full() {
		t.Error("still full when documents went")
	}
}

func sendsOf(log []said) []streams.Send {
	var out []streams.Send
	for _, s := range log {
		out = append(out, s.Send)
	}
	return out
}
