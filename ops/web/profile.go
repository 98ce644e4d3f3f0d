package web

import (
	"fmt"
	"net/http"
	"net/http/pprof"
	"slices"
	"strconv"
)

// maxProfileSeconds bounds the duration of a profile.
const maxProfileSeconds = 300

// profile answers with a profile for go tool pprof. Only one is taken at a time.
func (h *health) profile(w http.ResponseWriter, r *http.Request) error {
	if s := r.FormValue("seconds"); s != "" {
		if n, err := strconv.Atoi(s); err != nil || n < 1 || n > maxProfileSeconds {
			return refuse(http.StatusBadRequest, "seconds: %q is not a number from 1 to %d", clip(plain(s), 20), maxProfileSeconds)
		}
	}
	switch name := r.PathValue("name"); name {
	case "profile":
		pprof.Profile(w, r)
	case "trace":
		pprof.Trace(w, r)
	default:
		if known := []string{"heap", "allocs", "goroutine", "mutex", "block", "threadcreate"}; !slices.Contains(known, name) {
			return refuse(http.StatusNotFound, "%s", fmt.Sprintf("no profile %q: there are profile, trace, %v", clip(plain(name), 40), known))
		}
		pprof.Handler(r.PathValue("name")).ServeHTTP(w, r)
	}
	return nil
}
