package search

import "millrace/consumers/index/rank"

// pruned returns a match without the ways that no page can be found by, because no page has their
// word. Most of the other spellings of a word are on no page; without them the shards have the
// conditions of the words that were typed, which they answer fastest. found tells on how many pages
// a word is.
func pruned(m rank.Match, found func(word int) int64) rank.Match {
	out, ok := prune(m, found)
	if !ok {
		return rank.Match{Op: rank.Some} // nothing
	}
	return out
}

// prune is pruned; ok is false if no page can match.
func prune(m rank.Match, found func(word int) int64) (out rank.Match, ok bool) {
	switch m.Op {
	case rank.Has:
		return m, found(m.Word) > 0
	case rank.Some:
		var args []rank.Match
		for _, a := range m.Args {
			if kept, ok := prune(a, found); ok {
				args = append(args, kept)
			}
		}
		switch len(args) {
		case 0:
			return m, false
		case 1:
			return args[0], args[0].Op != rank.None
		}
		m.Args = args
	case rank.All:
		var args []rank.Match
		for _, a := range m.Args {
			kept, ok := prune(a, found)
			if !ok {
				return m, false
			}
			args = append(args, kept)
		}
		m.Args = args
	}
	return m, true
}
