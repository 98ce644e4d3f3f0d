package search

import (
	"encoding/base64"
	"encoding/json"
	"hash/fnv"
	"math"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
	"millrace/schema"
)

// cursor is a position in the list of all results. It contains a hash of its query, so that it is
// refused with another one. It also contains what the scores depend on besides the page: so a page
// that does not change has the same score throughout a walk, and is met once, though the index
// changes meanwhile.
type cursor struct {
	Score   float64                        `json:"s"`
	Key     string                         `json:"k"`
	Relaxed bool                           `json:"r,omitempty"`
	Query   uint64                         `json:"q"`
	Weights []float64                      `json:"w,omitempty"` // of the words
	Lengths map[text.Analyser]rank.Lengths `json:"l,omitempty"` // mean lengths of the fields
}

// How many steps of one the weights and lengths are noted in, and what no weight reaches.
const (
	weightSteps = 10_000
	lengthSteps = 100
	mostWeight  = 100
)

// hold scores a plan as the walk began. If the words are others now, because the index has pages in
// another language, they have the weights that they have now.
func (c *cursor) hold(p *rank.Plan) {
	if len(c.Weights) == len(p.Weights) {
		copy(p.Weights, c.Weights)
	}
	for i, w := range p.Weights {
		p.Weights[i] = max(0, min(mostWeight, inSteps(w, weightSteps)))
	}
	for a, now := range p.Lengths {
		if then, ok := c.Lengths[a]; ok {
			now = then
		}
		for f, n := range now {
			now[f] = max(0, inSteps(n, lengthSteps))
		}
		p.Lengths[a] = now
	}
}

func inSteps(x, steps float64) float64 { return math.Round(x*steps) / steps }

func errCursor() error {
	return &query.Error{Reason: "this cursor does not belong to this query", Hint: "begin again with cursor=*"}
}

func (r Request) sum() uint64 {
	h := fnv.New64a()
	h.Write([]byte(r.Query))
	if r.Newest {
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// maxNoted bounds a cursor with weights and lengths. With a longer key it has none, so that it fits
// into the address of a request.
const maxNoted = 3 << 10

// decodeCursor reads a cursor of this request.
func decodeCursor(s string, r Request) (*cursor, error) {
	if s == Start {
		return &cursor{Score: math.MaxFloat64}, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	var c cursor
	if err != nil || len(b) > max(maxNoted, 2*schema.MaxURLBytes+200) || json.Unmarshal(b, &c) != nil || c.Query != r.sum() {
		return nil, errCursor()
	}
	return &c, nil
}

// next returns the cursor after the shown hits; "" if hits has no more than are shown.
func next(hits []located, r Request, relaxed bool, plan *rank.Plan) string {
	if len(hits) <= r.Size {
		return ""
	}
	last := hits[r.Size-1]
	c := cursor{last.Score, last.Key, relaxed, r.sum(), plan.Weights, plan.Lengths}
	b, err := json.Marshal(c)
	if len(b) > maxNoted {
		c.Weights, c.Lengths = nil, nil
		b, err = json.Marshal(c)
	}
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}
