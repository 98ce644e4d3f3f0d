package fetch

import (
	"testing"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/schema"
)

// TestAPanicEndsItsURLOnly: the page, or the robots.txt, whose reading panics gets an outcome and
// is counted; the delay holds; the others are fetched.
func TestAPanicEndsItsURLOnly(t *testing.T) {
	for _, bad := range []string{"https://a.test/bad", "https://a.test/robots.txt"} {
		inWorld(t, nil, func(w *world) {
			answer := w.origin.answer
			w.origin.answer = func(r web.Request, path string) web.Result {
				if r.URL == bad {
					w.origin.flying["a.test"]--
					defer w.origin.mu.Unlock()
					panic("as the test wants")
				}
				return answer(r, path)
			}
			w.schedule("https://a.test/bad")
			w.schedule("https://a.test/good")
			w.schedule("https://b.test/good")
			w.wait(10 * time.Second)
			results := map[string]*schema.Outcome{}
			for _, o := range w.outcomes() {
				results[o.RowKey] = o
			}
			o := results["test.a:https/bad"]
			if len(results) != 3 || o.GetResult() != schema.Outcome_CLIENT_ERROR || o.GetErrorKind() != "internal" {
				t.Errorf("%s: outcomes %v", bad, results)
			}
			if o := results["test.b:https/good"]; o.GetResult() != schema.Outcome_OK {
				t.Errorf("%s: another host's outcome is %v", bad, o)
			}
			if n := w.rec.Drops()["panic"]; n == 0 {
				t.Errorf("%s: not counted", bad)
			}
			w.checkGaps("a.test", 1005*time.Millisecond)
		})
	}
}
