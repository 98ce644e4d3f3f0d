package wire

import (
	"strconv"

	"millrace/consumers/fetch"
	"millrace/consumers/fetch/web"
	"millrace/streams"
)

// countAnswers counts the requests to web servers and the bytes of their answers.
func countAnswers(m *streams.Meter) func(*web.Result) {
	return func(r *web.Result) {
		answer := strconv.Itoa(r.Status)
		if r.Err != nil {
			answer = string(r.Err.Kind)
		}
		m.Add(streams.Count{Group: fetch.Group, What: "web_requests", Label: answer}, 1)
		m.Add(streams.Count{Group: fetch.Group, What: "web_bytes"}, int64(len(r.Body)))
	}
}
