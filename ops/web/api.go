package web

import (
	"net/http"
	"slices"
	"time"

	"millrace/ops/deadletters"
	"millrace/ops/watch"
	"millrace/topics"
)

func (s *Server) apiRoutes(w http.ResponseWriter, _ *http.Request) error {
	s.writeJSON(w, http.StatusOK, struct {
		Routes []Route `json:"routes"`
	}{Routes()})
	return nil
}

func (s *Server) apiStatus(w http.ResponseWriter, r *http.Request) error {
	s.writeJSON(w, http.StatusOK, s.deps.Watch.Report(r.Context()))
	return nil
}

// apiLag shows the part of a Report that is lag; its fields are those of
// streams.Lag and more.
func (s *Server) apiLag(w http.ResponseWriter, r *http.Request) error {
	report := s.deps.Watch.Report(r.Context())
	s.writeJSON(w, http.StatusOK, struct {
		At     time.Time    `json:"at"`
		Groups []watch.Edge `json:"groups"`
		Errors []string     `json:"errors,omitempty"`
	}{report.At, report.Groups, report.Errors})
	return nil
}

// maxURLs bounds the URLs of one call.
const maxURLs = 10_000

func (s *Server) apiSeed(w http.ResponseWriter, r *http.Request) error {
	if s.deps.Seed == nil {
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
	if err := s.deps.Seed(r.Context(), in.URLs, in.Scope); err != nil {
		return err
	}
	s.writeJSON(w, http.StatusAccepted, struct {
		Accepted int    `json:"accepted"`
		Note     string `json:"note,omitempty"`
	}{len(in.URLs), s.note(r)})
	return nil
}

// enough bounds a list of URLs.
func enough(urls []string) error {
	if len(urls) < 1 || len(urls) > maxURLs {
		return refuse(http.StatusBadRequest, "urls must be a list of 1 to %d addresses", maxURLs)
	}
	return nil
}

// note says why what was asked for does not happen yet.
func (s *Server) note(r *http.Request) string {
	if s.deps.Idler == nil {
		return ""
	}
	return s.deps.Idler(r.Context())
}

func (s *Server) apiRecheck(w http.ResponseWriter, r *http.Request) error {
	if s.deps.Recheck == nil {
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
	out, err := s.deps.Recheck(r.Context(), in.URLs, in.Prefix)
	if err != nil {
		return err
	}
	if out.Accepted > 0 {
		out.Note = s.note(r)
	}
	s.writeJSON(w, http.StatusAccepted, out)
	return nil
}

func (s *Server) apiRebuilding(w http.ResponseWriter, _ *http.Request) error {
	if s.deps.Rebuilding == nil {
		return absent("index")
	}
	s.writeJSON(w, http.StatusOK, s.deps.Rebuilding())
	return nil
}

func (s *Server) apiRebuild(w http.ResponseWriter, r *http.Request) error {
	if s.deps.Rebuild == nil {
		return absent("index")
	}
	var in struct{}
	if err := body(r, &in); err != nil {
		return err
	}
	if err := s.deps.Rebuild(); err != nil {
		return err
	}
	s.writeJSON(w, http.StatusAccepted, s.deps.Rebuilding())
	return nil
}

// Bounds of what is listed of dead letters.
const (
	defaultLetters = 100
	maxLetters     = 10_000
)

func (s *Server) apiDeadLetters(w http.ResponseWriter, r *http.Request) error {
	if s.deps.DeadLetters == nil {
		return absent("reader of dead letters")
	}
	limit, err := number(r.URL.Query(), "limit", defaultLetters, 1, maxLetters)
	if err != nil {
		return err
	}
	letters, err := s.deps.DeadLetters(r.Context(), limit)
	if err != nil {
		return err
	}
	if letters == nil {
		letters = []deadletters.Letter{}
	}
	s.writeJSON(w, http.StatusOK, struct {
		Letters []deadletters.Letter `json:"letters"`
	}{letters})
	return nil
}

func (s *Server) apiPutBack(w http.ResponseWriter, r *http.Request) error {
	if s.deps.PutBack == nil {
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
	n, err := s.deps.PutBack(r.Context(), in.Offsets)
	if err != nil {
		return err
	}
	s.writeJSON(w, http.StatusAccepted, struct {
		PutBack int `json:"put_back"`
	}{n})
	return nil
}

// apiTopic is a topic as the API shows it.
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

func (s *Server) apiTopics(w http.ResponseWriter, _ *http.Request) error {
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
	s.writeJSON(w, http.StatusOK, out)
	return nil
}

// edges fills in who writes and who reads the topic.
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
