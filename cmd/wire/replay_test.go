package wire

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"millrace/ops/web"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// A replay extracts all fetched pages again as a new edition, once: a second replay finds nothing
// left to do, and documents that are equal are not published again.
func TestWhatWasFetchedIsExtractedAgain(t *testing.T) {
	w := start(t, DefaultConfig(), newOrigin(t))
	w.seed(home)
	unique := w.count(topics.Unique().Name)

	ask := web.ReplayAsk{Edition: 2, Rate: 10_000}
	plan, err := w.PlanReplay(t.Context(), ask)
	if err != nil || plan.Total != 3 || plan.Read != 0 || plan.Lost || time.Since(plan.NotBefore) > time.Hour {
		t.Fatalf("plan: %+v, %v", plan, err)
	}
	if r := w.replayed(ask); r.Made != 3 || r.Read != 3 {
		t.Errorf("replay: %+v", r)
	}
	editions := map[int64]int{}
	for p := range w.Meta.SitePartitions {
		err := streams.Read(t.Context(), w.Reader, topics.Extracted(), p, 0, 1<<40, func(r *streams.Record[*schema.Extracted]) error {
			if d := r.Value.GetDoc(); d != nil {
				editions[d.Edition]++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if editions[1] != 3 || editions[2] != 3 {
		t.Errorf("documents by edition: %v", editions)
	}
	w.idle()
	w.wantFound("after the replay", story)
	if n := w.count(topics.Unique().Name); n != unique {
		t.Errorf("docs.unique had %d records, and has %d after documents came out equal", unique, n)
	}

	if r := w.replayed(ask); r.Made != 0 || r.Resumed != 3 {
		t.Errorf("the same again: %+v", r)
	}
	if r := w.replayed(web.ReplayAsk{Edition: 2, Site: "b.test"}); r.Made != 0 || r.Read != 3 {
		t.Errorf("another site: %+v", r)
	}
	if r := w.replayed(web.ReplayAsk{Edition: 3, From: time.Now().Add(time.Hour)}); r.Total != 0 {
		t.Errorf("nothing is that new: %+v", r)
	}
	if err := w.Replay(t.Context(), web.ReplayAsk{Edition: 1}); err == nil {
		t.Error("an edition that replaces nothing was taken")
	}
	if lag := w.Reader.Lag(t.Context()); len(lag.Readers) > 0 {
		t.Errorf("a replay is shown as another program: %+v", lag.Readers)
	}
}

// Two of the same replay at once: the one that began later goes on, the other one ends and says so,
// and appends nothing more.
func TestTheSameReplayInAnotherProcessTakesOver(t *testing.T) {
	w := start(t, DefaultConfig(), newOrigin(t))
	w.seed(home)
	ask := web.ReplayAsk{Edition: 2}
	group, topic, before := replayGroup(ask), topics.Pages(), w.count(topics.Extracted().Name)
	out, err := streams.NewProducer(t.Context(), w.Kafka, "replay", topics.Extracted())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	ended := 0
	for p := range w.Meta.HostPartitions {
		r := &replayer{answers: w.answers, ask: ask, out: out, owner: "first/1 x", work: func(context.Context, *schema.Page) (*schema.Extracted, error) {
			return &schema.Extracted{}, w.Reader.CommitAs(t.Context(), group, topic.Name, p, 0, "second/2 y")
		}}
		list, err := w.replaySpans(t.Context(), topic, ask)
		if err != nil {
			t.Fatal(err)
		}
		for _, sp := range list {
			if sp.partition != p || sp.at == sp.end {
				continue
			}
			ended++
			if err := r.partition(t.Context(), topic, sp); err == nil || !strings.Contains(err.Error(), "begun by another process (second/2)") {
				t.Errorf("the first one: %v", err)
			}
		}
	}
	if n := w.count(topics.Extracted().Name); n != before || ended == 0 {
		t.Errorf("docs.extracted had %d records, and has %d; %d partitions", before, n, ended)
	}
	if r := w.replayed(ask); r.Made != 3 {
		t.Errorf("the next one: %+v", r)
	}
}

func (w *world) count(topic string) (n int64) {
	w.t.Helper()
	ends, err := w.Reader.Ends(w.t.Context(), topic)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, end := range ends {
		n += end
	}
	return n
}

// replayed replays and returns how it ended.
func (w *world) replayed(a web.ReplayAsk) web.Replay {
	w.t.Helper()
	if err := w.Replay(w.t.Context(), a); err != nil {
		w.t.Fatal(err)
	}
	w.groups.replay.running.Wait()
	r := w.Replaying()
	if r.Error != "" || r.Running {
		w.t.Fatalf("%+v", r)
	}
	return r
}

// A replay reads files.fetched too: the text of a file is extracted again.
func TestFilesThatWereFetchedAreExtractedAgain(t *testing.T) {
	w := start(t, DefaultConfig(), newOrigin(t))
	w.seed(home)
	out, err := streams.NewProducer(t.Context(), w.Kafka, "test", topics.Files())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	const key = "test.a.www:http/leaflet.rtf"
	text := `{\rtf1\ansi The leaflet of the mill tells when its wheel turns and what a sack of flour costs.}`
	err = out.Send(t.Context(), &schema.Page{
		RowKey: key, Url: "http://www.a.test/leaflet.rtf", Site: "a.test", Kind: schema.Kind_PAGE, Rev: 1, HttpStatus: 200,
		ContentType: "application/rtf", Body: []byte(text), BodyLength: int64(len(text)), FetchedAt: time.Now().UnixMilli(),
	})
	if err != nil {
		t.Fatal(err)
	}
	w.idle()
	if r := w.replayed(web.ReplayAsk{Edition: 2, Rate: 10_000}); r.Made != 4 || r.Read != 4 {
		t.Errorf("replay: %+v", r)
	}
	texts := map[int64]string{}
	for p := range w.Meta.SitePartitions {
		err := streams.Read(t.Context(), w.Reader, topics.Extracted(), p, 0, 1<<40, func(r *streams.Record[*schema.Extracted]) error {
			if d := r.Value.GetDoc(); d.GetRowKey() == key {
				texts[d.Edition] = d.Text
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if texts[1] == "" || texts[2] != texts[1] {
		t.Errorf("texts of the file by edition: %v", texts)
	}
}

// The time left follows from the records since the first batch was kept: that one waits for dedupe
// and for the start of the extraction, and an estimate from it alone would be days.
func TestTheTimeLeftOfAReplayIsOfItsSpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &replay{state: web.Replay{Running: true, Total: 10_000, Read: 1000, Resumed: 1000, Began: time.Now()}}
		left := func() float64 {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.left()
		}
		r.count(10, 10)
		time.Sleep(time.Minute) // the first batch waits
		if got := left(); got != 0 {
			t.Errorf("%.0f s are left before the first batch was kept", got)
		}
		r.atWork()
		time.Sleep(10 * time.Second)
		r.count(990, 990)
		r.atWork()
		if got := left(); got < 80 || got > 82 { // 8,000 records at 99 a second
			t.Errorf("%.1f s are left of 8,000 records at 99 a second", got)
		}
		r.state.Running = false
		if got := left(); got != 0 {
			t.Errorf("%.0f s are left after the end", got)
		}
	})
}
