package onerun

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// closeWithin bounds what the observer waits for.
const closeWithin = time.Minute

// checkReplay: an index that is made again from docs.unique is the one that was there, to the last
// posting (I8). Every process makes the shards that it
// writes again, beside those that answer.
func (c *checks) checkReplay(ctx context.Context) error {
	for _, p := range c.procs {
		l := p.life()
		if l == nil || !writes(l) {
			continue
		}
		before, err := dumps(l)
		if err != nil {
			return err
		}
		if err := l.system.Rebuild(); err != nil {
			return fmt.Errorf("process %d: rebuild: %w", p.n, err)
		}
		for state := l.system.Rebuilding(); state.Running; state = l.system.Rebuilding() {
			select {
			case <-ctx.Done():
				c.offend("I8: process %d does not come to the end of making its index again", p.n)
				return nil
			case <-time.After(time.Second):
			}
		}
		if state := l.system.Rebuilding(); state.Error != "" {
			c.offend("I8: process %d cannot make its index again: %s", p.n, state.Error)
			continue
		}
		after, err := dumps(l)
		if err != nil {
			return err
		}
		for part, was := range before {
			if is := after[part]; is != was {
				c.offend("I8: partition %d of the index differs when it is made again: %s", part, difference(was, is))
			}
		}
	}
	return nil
}

// writes reports whether a process writes a part of the index: what is left of one that moved away
// is not made again.
func writes(l *life) bool {
	for _, s := range l.system.Shards() {
		if s.Owned {
			return true
		}
	}
	return false
}

// dumps tells everything that the shards of a process hold.
func dumps(l *life) (map[int32]string, error) {
	out := map[int32]string{}
	for _, s := range l.system.Shards() {
		if !s.Owned || s.Frozen {
			continue
		}
		var b strings.Builder
		if err := l.system.DumpShard(s.Partition, &b); err != nil {
			return nil, err
		}
		out[s.Partition] = b.String()
	}
	return out, nil
}

// difference is the first line that two dumps do not share.
func difference(was, is string) string {
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("%.300q before, %.300q after", a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines before, %d after", len(a), len(b))
}
