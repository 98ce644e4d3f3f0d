package state

import "errors"

// The closed list of error kinds of a Store. Everything else it returns is
// transient (a server that does not answer): retry with back-off.
var (
	// ErrNotFound: there is no such row.
	ErrNotFound = errors.New("no such row")
	// ErrInvalid: the call breaks the contract (a wrong number of key values,
	// too many keys, a value that does not fit its column, a row over 8 MiB).
	// Repeating it will not help.
	ErrInvalid = errors.New("invalid store call")
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("store is closed")
	// ErrDenied: the store refuses this user a right or its login. Repeating it
	// will not help until an operator acts.
	ErrDenied error = deniedError{}
)

// deniedError implements streams.Denial, so that package streams need not import this one.
type deniedError struct{}

// Error implements error.
func (deniedError) Error() string { return "the store denies it" }

// Denied implements streams.Denial.
func (deniedError) Denied() bool { return true }
