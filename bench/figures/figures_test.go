package figures

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAQuantileIsAValueOfTheList(t *testing.T) {
	list := []time.Duration{3 * time.Second, time.Second, 2 * time.Second, 4 * time.Second}
	for q, want := range map[float64]time.Duration{0: time.Second, .5: 3 * time.Second, .99: 4 * time.Second, 1: 4 * time.Second} {
		if got := Quantile(list, q); got != want {
			t.Errorf("%v is %v, want %v", q, got, want)
		}
	}
}
