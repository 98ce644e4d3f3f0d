package shard

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// I3: the digest and the totals kept batch by batch equal those of the fold computed at once.
func TestDigestAndTotalsEqualTheFold(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := openShard(t, t.TempDir())
		defer s.Close()
		fold := map[string]*Document{}
		next := int64(0)
		for range rapid.IntRange(1, 6).Draw(rt, "batches") {
			changes := rapid.SliceOfN(change(), 0, 12).Draw(rt, "changes")
			var want []Step
			for i := range changes {
				c := &changes[i]
				c.Offset = next
				next++
				fold[c.Key] = c.Document
				if c.Document == nil {
					delete(fold, c.Key)
				}
				want = append(want, step(next, fold))
			}
			steps, err := s.Apply(t.Context(), Batch{Changes: changes, Next: next})
			if err != nil || !slices.Equal(steps, want) {
				rt.Fatalf("steps %v, %v; want %v", steps, err, want)
			}
			same(rt, s.Position(), fold, next)
		}
	})
}

func step(next int64, fold map[string]*Document) Step {
	s := Step{Next: next, Docs: int64(len(fold))}
	for _, d := range fold {
		s.Digest ^= d.Hash
	}
	return s
}

func change() *rapid.Generator[Change] {
	return rapid.Custom(func(t *rapid.T) Change {
		key := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "key")
		if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
			return remove(key)
		}
		lang := rapid.SampledFrom([]string{"en", "de", "pl"}).Draw(t, "lang")
		c := put(key, lang, rapid.StringN(0, 20, 40).Draw(t, "title"), rapid.StringN(0, 60, 200).Draw(t, "body"))
		c.Document.Headings = rapid.SliceOfN(rapid.StringN(0, 9, 20), 0, 2).Draw(t, "headings")
		c.Document.Anchors = []Anchor{{rapid.StringN(0, 9, 20).Draw(t, "anchor"), rapid.IntRange(1, 3).Draw(t, "sites")}}
		return c
	})
}

func same(t *rapid.T, p Position, fold map[string]*Document, next int64) {
	var digest Digest
	totals := map[text.Analyser]rank.Totals{}
	for _, d := range fold {
		digest ^= d.Hash
		a := text.ForLanguage(d.Shown.Lang)
		n := totals[a]
		n.Docs++
		n.Title += tokens(d.Shown.Title)
		n.Body += tokens(d.Shown.Text)
		n.Headings += tokens(strings.Join(d.Headings, " "))
		n.Address++ // each has an address of one word
		for _, a := range d.Anchors {
			n.Anchors += int64(a.Sites) * tokens(a.Text)
		}
		totals[a] = n
	}
	if p.Digest != digest || p.Docs != int64(len(fold)) || p.Offset != next {
		t.Fatalf("position %+v; the fold has digest %s, %d documents, offset %d", p, digest, len(fold), next)
	}
	if len(p.Totals) != len(totals) {
		t.Fatalf("totals %v, want %v", p.Totals, totals)
	}
	for a, want := range totals {
		if p.Totals[a] != want {
			t.Fatalf("totals of %q are %+v, want %+v", a, p.Totals[a], want)
		}
	}
}

func tokens(s string) int64 {
	n := int64(0)
	for scan := text.Scan(s); ; n++ {
		if _, ok := scan.Next(); !ok {
			return n
		}
	}
}
