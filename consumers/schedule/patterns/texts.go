package patterns

import (
	"encoding/binary"
	"slices"

	"millrace/schema"
)

// textRing is how many texts a tree remembers.
const textRing = 512

// texts remembers the fingerprints of the last texts of a host.
type texts struct{ row *schema.PatternsRow }

// had reports whether the host had a text lately. If not, it remembers the text. A fingerprint of 0
// is never known.
func (t texts) had(f uint32) bool {
	if f == 0 {
		return false
	}
	if slices.Contains(t.row.Texts, f) {
		return true
	}
	t.row.Texts, t.row.TextsNext = push(t.row.Texts, t.row.TextsNext, textRing, f)
	return false
}

// Had reports whether the host had a text lately: its skeleton, or if that is 0 its hash, as for
// Text.Fingerprint.
func (t *Tree) Had(skeleton uint64, hash []byte) bool {
	f := Fold(skeleton)
	if f == 0 {
		f = Fingerprint(hash)
	}
	return f != 0 && slices.Contains(t.row.Texts, f)
}

// twiceRing is how many texts twice remembers.
const twiceRing = 256

// twice reports whether a text that the host had came again for the first time, and remembers it.
func (t texts) twice(f uint32) bool {
	if slices.Contains(t.row.Twice, f) {
		return false
	}
	t.row.Twice, t.row.TwiceNext = push(t.row.Twice, t.row.TwiceNext, twiceRing, f)
	return true
}

// metRing is how many pages met remembers.
const metRing = 128

// met reports whether a link to this known page was counted lately (Tree.Met). If not, it remembers
// the page.
func (t texts) met(path string) bool {
	f := hash(path)
	if slices.Contains(t.row.Met, f) {
		return true
	}
	t.row.Met, t.row.MetNext = push(t.row.Met, t.row.MetNext, metRing, f)
	return false
}

// broughtRing is how many pages brings remembers.
const broughtRing = 128

// brings remembers a page that named new pages of another shape.
func (t texts) brings(path string) {
	if f := hash(path); !slices.Contains(t.row.Brought, f) {
		t.row.Brought, t.row.BroughtNext = push(t.row.Brought, t.row.BroughtNext, broughtRing, f)
	}
}

// brought reports whether a page named new pages of another shape lately.
func (t texts) brought(path string) bool { return slices.Contains(t.row.Brought, hash(path)) }

// push writes values to a ring of n numbers; next is the position of the oldest.
func push(ring []uint32, next uint32, n int, values ...uint32) ([]uint32, uint32) {
	for _, v := range values {
		if len(ring) < n {
			ring = append(ring, v)
		} else {
			ring[int(next)%n] = v
		}
		next = (next + 1) % uint32(n)
	}
	return ring, next
}

// Fingerprint returns the first 32 bits of a hash: 0 for a hash under four bytes, else never 0.
func Fingerprint(hash []byte) uint32 {
	if len(hash) < 4 {
		return 0
	}
	return max(1, binary.LittleEndian.Uint32(hash))
}

// Fold folds a fingerprint of 64 bits to 32; only 0 becomes 0.
func Fold(f uint64) uint32 {
	if f == 0 {
		return 0
	}
	return max(1, uint32(f^f>>32))
}
