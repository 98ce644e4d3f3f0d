package index

import (
	"slices"

	"millrace/consumers/index/shard"
)

// keptSteps is how many records back a proof can be compared.
const keptSteps = 16 << 10

// audit remembers what the fold of a shard came to after its last records.
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

// Difference is a fold that is not what its proof says.
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

// compare looks up the fold before an offset, in the log that the shard was filled from. Offsets
// without records (compacted away, transaction markers) lie between two steps; the fold there is
// that of the step before, once the next one is known.
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
