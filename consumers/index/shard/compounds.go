package shard

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"unicode/utf8"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/segment"
	"millrace/consumers/index/text"
)

// The bounds of one question: stems that are compared, and pieces that are looked for.
const (
	maxCandidates = 2000
	maxPieces     = 20_000
)

// compounds answers a question about compounds.
func (s *Snapshot) compounds(ctx context.Context, look *rank.Lookup) ([]rank.Form, error) {
	if len(look.Compounds.Texts) > 0 {
		return pieces(ctx, s.segments, look)
	}
	return candidates(ctx, s.segments, look)
}

// candidates returns the stems of the language that contain a text and have letters for another
// word, those on the most pages first.
func candidates(ctx context.Context, segments []*segmentView, look *rank.Lookup) ([]rank.Form, error) {
	tag, part := text.Analyser(look.Compounds.Analyser).Term(""), []byte(look.Compounds.Stem)
	found := map[string]int64{}
	for _, v := range segments {
		terms := v.seg.Dictionary(segment.Words).Prefix(tag)
		for n := 1; terms.Next(); n++ {
			if n%10_000 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			name := terms.Term()[len(tag):]
			if len(name) < len(part)+rank.LeastPart || !bytes.Contains(name, part) {
				continue
			}
			if _, known := found[string(name)]; !known && len(found) == maxCandidates {
				continue
			}
			if docs := (&list{List: terms.List(), of: v}).docs(); docs > 0 {
				found[string(name)] += docs
			}
		}
	}
	return formsOf(found, look.Limit), nil
}

func formsOf(counts map[string]int64, limit int) []rank.Form {
	forms := make([]rank.Form, 0, len(counts))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		forms = append(forms, rank.Form{Text: name, Docs: counts[name]})
	}
	slices.SortStableFunc(forms, rank.Commoner)
	return forms[:min(len(forms), limit)]
}

// pieces returns the pieces of some texts that are words here, in some form.
func pieces(ctx context.Context, segments []*segmentView, look *rank.Lookup) ([]rank.Form, error) {
	of := text.Analyser(look.Compounds.Analyser)
	normal := text.NewNormaliser(of)
	tried, found := map[string]bool{}, map[string]int64{}
	for _, whole := range look.Compounds.Texts {
		for from := range whole {
			for size, letters := 0, 1; from+size < len(whole); letters++ {
				_, n := utf8.DecodeRuneInString(whole[from+size:])
				size += n
				piece := whole[from : from+size]
				if letters < rank.LeastPart || tried[piece] || len(tried) == maxPieces {
					continue
				}
				if tried[piece] = true; len(tried)%1000 == 0 && ctx.Err() != nil {
					return nil, ctx.Err()
				}
				docs := max(pagesOf(segments, of.Term(piece)), pagesOf(segments, of.Term(normal.Stem(piece))))
				if docs == 0 && from+size == len(whole) && letters > rank.LeastPart && begins(segments, of.Term(piece)) {
					docs = 1
				}
				if docs > 0 {
					found[piece] = docs
				}
			}
		}
	}
	return formsOf(found, look.Limit), nil
}

// longestEnding is the most bytes that a stemmer takes from the last word of a compound and not
// from that word alone: ordn of Verkehrsordnung, ordnung of Ordnung.
const longestEnding = 3

// begins reports whether a stem that is a little longer begins with a term.
func begins(segments []*segmentView, term string) bool {
	for _, v := range segments {
		terms := v.seg.Dictionary(segment.Words).Prefix(term)
		for range 100 {
			if !terms.Next() {
				break
			}
			if len(terms.Term()) <= len(term)+longestEnding {
				return true
			}
		}
	}
	return false
}

// pagesOf returns how many pages have a term.
func pagesOf(segments []*segmentView, term string) (n int64) {
	for _, v := range segments {
		n += (&list{List: v.seg.Dictionary(segment.Words).Find(term), of: v}).docs()
	}
	return n
}
