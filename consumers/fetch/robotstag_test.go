package fetch

import (
	"net/http"
	"testing"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/schema"
)

// A 304 says in its outcome whether its X-Robots-Tag forbids us to index the page.
func TestTheRobotsTagOfA304(t *testing.T) {
	for tag, want := range map[string]bool{
		"noindex": true, "NONE": true, "nofollow, noindex": true, "millrace: noindex": true, "max-snippet: 5, noindex": true,
		"otherbot: noarchive, millrace: noindex":                        true,
		"unavailable_after: Wednesday, 25-Jun-35 15:00:00 GMT, noindex": true,
		"": false, "nofollow": false, "noindexing": false, "otherbot: noindex": false, "otherbot: noarchive, noindex": false,
	} {
		inWorld(t, nil, func(w *world) {
			w.serve("/c", web.Result{Status: 304, Header: http.Header{"X-Robots-Tag": {tag}}})
			w.schedule("https://a.test/c", func(s *schema.Scheduled) { s.Etag = `"v1"` })
			w.wait(5 * time.Second)
			if o := w.one(); o.Result != schema.Outcome_UNCHANGED || (o.ErrorKind == robotsTag) != want {
				t.Errorf("%q: outcome %v", tag, o)
			}
		})
	}
}
