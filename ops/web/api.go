package web

import (
	"net/http"
	"slices"
	"time"

	"millrace/ops/deadletters"
	"millrace/ops/watch"
	"millrace/streams"
	"millrace/topics"
)

// api serves the JSON API, without search and why, whose handlers are beside their pages.
type api struct {
	*answers
	opts Options
	deps Deps
}

func (a *api) routes(w http.ResponseWriter, _ *http.Request) error {
	a.writeJSON(w, http.StatusOK, struct {
		Routes []Route `json:"routes"`
	}{Routes()})
	return nil
}

func (a *api) status(w http.ResponseWriter, r *http.Request) error {
	a.writeJSON(w, http.StatusOK, a.deps.Watch.Report(r.Context()))
	return nil
}

// lag answers with the part of a Report that is about lag. It has the fields of streams.Lag and
// some more.
func (a *api) lag(w http.ResponseWriter, r *http.Request) error {
	report := a.deps.Watch.Report(r.Context())
	a.writeJSON(w, http.StatusOK, struct {
		At      time.Time      `json:"at"`
		Groups  []watch.Edge   `json:"groups"`
		Notices []watch.Notice `json:"notices,omitempty"`
		Errors  []string       `json:"errors,omitempty"`

		Readers []streams.GroupLag `json:"readers,omitempty"` // groups of other programs
	}{report.At, report.Groups, report.Notices, report.Errors, report.Readers})
	return nil
}

// maxURLs bounds the URLs of one call.
const maxURLs = 10_000

func (a *api) seed(w http.ResponseWriter, r *http.Request) error {
	if a.deps.Seed == nil {
		return absent("frontier")
	}
	var in struct {
		URLs  []string `json:"urls"`
		Scope string   `json:"scope"`
	}
	if err := body(r, &in); err != nil {
		return err
	}
	if !slices.Contains([]string{"", "host", "site", "any"}, in.Scope) {
		return refuse(http.StatusBadRequest, "scope must be host, site, any or empty")
	}
	if err := enough(in.URLs); err != nil {
		return err
	}
	out, err := a.deps.Seed(r.Context(), in.URLs, in.Scope)
	if err != nil {
		return err
	}
	if out.Accepted > 0 {
		out.Note = a.note(r)
	}
	a.writeJSON(w, http.StatusAccepted, out)
	return nil
}

// enough returns an error if the number of URLs is out of bounds.
func enough(urls []string) error {
	if len(urls) < 1 || len(urls) > maxURLs {
		return refuse(http.StatusBadRequest, "urls must be a list of 1 to %d addresses", maxURLs)
	}
	return nil
}

// note returns why a request has no effect yet; "" if it has.
func (a *api) note(r *http.Request) string {
	if a.deps.Idler == nil {
		return ""
	}
	return a.deps.Idler(r.Context())
}

func (a *api) recheck(w http.ResponseWriter, r *http.Request) error {
	if a.deps.Recheck == nil {
		return absent("frontier")
	}
	var in struct {
		URLs   []string `json:"urls"`
		Prefix bool     `json:"prefix"`
	}
	if err := body(r, &in); err != nil {
		return err
	}
	if err := enough(in.URLs); err != nil {
		return err
	}
	out, err := a.deps.Recheck(r.Context(), in.URLs, in.Prefix)
	if err != nil {
		return err
	}
	if out.Accepted > 0 {
		out.Note = a.note(r)
	}
	a.writeJSON(w, http.StatusAccepted, out)
	return nil
}

func (a *api) rebuilding(w http.ResponseWriter, _ *http.Request) error {
	if a.deps.Rebuilding == nil {
		return absent("index")
	}
	a.writeJSON(w, http.StatusOK, a.deps.Rebuilding())
	return nil
}

func (a *api) rebuild(w http.ResponseWriter, r *http.Request) error {
	if a.deps.Rebuild == nil {
		return absent("index")
	}
	var in struct{}
	if err := body(r, &in); err != nil {
		return err
	}
	if err := a.deps.Rebuild(); err != nil {
		return err
	}
	a.writeJSON(w, http.StatusAccepted, a.deps.Rebuilding())
	return nil
}

// Bounds of the list of dead letters.
const (
	defaultLetters = 100
	maxLetters     = 10_000
)

func (a *api) deadLetters(w http.ResponseWriter, r *http.Request) error {
	if a.deps.DeadLetters == nil {
		return absent("reader of dead letters")
	}
	limit, err := number(r.URL.Query(), "limit", defaultLetters, 1, maxLetters)
	if err != nil {
		return err
	}
	letters, err := a.deps.DeadLetters(r.Context(), limit)
	if err != nil {
		return err
	}
	if letters == nil {
		letters = []deadletters.Letter{}
	}
	a.writeJSON(w, http.StatusOK, struct {
		Letters []deadletters.Letter `json:"letters"`
	}{letters})
	return nil
}

func (a *api) putBack(w http.ResponseWriter, r *http.Request) error {
	if a.deps.PutBack == nil {
		return absent("reader of dead letters")
	}
	var in struct {
		Offsets []int64 `json:"offsets"`
		All     bool    `json:"all"`
	}
	if err := body(r, &in); err != nil {
		return err
	}
	if in.All == (len(in.Offsets) > 0) {
		return refuse(http.StatusBadRequest, "say which: offsets, or all")
	}
	n, err := a.deps.PutBack(r.Context(), in.Offsets)
	if err != nil {
		return err
	}
	a.writeJSON(w, http.StatusAccepted, struct {
		PutBack int `json:"put_back"`
	}{n})
	return nil
}

// apiTopic is a topic in the API.
type apiTopic struct {
	Name      string   `json:"name"`
	Message   string   `json:"message"`
	Key       string   `json:"key"`
	Retention float64  `json:"retention_seconds"` // 0 = compacted by key
	Bound     int64    `json:"bound_records,omitempty"`
	BoundSize int64    `json:"bound_bytes,omitempty"`
	Writers   []string `json:"writers"`
	Readers   []string `json:"readers"`
	About     string   `json:"about"`
}

func (a *api) topics(w http.ResponseWriter, _ *http.Request) error {
	var out struct {
		Topics []apiTopic `json:"topics"`
	}
	for _, spec := range topics.All() {
		t := apiTopic{
			spec.Name, spec.Message, spec.Key, spec.Retention.Seconds(), spec.Bound.Records, spec.Bound.Bytes,
			[]string{}, []string{}, spec.About,
		}
		t.edges()
		out.Topics = append(out.Topics, t)
	}
	a.writeJSON(w, http.StatusOK, out)
	return nil
}

// edges sets the writers and readers of the topic.
func (t *apiTopic) edges() {
	for _, p := range topics.Producers() {
		if p.Writes == t.Name {
			t.Writers = append(t.Writers, p.Name)
		}
	}
	for _, g := range topics.Groups() {
		for _, to := range g.Writes {
			if to == t.Name {
				t.Writers = append(t.Writers, g.Name)
			}
		}
		if g.Reads == t.Name {
			t.Readers = append(t.Readers, g.Name)
		}
	}
}
