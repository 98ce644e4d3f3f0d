package rank

import (
	"fmt"
	"math"
)

// Params are the parameters of the ranking. bench/relevance/fit chooses them.
type Params struct {
	K1     float64         // saturation of a word's frequency
	Weight [Fields]float64 // an occurrence in the field counts as this many in the text
	B      [Fields]float64 // 0 = the length of the field does not matter, 1 = it matters fully

	Nearness float64 // weight of two words that are neighbours in the query and on the page, in words

	// The factors of a word's score if the page has only another form of the word (running for
	// run), or has the characters of a Chinese word only as pieces of other words.
	OtherForm, OtherCut float64

	// Shares of the query's weight that are added to a score: for a title that is the query
	// (Heading, in proportion; Exact, nearly only for equality), for a page to which many links
	// lead, and for a page of today if the query asks for news.
	Heading, Exact, Authority, Fresh float64

	Lists    float64 // share of the score that a page loses that is nothing but links
	Language float64 // share of the score that a page loses that is in another language than the query
}

// DefaultParams are what bench/relevance/fit found; see RESULTS.md there.
func DefaultParams() Params {
	return Params{
		K1:     2,
		Weight: [Fields]float64{Title: 2, Body: 1, Headings: 0.5, Address: 0.5, Anchors: 2},
		B:      [Fields]float64{Title: 0.75, Body: 0.6, Headings: 0.5, Address: 0.5, Anchors: 0.3},

		Nearness:  0.5,
		OtherForm: 0.8, OtherCut: 0.35,
		Heading: 0.15, Exact: 0.45, Authority: 0.1, Fresh: 0.3,
		Lists: 0.5, Language: 0.3,
	}
}

// Validate returns an error for numbers with which the formula does not work.
func (p Params) Validate() error {
	if p.K1 <= 0 {
		return fmt.Errorf("k1 must be positive, is %g", p.K1)
	}
	for f := range Fields {
		if p.Weight[f] < 0 || p.B[f] < 0 || p.B[f] > 1 {
			return fmt.Errorf("%s: the weight must not be negative, b between 0 and 1; are %g and %g", f, p.Weight[f], p.B[f])
		}
	}
	for _, v := range []float64{p.Nearness, p.Heading, p.Exact, p.Authority, p.Fresh} {
		if v < 0 {
			return fmt.Errorf("what is added must not be negative: %+v", p)
		}
	}
	for _, v := range []float64{p.OtherForm, p.OtherCut, p.Lists, p.Language} {
		if v < 0 || v > 1 {
			return fmt.Errorf("shares must be between 0 and 1: %+v", p)
		}
	}
	return nil
}

// Asked returns the parameters for a query with this many words. With more words the form of each
// matters less: the other words show what is meant, and a cut of Chinese may be wrong.
func (p Params) Asked(words int) Params {
	share := formWords / float64(max(formWords, words))
	p.OtherForm = 1 - (1-p.OtherForm)*share
	p.OtherCut = 1 - (1-p.OtherCut)*share
	return p
}

// formWords is the length of a query up to which the form of a word counts in full.
const formWords = 2

// Scorer scores occurrences of the terms of one analyser.
type Scorer struct {
	k1                 float64
	weight, base, step [Fields]float64 // frequency * weight / (base + step * length)
}

// Scorer returns the scorer for fields of these mean lengths.
func (p *Params) Scorer(mean Lengths) Scorer {
	s := Scorer{k1: p.K1, weight: p.Weight}
	for f := range Fields {
		s.base[f], s.step[f] = 1-p.B[f], p.B[f]/max(1, mean[f])
	}
	return s
}

// Frequency is the normalised frequency of freq occurrences in a field of so many tokens.
func (s *Scorer) Frequency(f Field, freq, length float64) float64 {
	return s.weight[f] * freq / (s.base[f] + s.step[f]*length)
}

// Saturate turns the summed frequency into a factor below 1 of the word's weight. So the weight is
// an upper bound of what a word adds, which lets a search skip words that cannot change the result.
func (s *Scorer) Saturate(freq float64) float64 { return freq / (s.k1 + freq) }

// Near returns the value of one occurrence of a pair whose words are d positions apart; d is
// negative if the second comes first. It is 1 / d^2 (Rasolofo, Savoy 2003); in the wrong order one
// position is added. Words more than MaxDistance apart do not count.
func Near(d int) float64 {
	if d < 0 {
		d = 1 - d
	}
	if d == 0 || d > MaxDistance {
		return 0
	}
	return 1 / float64(d*d)
}

// MaxDistance is the largest distance at which two words are near each other.
const MaxDistance = 6

// Titled returns the share of the query's weight for a title that equals the query to a degree from
// 0 to 1.
func (p *Params) Titled(degree float64) float64 {
	return p.Heading*degree + p.Exact*math.Pow(degree, 4)
}

// Linked returns a factor from 0 to 1 for the authority of a page, which is given as a multiple of
// the mean rank: the saturation of Craswell, Robertson, Zaragoza and Taylor (2005).
func Linked(authority float64) float64 {
	const half = 10 // ten times the mean is worth half of everything
	return max(0, authority) / (half + max(0, authority))
}

// Recent returns a factor from 0 to 1 for the age of a page in days: 1/2 after three days.
func Recent(days int32) float64 { return 3 / float64(3+max(0, days)) }

// Left returns the factor of the score of a page of whose words linkShare percent are in links. Up
// to 50 % is usual and costs nothing.
func (p *Params) Left(linkShare int) float64 {
	return 1 - p.Lists*max(0, float64(min(linkShare, 100)-50)/50)
}
