package search

import (
	"encoding/base64"
	"encoding/json"
	"hash/fnv"
	"math"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/schema"
)

// cursor is a position in the list of all results. It contains a hash of its query, so that it is
// refused with another one.
type cursor struct {
	Score   float64 `json:"s"`
	Key     string  `json:"k"`
	Relaxed bool    `json:"r,omitempty"`
	Query   uint64  `json:"q"`
}

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

// decodeCursor reads a cursor of this request.
func decodeCursor(s string, r Request) (*rank.After, error) {
	if s == Start {
		return &rank.After{Score: math.MaxFloat64}, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	var c cursor
	if err != nil || len(b) > 2*schema.MaxURLBytes+200 || json.Unmarshal(b, &c) != nil || c.Query != r.sum() {
		return nil, errCursor()
	}
	return &rank.After{Score: c.Score, Key: c.Key, Relaxed: c.Relaxed}, nil
}

// next returns the cursor after the shown hits; "" if hits has no more than are shown.
func next(hits []located, r Request, relaxed bool) string {
	if len(hits) <= r.Size {
		return ""
	}
	last := hits[r.Size-1]
	b, err := json.Marshal(cursor{last.Score, last.Key, relaxed, r.sum()})
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}
