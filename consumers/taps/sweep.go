package taps

import (
	"context"
	"path"
	"strconv"
	"strings"
)

// sweep deletes what earlier writers of the partition have left: files with staging names, which no
// note can name any more, since the claims in them are older, and the temporary files of staged
// files and notes.
func (t *task[M]) sweep(ctx context.Context) error {
	names, err := t.tap.place.List(ctx, t.staging())
	if err != nil {
		return err
	}
	for _, name := range names {
		if t.older(name) {
			if err := t.tap.place.Remove(ctx, name); err != nil {
				return err
			}
		}
	}
	if err := t.tap.place.Sweep(ctx, t.staging(), t.older); err != nil {
		return err
	}
	return t.tap.place.Sweep(ctx, t.notes.dir(), func(name string) bool { return number(name) <= t.claim })
}

// older reports whether a staging name has the claim of an earlier writer.
func (t *task[M]) older(name string) bool {
	claim, _, _ := strings.Cut(path.Base(name), "-")
	n, err := strconv.ParseInt(claim, 10, 64)
	return err == nil && n < t.claim
}
