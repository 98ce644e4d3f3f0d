package schedule

import (
	"testing"
	"time"

	"millrace/schema"
)

// A link becomes a URL, is emitted once, and comes back when it is due again.
func TestLinkToNextDue(t *testing.T) {
	w := newWorld(t, nil)
	w.append(linksTo("com.example", ":http/a"))
	w.append(linksTo("com.example", ":http/a"))
	w.run()
	if len(w.out) != 1 {
		t.Fatalf("emitted %d URLs, want 1: %v", len(w.out), w.out)
	}
	s := w.out[0]
	if s.RowKey != "com.example:http/a" || s.Url != "http://example.com/a" || s.PoliteKey != "com.example" || !s.FirstContact {
		t.Errorf("scheduled %v", s)
	}
	w.finish(0, nil)
	w.run()
	row := w.row("com.example:http/a")
	if row.Status != schema.UrlRow_FETCHED || row.Rev != s.Rev || !row.HadPage {
		t.Errorf("row after its outcome: %v", row)
	}
	if wait := time.UnixMilli(row.NextDue).Sub(w.clock); wait < 21*time.Hour || wait > 27*time.Hour {
		t.Errorf("due again in %s, want a day, a tenth more or less", wait)
	}
	w.pass(21*time.Hour, 5*time.Minute)
	if len(w.out) != 1 {
		t.Fatal("emitted before it was due")
	}
	w.pass(6*time.Hour, time.Minute)
	if len(w.out) != 2 || w.out[1].Rev <= s.Rev || w.out[1].FirstContact {
		t.Fatalf("after a day: %v", w.out[1:])
	}
	if late := w.out[1].ScheduledAt - row.NextDue; late < 0 || late > time.Minute.Milliseconds() {
		t.Errorf("emitted %d ms after it was due", late)
	}
}
