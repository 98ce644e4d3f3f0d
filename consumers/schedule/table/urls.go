package table

import (
	"context"

	"millrace/schema"
	"millrace/streams/state"
)

// LastTier has 16^5 buckets: room for 8.6 billion URLs of one host.
const LastTier = 5

// TierRoom is the number of URLs that go to a tier before the next one opens. A bucket holds 8,192
// rows. From tier 1 on a hash chooses the bucket, so 1/16 is left free for uneven buckets (eleven
// standard deviations).
func TierRoom(tier int) int64 {
	room := int64(8192) << (4 * tier)
	if tier > 0 {
		room -= room / 16
	}
	return room
}

// Place is the bucket in which a URL's row is stored.
type Place struct {
	Tier   int
	Bucket int64
}

// PlaceOf is the place of a path in a tier.
func PlaceOf(path string, tier int) Place {
	return Place{tier, int64(schema.Murmur2([]byte(path))) & (1<<(4*tier) - 1)}
}

// Next is the bucket after p, in this tier or the next one.
func (p Place) Next() Place {
	if p.Bucket+1 < 1<<(4*p.Tier) {
		return Place{p.Tier, p.Bucket + 1}
	}
	return Place{p.Tier + 1, 0}
}

// EachURL calls fn for those of paths that have a row, in the first tiers tiers of the host.
func EachURL(ctx context.Context, s Reader, h schema.Host, tiers int, paths []string,
	fn func(path string, at Place, st state.Value) error) error {
	byPlace := map[Place][]state.Value{}
	for tier := range tiers {
		for _, p := range paths {
			at := PlaceOf(p, tier)
			byPlace[at] = append(byPlace[at], state.Str(p))
		}
	}
	for at, keys := range byPlace {
		for len(keys) > 0 {
			n := min(len(keys), state.MaxKeys)
			rows, err := s.GetMany(ctx, schema.URLTable, URLs(h, at), keys[:n])
			if err != nil {
				return err
			}
			for _, r := range rows {
				if err := fn(r.Key[3].Str(), at, r.Cells[0]); err != nil {
					return err
				}
			}
			keys = keys[n:]
		}
	}
	return nil
}
