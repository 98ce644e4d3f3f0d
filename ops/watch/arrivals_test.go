package watch

import (
	"testing"
	"time"
)

// The percentiles are those of the last hour, over processes; an index that is filled anew is no
// news.
func TestArrivalsOfTheLastHour(t *testing.T) {
	var a, b Arrivals
	now := time.Unix(1_700_000_000, 0)
	a.Add(now.Add(-3*time.Hour), now)                               // filled anew
	a.Add(now.Add(-2*time.Hour-time.Minute), now.Add(-2*time.Hour)) // long ago
	for i := range 99 {
		a.Add(now.Add(-time.Duration(10+i*10)*time.Millisecond), now) // .01 to .99 s
	}
	b.Add(now.Add(-40*time.Second), now)
	got := ArrivedOf(a.Counts(now), nil, b.Counts(now))
	if got == nil || got.Items != 100 || got.P50 < .4 || got.P50 > .6 || got.P99 < .9 || got.P99 > 1.01 {
		t.Errorf("%+v", got)
	}
	if late := ArrivedOf(b.Counts(now)); late.P99 < 30 || late.P99 > 45 {
		t.Errorf("one item of 40 s: %+v", late)
	}
	if got := ArrivedOf(a.Counts(now.Add(61 * time.Minute))); got != nil {
		t.Errorf("an hour later: %+v", got)
	}
}
