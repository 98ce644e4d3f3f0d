package shard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"time"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// positionKey is the internal key of scorch for the Position.
const positionKey = "millrace"

// Position is the state of a shard: it has exactly the documents of the records before Offset.
type Position struct {
	Shape  string                        `json:"shape"`
	Era    int64                         `json:"era,omitempty"` // of the log that Offset counts in; 0 = not noted
	Offset int64                         `json:"offset"`        // next to read
	Time   time.Time                     `json:"time"`          // of the last record before Offset
	Links  LinksAt                       `json:"links,omitzero"`
	Docs   int64                         `json:"docs"`
	Digest Digest                        `json:"digest"`
	Totals map[text.Analyser]rank.Totals `json:"totals"`
}

// LinksAt is the position of a shard in the topic links.
type LinksAt struct {
	Topic string `json:"topic"` // its id
	Next  int64  `json:"next"`  // offset of the record to read next
}

func (p Position) clone() Position {
	p.Totals = maps.Clone(p.Totals)
	if p.Totals == nil {
		p.Totals = map[text.Analyser]rank.Totals{}
	}
	return p
}

// count adds a document, or removes it if by is -1.
func (p *Position) count(m mark, by int64) {
	p.Docs += by
	p.Digest ^= m.hash
	t := p.Totals[m.analyser]
	var tokens [rank.Fields]int64
	for f, n := range m.tokens {
		tokens[f] = by * int64(n)
	}
	t.Count(by, tokens)
	if t == (rank.Totals{}) {
		delete(p.Totals, m.analyser)
		return
	}
	p.Totals[m.analyser] = t
}

// encode returns the position with a checksum behind it.
func (p Position) encode() ([]byte, error) {
	b, err := json.Marshal(p)
	return fmt.Appendf(b, "#%08x", crc32.ChecksumIEEE(b)), err
}

// decodePosition decodes a position and checks its checksum; old ones have none.
func decodePosition(b []byte) (Position, error) {
	var p Position
	text, sum, summed := bytes.Cut(b, []byte("#"))
	if summed && string(sum) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(text)) {
		return p, fmt.Errorf("%w: stored position %q", ErrDamaged, b)
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return Position{}, fmt.Errorf("%w: stored position: %w", ErrDamaged, err)
	}
	return p, nil
}
