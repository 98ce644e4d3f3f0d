package streams

import (
	"errors"
	"fmt"
)

// DeadLetterError says that a record cannot be handled, however often it is retried. The loop puts
// the record on dead.letters.
type DeadLetterError struct {
	Kind string // of a closed list: decode, enum, key, too_big, panic, ...
	Err  error
}

// Error implements error.
func (e *DeadLetterError) Error() string { return fmt.Sprintf("%s: %v", e.Kind, e.Err) }

// Unwrap returns the cause.
func (e *DeadLetterError) Unwrap() error { return e.Err }

// DeadLetter returns a DeadLetterError: a Handle that returns it makes its record a dead letter.
func DeadLetter(kind string, format string, args ...any) error {
	return &DeadLetterError{Kind: kind, Err: fmt.Errorf(format, args...)}
}

// asDeadLetter returns the DeadLetterError in err, if there is one.
func asDeadLetter(err error) (*DeadLetterError, bool) {
	var p *DeadLetterError
	ok := errors.As(err, &p)
	return p, ok
}
