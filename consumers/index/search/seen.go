package search

import (
	"encoding/base64"
	"hash/fnv"
	"slices"

	"millrace/consumers/index/query"
)

// seen are the hits that were shown on earlier pages of results, as hashes of their row keys. The
// next page has the best of the others. So no hit is shown twice, and one that moves up while the
// index changes is shown on the next page instead of on none. Nothing is kept for it between two
// requests, and any process can answer the next one.
type seen struct {
	order []seenHash
	set   map[seenHash]bool
}

// seenHash has 40 bits: of 1,000 hits and 1,000 others, two are taken for one in one list of a
// million.
type seenHash [5]byte

// maxSeen bounds the hits of a token, so that it fits into an address (4 KB). Of more, the last
// ones are kept; those before are passed over by their number.
const maxSeen = 600

func hashOf(key string) (out seenHash) {
	h := fnv.New64a()
	h.Write([]byte(key))
	sum := h.Sum64()
	sum ^= sum >> 40 // the low bits of FNV are mixed best
	for i := range out {
		out[i] = byte(sum >> (8 * i))
	}
	return out
}

// decodeSeen reads a token; "" is no hits.
func decodeSeen(token string) (*seen, error) {
	s := &seen{set: map[seenHash]bool{}}
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b)%len(seenHash{}) != 0 || len(b) > maxSeen*len(seenHash{}) {
		return nil, &query.Error{Reason: "seen is not the token of an earlier page of results", Hint: "leave it out to begin again"}
	}
	for one := range slices.Chunk(b, len(seenHash{})) {
		s.add(seenHash(one))
	}
	return s, nil
}

func (s *seen) add(h seenHash) {
	if !s.set[h] {
		s.set[h] = true
		s.order = append(s.order, h)
	}
}

// without returns the hits of a list that were not shown. A hit was shown, too, if one of its
// copies was.
func (s *seen) without(list []folded) []folded {
	if len(s.set) == 0 {
		return list
	}
	return slices.DeleteFunc(list, func(f folded) bool {
		return s.set[hashOf(f.Key)] || slices.ContainsFunc(f.copies, func(c located) bool { return s.set[hashOf(c.Key)] })
	})
}

// with returns the token of these hits and more.
func (s *seen) with(shown []folded) string {
	for _, f := range shown {
		s.add(hashOf(f.Key))
	}
	var b []byte
	for _, h := range s.order[max(0, len(s.order)-maxSeen):] {
		b = append(b, h[:]...)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}
