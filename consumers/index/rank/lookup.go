package rank

import (
	"cmp"
	"errors"
)

// Lookup asks for words of the vocabulary: those that begin with Begin, or those at most Distance
// edits from Like (a letter left out, inserted, changed, or swapped with the next).
type Lookup struct {
	Begin    string
	Like     string
	Distance int // 1 or 2
	Limit    int // the most that are returned

	Words  []Word // of Within
	Within Match  // only on these pages, if there are Words
}

const (
	maxLikeBytes = 64
	maxFormsOut  = 1000
)

// Validate refuses a lookup that no search makes; it may come from another process.
func (l *Lookup) Validate() error {
	switch {
	case (l.Begin == "") == (l.Like == ""):
		return errors.New("either a beginning or a word to be like is wanted")
	case len(l.Begin) > maxLikeBytes || len(l.Like) > maxLikeBytes:
		return errors.New("the word is too long")
	case l.Like != "" && l.Distance != 1 && l.Distance != 2:
		return errors.New("words can differ by 1 or 2 letters")
	case l.Limit < 1 || l.Limit > maxFormsOut || len(l.Words) > maxPlanWords:
		return errors.New("too much is asked for at once")
	}
	nodes := 0
	return l.Within.validate(0, &nodes)
}

// Commoner orders forms: first the one that more pages have.
func Commoner(x, y Form) int { return cmp.Compare(y.Docs, x.Docs) }
