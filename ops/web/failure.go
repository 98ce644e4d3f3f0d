package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// failure is an error with an HTTP status and a text for the client.
type failure struct {
	status  int
	message string
	cause   error // for the log; nil if the client is to blame
}

// Error implements error.
func (f *failure) Error() string { return f.message }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.cause }

func refuse(status int, format string, args ...any) error {
	return &failure{status: status, message: fmt.Sprintf(format, args...)}
}

// absent returns the error for a part that this process does not have.
func absent(what string) error {
	return refuse(http.StatusNotImplemented, "this process has no %s; ask one that has", what)
}

// failure returns the status and the words with which a page shows an error, and logs what is not
// the client's fault.
func (a *answers) failure(logged string, err error) (status int, said string) {
	f := asFailure(err)
	if f.cause != nil {
		a.log.Error(logged, "status", f.status, "error", f.cause)
	}
	return f.status, sentence(f.message)
}

// asFailure turns any error into the failure that the client sees.
func asFailure(err error) *failure {
	var f *failure
	var user interface{ UserMessage() string }
	var big *http.MaxBytesError
	var later *Unavailable
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &later):
		return &failure{http.StatusServiceUnavailable, later.Message, nil}
	case errors.As(err, &user):
		return &failure{http.StatusBadRequest, user.UserMessage(), nil}
	case errors.As(err, &big):
		return &failure{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body may have at most %d bytes", big.Limit), nil}
	case errors.Is(err, context.DeadlineExceeded):
		return &failure{http.StatusServiceUnavailable, "this took too long; try again", err}
	}
	return &failure{http.StatusInternalServerError, "something went wrong here; the log says what", err}
}

// handler turns a function that may fail into an http.Handler that answers with the failure.
func (a *answers) handler(do func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := do(w, r)
		if err == nil || r.Context().Err() != nil && errors.Is(err, context.Canceled) {
			return // who asked has gone
		}
		f := asFailure(err)
		if f.cause != nil {
			a.log.Error("request failed", "path", r.URL.Path, "status", f.status, "error", f.cause)
		}
		if strings.HasPrefix(r.URL.Path, "/api/") {
			a.writeJSON(w, f.status, struct {
				Error string `json:"error"`
			}{f.message})
			return
		}
		a.writePage(w, f.status, "error", errorView{f.status, sentence(f.message)})
	})
}

type errorView struct {
	Status  int
	Message string
}

// sentence makes a message a sentence.
func sentence(s string) string {
	if s == "" {
		return s
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}
