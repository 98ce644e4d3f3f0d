package rank

import "fmt"

// Params are the free numbers of BM25F.
type Params struct {
	K1          float64 // saturation of a word's frequency
	BodyB       float64 // 0 = length of the body does not matter, 1 = fully
	TitleB      float64
	TitleWeight float64 // one occurrence in the title counts as so many in the body
	Nearness    float64 // what two neighbours of the query are worth that are neighbours on the page, in words
}

// DefaultParams are near the usual values. On Cranfield a title weight of 3 and a nearness of 0.5 to 1 are each
// worth .01 of nDCG@10; bench/relevance shows the sum.
func DefaultParams() Params {
	return Params{K1: 1.2, BodyB: 0.75, TitleB: 0.75, TitleWeight: 3, Nearness: 0.75}
}

// Validate reports numbers the formula does not work with.
func (p Params) Validate() error {
	switch {
	case p.K1 <= 0:
		return fmt.Errorf("k1 must be positive, is %g", p.K1)
	case p.BodyB < 0 || p.BodyB > 1 || p.TitleB < 0 || p.TitleB > 1:
		return fmt.Errorf("b must be between 0 and 1, is %g (body) and %g (title)", p.BodyB, p.TitleB)
	case p.TitleWeight < 0 || p.Nearness < 0:
		return fmt.Errorf("weights must not be negative: title %g, nearness %g", p.TitleWeight, p.Nearness)
	}
	return nil
}

// Scorer scores occurrences of one analyser's terms.
type Scorer struct {
	k1                   float64
	titleBase, titleStep float64 // 1 / (base + step * length), times the weight
	titleWeight          float64
	bodyBase, bodyStep   float64
}

// Scorer returns the scorer for fields of these mean lengths.
func (p Params) Scorer(mean Lengths) Scorer {
	return Scorer{
		k1:        p.K1,
		titleBase: 1 - p.TitleB, titleStep: p.TitleB / max(1, mean.Title), titleWeight: p.TitleWeight,
		bodyBase: 1 - p.BodyB, bodyStep: p.BodyB / max(1, mean.Body),
	}
}

// Title is the normalised frequency of freq occurrences in a title of so many tokens.
func (s *Scorer) Title(freq, length float64) float64 {
	return s.titleWeight * freq / (s.titleBase + s.titleStep*length)
}

// Body is the same for the body.
func (s *Scorer) Body(freq, length float64) float64 {
	return freq / (s.bodyBase + s.bodyStep*length)
}

// Saturate turns the summed frequency into a factor below 1 for the word's weight. One is therefore the bound
// that lets a search skip words which cannot matter any more.
func (s *Scorer) Saturate(freq float64) float64 { return freq / (s.k1 + freq) }

// Near is what one occurrence of a pair counts whose words stand d positions apart, negative if the second comes
// first: 1 / d^2 as Rasolofo and Savoy (2003) have it, and a step further for the wrong order. Words more than
// MaxDistance apart do not count.
func Near(d int) float64 {
	if d < 0 {
		d = 1 - d
	}
	if d == 0 || d > MaxDistance {
		return 0
	}
	return 1 / float64(d*d)
}

// MaxDistance is how far two words may stand apart to be near each other.
const MaxDistance = 6
