package rank

import (
	"cmp"
	"errors"

	"millrace/consumers/index/text"
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

	Compounds *Compounds `json:",omitempty"` // instead of Begin and Like
}

// Compounds asks for the stems of words of one language that contain a stem; or, with Texts, for
// the pieces of these that are words of the language.
type Compounds struct {
	Analyser text.Analyser
	Stem     string
	Texts    []string
}

// LeastPart is how many letters a word has at least that is taken for a part of a compound.
const LeastPart = 3

const (
	maxLikeBytes = 64
	maxFormsOut  = 1000
	maxTextBytes = 8 << 10
)

// Validate refuses a lookup that no search makes; it may come from another process.
func (l *Lookup) Validate() error {
	if l.Compounds != nil {
		return l.Compounds.validate(l.Limit)
	}
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

func (c *Compounds) validate(limit int) error {
	bytes := 0
	for _, t := range c.Texts {
		bytes += len(t)
	}
	if (c.Stem == "") == (len(c.Texts) == 0) || len(c.Stem) > maxLikeBytes || bytes > maxTextBytes || limit < 1 || limit > maxFormsOut {
		return errors.New("either a stem or some texts are wanted, and not too much at once")
	}
	return nil
}

// Commoner orders forms: first the one that more pages have.
func Commoner(x, y Form) int { return cmp.Compare(y.Docs, x.Docs) }
