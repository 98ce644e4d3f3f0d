package streams

import (
	"errors"
	"fmt"
)

// PoisonError says that a record cannot be handled, however often it is retried. The loop puts the
// record on dead.letters.
type PoisonError struct {
	Kind string // of a closed list: decode, enum, key, too_big, panic, ...
	Err  error
}

// Error implements error.
func (e *PoisonError) Error() string { return fmt.Sprintf("%s: %v", e.Kind, e.Err) }

// Unwrap returns the cause.
func (e *PoisonError) Unwrap() error { return e.Err }

// Poison returns a PoisonError: a Handle that returns it makes its record a dead letter.
func Poison(kind string, format string, args ...any) error {
	return &PoisonError{Kind: kind, Err: fmt.Errorf(format, args...)}
}

// asPoison returns the PoisonError in err, if there is one.
func asPoison(err error) (*PoisonError, bool) {
	var p *PoisonError
	ok := errors.As(err, &p)
	return p, ok
}
