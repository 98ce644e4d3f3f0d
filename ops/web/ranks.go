package web

import (
	"net/http"
	"time"
)

// Ranks lists the pages or hosts with the highest PageRank.
type Ranks struct {
	Damping float64 `json:"damping"`
	Base    float64 `json:"base"`  // the value of pages without a known one: no link leads to them
	Known   int     `json:"known"` // how many have a value of their own
	Ranks   []Rank  `json:"ranks"`
}

// Rank is the PageRank of a page, or of a host.
type Rank struct {
	URL       string    `json:"url,omitempty"`
	Host      string    `json:"host"`
	Value     float64   `json:"value"`
	HostValue float64   `json:"host_value"`
	At        time.Time `json:"at"`
}

// Bounds of the number of ranks.
const (
	defaultRanks = 20
	maxRanks     = 10_000
)

func (a *api) ranks(w http.ResponseWriter, r *http.Request) error {
	if a.deps.Ranks == nil {
		return absent("reader of ranks")
	}
	q := r.URL.Query()
	top, err := number(q, "top", defaultRanks, 1, maxRanks)
	if err != nil {
		return err
	}
	by := q.Get("by")
	if by != "" && by != "page" && by != "host" {
		return refuse(http.StatusBadRequest, "by must be page or host")
	}
	out, err := a.deps.Ranks(r.Context(), by == "host", top)
	if err != nil {
		return err
	}
	a.writeJSON(w, http.StatusOK, out)
	return nil
}
