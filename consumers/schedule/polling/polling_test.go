package polling

import (
	"math"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var limits = Limits{Least: 10 * time.Minute, Most: 6 * time.Hour}

// monday is the begin of a week (UTC).
var monday = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// poll polls a feed for so many days, with entries at the times that came tells, and
// returns the delay of each entry and the number of polls in the second half.
func poll(s *schema.FeedState, days int, came func(time.Time) bool) (delays []time.Duration, polls int) {
	var waiting []time.Time
	next, half := monday, monday.AddDate(0, 0, days/2)
	ids, id := []uint32{}, uint32(0)
	for now := monday; now.Before(monday.AddDate(0, 0, days)); now = now.Add(time.Minute) {
		if came(now) {
			id++
			ids = append([]uint32{id}, ids[:min(len(ids), 9)]...)
			waiting = append(waiting, now)
		}
		if now.Before(next) {
			continue
		}
		for _, w := range waiting {
			if now.After(half) {
				delays = append(delays, now.Sub(w))
			}
		}
		if waiting = nil; now.After(half) {
			polls++
		}
		Observe(s, &schema.Listed{Rev: int64(polls), Ids: ids, Hash: []byte{byte(id), byte(id >> 8)}}, now.UnixMilli())
		next = now.Add(Pause(s, limits, now.UnixMilli()))
	}
	return delays, polls
}

func mean(list []time.Duration) time.Duration {
	sum := time.Duration(0)
	for _, d := range list {
		sum += d
	}
	return sum / time.Duration(max(len(list), 1))
}

// A feed that writes on workdays from 8 to 18 o'clock is asked then: its entries wait
// less than at equally many polls spread evenly.
func TestPollsFollowTheHoursAndDaysOfAFeed(t *testing.T) {
	work := func(at time.Time) bool {
		d := at.Weekday()
		return d != time.Saturday && d != time.Sunday && at.Hour() >= 8 && at.Hour() < 18 && at.Minute() == (at.Hour()*17+at.Day()*7)%60
	}
	delays, polls := poll(&schema.FeedState{}, 84, work)
	even := 42 * 24 * time.Hour / time.Duration(polls) / 2
	if got := mean(delays); len(delays) < 250 || got > even*2/3 {
		t.Errorf("%d entries waited %s on average; %d even polls would have them wait %s", len(delays), got, polls, even)
	}
}

// With a steady rate the pause is that which makes delays and polls least.
func TestTheSteadyPauseIsTheRootLaw(t *testing.T) {
	for _, rate := range []float64{0.5, 4, 24} {
		s := &schema.FeedState{Entries: rate * 40, Days: 40, PolledAt: 1}
		heal(s)
		for i := range s.Hours {
			s.Hours[i] = float32(s.Entries / 24)
		}
		for i := range s.Week {
			s.Week[i] = float32(s.Entries / 7)
		}
		want := math.Sqrt(2 * DefaultPrice.Hours() / 24 / Rate(s))
		got := Pause(s, Limits{Least: time.Second, Most: 100 * time.Hour}, monday.UnixMilli()).Hours() / 24
		if got < want*0.93 || got > want*1.07 {
			t.Errorf("%g entries a day: pause %g days, want %g", rate, got, want)
		}
	}
}

// A first list says by its dates how often the feed writes.
func TestTheFirstListTellsTheRate(t *testing.T) {
	at := monday.UnixMilli()
	list := func(every time.Duration) *schema.FeedState {
		m := &schema.Listed{Rev: 1, Hash: []byte("x")}
		for i := range 20 {
			m.Ids, m.Times = append(m.Ids, uint32(i)), append(m.Times, at-int64(i+1)*every.Milliseconds())
		}
		s := &schema.FeedState{}
		Observe(s, m, at)
		return s
	}
	busy, slow, old := Rate(list(10*time.Minute)), Rate(list(24*time.Hour)), Rate(list(300*24*time.Hour))
	if busy < 20 || slow < .7 || slow > 1.3 || old > .05 {
		t.Errorf("entries a day: %g, %g, %g", busy, slow, old)
	}
}

// Whatever a feed says of itself and whatever its row holds, the pause keeps its bounds.
func FuzzPause(f *testing.F) {
	f.Add(int64(1), uint32(1), uint32(2), 1.0, 2.0, float32(3), int64(5), int64(9))
	f.Add(int64(-1), ^uint32(0), ^uint32(0), math.NaN(), math.Inf(1), float32(math.Inf(-1)), int64(-5), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, every int64, hours, week uint32, entries, days float64, hour float32, polled, at int64) {
		s := &schema.FeedState{Entries: entries, Days: days, PolledAt: polled, Hours: make([]float32, 24), Week: []float32{hour}}
		if every%2 == 0 {
			s.Week = make([]float32, 7)
			s.Hours[3] = hour
		}
		m := &schema.Listed{EveryMs: every, SkipHours: hours, SkipDays: week, Ids: []uint32{hours, week}, Times: []int64{at, polled, every}}
		Observe(s, m, at)
		Observe(s, nil, polled)
		if p := Pause(s, limits, at); p < limits.Least || p > limits.Most {
			t.Errorf("a pause of %s", p)
		}
	})
}
