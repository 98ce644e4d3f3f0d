package web

import (
	"context"
	"net/http"
	"time"
)

// ReplayAsk says which pages are extracted again.
type ReplayAsk struct {
	From    time.Time `json:"from,omitzero"`  // pages fetched then and later; zero: all
	To      time.Time `json:"to,omitzero"`    // pages fetched before; zero: until now
	Site    string    `json:"site,omitempty"` // a registrable domain; empty: all
	Edition int64     `json:"edition"`        // of the documents that are made
	Rate    float64   `json:"rate,omitempty"` // pages per second at most; 0: as fast as dedupe follows
	Plan    bool      `json:"plan,omitempty"` // only say what would be read
}

// Same reports whether two replays read the same into the same edition, at whatever speed: the one
// goes on where the other stopped.
func (a ReplayAsk) Same(b ReplayAsk) bool {
	return a.Edition == b.Edition && a.Site == b.Site && a.From.Equal(b.From) && a.To.Equal(b.To)
}

// Replay is the state of a replay of extraction, or of the last one.
type Replay struct {
	ReplayAsk
	Running     bool      `json:"running"`
	Began       time.Time `json:"began,omitzero"` // zero = none since the process began
	Ended       time.Time `json:"ended,omitzero"`
	NotBefore   time.Time `json:"not_before,omitzero"` // when the oldest record to be read was fetched
	Lost        bool      `json:"lost"`                // the log deleted older records that were wanted
	Total       int64     `json:"records"`             // to read, including those of an earlier attempt
	Read        int64     `json:"records_read"`
	Resumed     int64     `json:"resumed_at"` // records read by an earlier attempt
	Made        int64     `json:"made"`       // documents and deletions appended
	SecondsLeft float64   `json:"seconds_left,omitempty"`
	Error       string    `json:"error,omitempty"` // why it failed
}

// Replayer extracts pages again that were fetched before.
type Replayer interface {
	PlanReplay(ctx context.Context, a ReplayAsk) (Replay, error)
	Replay(ctx context.Context, a ReplayAsk) error
	Replaying() Replay
}

func (a *api) replaying(w http.ResponseWriter, _ *http.Request) error {
	if a.deps.Replayer == nil {
		return absent("log")
	}
	a.writeJSON(w, http.StatusOK, a.deps.Replayer.Replaying())
	return nil
}

func (a *api) replay(w http.ResponseWriter, r *http.Request) error {
	if a.deps.Replayer == nil {
		return absent("log")
	}
	var in ReplayAsk
	if err := body(r, &in); err != nil {
		return err
	}
	if in.Rate < 0 || len(in.Site) > 255 {
		return refuse(http.StatusBadRequest, "rate must not be negative, and site must be a domain")
	}
	plan, err := a.deps.Replayer.PlanReplay(r.Context(), in)
	if err != nil || in.Plan {
		if err == nil {
			a.writeJSON(w, http.StatusOK, plan)
		}
		return err
	}
	if err := a.deps.Replayer.Replay(r.Context(), in); err != nil {
		return err
	}
	a.writeJSON(w, http.StatusAccepted, a.deps.Replayer.Replaying())
	return nil
}
