package web

import "net/http"

// PatternLine says what the URLs of one shape brought.
type PatternLine struct {
	Shape     string   `json:"shape"` // /news/#?page=#: # a number, * any, ~ a title, + repeated
	Found     int64    `json:"found"`
	Fetched   int64    `json:"fetched"`
	Tried     int64    `json:"tried"`     // URLs judged by their first answer
	Useful    int64    `json:"useful"`    // of Tried, with a text that the host did not have
	Fit       int64    `json:"fit"`       // of Useful, those judged to have content of their own
	Duplicate int64    `json:"duplicate"` // with a text that the host had
	Soft404   int64    `json:"soft404"`
	NoIndex   int64    `json:"noindex"`
	Empty     int64    `json:"empty"`
	Missing   int64    `json:"missing"`
	Redirect  int64    `json:"redirect"`
	Lists     int64    `json:"lists"` // feeds and sitemaps
	Led       int64    `json:"led"`   // useful pages of other shapes that were first named by pages of this shape
	Checked   int64    `json:"checked"`
	Changed   int64    `json:"changed"`
	Bytes     int64    `json:"bytes"`
	Left      int32    `json:"budget_left"` // fetches without a new text until new URLs of the shape are put aside
	Closed    bool     `json:"closed"`      // new URLs of the shape are put aside
	Endless   bool     `json:"endless"`
	Dropped   []string `json:"parameters_dropped,omitempty"` // they never change the text, and are removed from new URLs
}

func (s *steering) patterns(w http.ResponseWriter, r *http.Request) error {
	o, err := s.operators()
	if err != nil {
		return err
	}
	host := r.URL.Query().Get("host")
	if host == "" || len(host) > maxURLBytes {
		return refuse(http.StatusBadRequest, "host must be the name of a host")
	}
	list, err := o.Patterns(r.Context(), host)
	if list == nil {
		list = []PatternLine{}
	}
	return s.answer(w, http.StatusOK, struct {
		Patterns []PatternLine `json:"patterns"`
	}{list}, err)
}
