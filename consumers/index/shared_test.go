package index

import (
	"errors"
	"testing"
	"time"
)

// Tasks that ask at the same moment get one answer; a later one, or one after a failure or a clock
// that was set back, gets a new one.
func TestTasksOfAProcessAskOnce(t *testing.T) {
	var s shared[int]
	asked := 0
	ask := func() (int, error) { asked++; return asked, nil }
	at := time.Unix(1_700_000_000, 0)
	if _, err := s.get(at, time.Second, func() (int, error) { return 0, errors.New("away") }); err == nil {
		t.Error("the failure is lost")
	}
	for i, c := range []struct {
		after time.Duration
		want  int
	}{{0, 1}, {0, 1}, {time.Second - 1, 1}, {time.Second, 2}, {time.Second + 1, 2}, {-time.Hour, 3}} {
		if got, err := s.get(at.Add(c.after), time.Second, ask); got != c.want || err != nil {
			t.Errorf("%d: answer %d, want %d: %v", i, got, c.want, err)
		}
	}
}
