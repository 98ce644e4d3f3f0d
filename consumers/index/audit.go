package index

import (
	"slices"

	"millrace/consumers/index/shard"
)

// keptSteps is how many records back a proof can be compared.
const keptSteps = 16 << 10

// audit remembers the digest and the number of documents of a shard after each of its last records.
type audit struct{ steps []shard.Step }

func newAudit(at shard.Position) *audit {
	return &audit{steps: []shard.Step{{Next: at.Offset, Docs: at.Docs, Digest: at.Digest}}}
}

func (a *audit) add(steps []shard.Step) {
	a.steps = append(a.steps, steps...)
	if len(a.steps) > 2*keptSteps {
		a.steps = slices.Clone(a.steps[len(a.steps)-keptSteps:])
	}
}

// Difference is a shard's digest that is not the one in the proof.
type Difference struct {
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
	Digest    string `json:"digest"`
	Proof     string `json:"proof"`
	Docs      int64  `json:"docs"`
	ProofDocs int64  `json:"proof_docs"`
}

type verdict int

const (
	early   verdict = iota // the shard has not passed the offset yet
	tooLate                // it is not remembered any more
	equal
	different
)

// compare looks up the digest before an offset and compares it with a proof. Offsets without
// records (compacted away, transaction markers) are between two steps; there the digest is that of
// the step before, once a later step is known.
func (a *audit) compare(offset int64, digest shard.Digest, docs int64) (verdict, shard.Step) {
	i, exact := slices.BinarySearchFunc(a.steps, offset, func(s shard.Step, at int64) int { return int(s.Next - at) })
	if exact {
		for i+1 < len(a.steps) && a.steps[i+1].Next == offset {
			i++
		}
	} else {
		if i == len(a.steps) {
			return early, shard.Step{}
		}
		if i == 0 {
			return tooLate, shard.Step{}
		}
		i--
	}
	if s := a.steps[i]; s.Digest != digest || s.Docs != docs {
		return different, s
	}
	return equal, a.steps[i]
}
