package table

import (
	"context"
	"fmt"
	"path"
	"slices"

	"millrace/consumers/taps/place"
)

// unfinished is the name of a file that is in a place while it is being filled.
const unfinished = "_UNFINISHED"

// begin makes a place ready for what a fold writes: files whose names match a pattern, and done.
// The place must be empty, or one in which a fold was ended before it was done: then what that has
// written is deleted.
func begin(ctx context.Context, to place.Place, pattern string) error {
	names, err := to.List(ctx, "")
	if err != nil {
		return err
	}
	if len(names) > 0 && !slices.Contains(names, unfinished) {
		return fmt.Errorf("%s is not empty: a fold goes into an empty directory", to)
	}
	ours := func(name string) bool {
		match, _ := path.Match(pattern, name) // fails for a pattern that is none
		return match || name == done || name == unfinished
	}
	for _, name := range names {
		if !ours(name) || name == unfinished {
			continue
		}
		if err := to.Remove(ctx, name); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		if err := to.CreateOnce(ctx, unfinished, nil); err != nil {
			return err
		}
	}
	return to.Sweep(ctx, "", ours)
}
