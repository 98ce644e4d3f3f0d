package web

import (
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// LogPanics returns a handler that logs a panic of h as an error, with its stack, and breaks the
// answer off: its client sees a connection that ends, not half an answer that looks whole. The
// request is named by its path alone, because a query is its user's.
func LogPanics(h http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if !isAbort(p) {
				log.Error("an answer failed: this is a defect of millrace, please report it", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
			}
			panic(http.ErrAbortHandler)
		}()
		h.ServeHTTP(w, r)
	})
}

// isAbort reports whether a panic is how a handler breaks an answer off.
func isAbort(p any) bool {
	err, ok := p.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}
