package nearest

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheNearestWordIsMeant(t *testing.T) {
	known := []string{"max-depth", "max-pages", "delay", "data", "status", "search"}
	for word, want := range map[string]string{
		"max-dpeth": "max-depth", "dealy": "delay", "stat": "status", "pages": "max-pages", "DATA": "data", "serach": "search", "x": "", "zebra": "",
	} {
		if got := To(word, known); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
}
