package streams

import (
	"testing"
	"time"
)

// Members that end at the same moment, as they do when a broker stops, join anew at different ones,
// and each of them soon.
func TestMembersThatEndTogetherComeBackApart(t *testing.T) {
	for _, pause := range []time.Duration{rejoinFirst, rejoinMost} {
		moments := map[time.Duration]bool{}
		for range 200 {
			wait := spread(pause)
			if wait < pause/2 || wait >= pause*3/2 {
				t.Fatalf("%s is not around %s", wait, pause)
			}
			moments[wait*20/pause] = true // of 20 parts of the time
		}
		if len(moments) < 10 {
			t.Errorf("200 members come back at %d different moments", len(moments))
		}
	}
}
