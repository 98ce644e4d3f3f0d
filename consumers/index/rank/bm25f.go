package rank

import (
	"fmt"
	"math"
)

// Params are the free numbers of the ranking. bench/relevance/fit chooses them.
type Params struct {
	K1     float64         // saturation of a word's frequency
	Weight [Fields]float64 // one occurrence in the field counts as so many in the text
	B      [Fields]float64 // 0 = length of the field does not matter, 1 = fully

	Nearness float64 // what two neighbours of the query are worth that are neighbours on the page, in words

	// What is left of a word's score if the page has it in another form only (running for run), and
	// if it has the characters of a Chinese word, but as pieces of other words.
	OtherForm, OtherCut float64

	// The share of the query's weight that a page gets whose title is the query, of which a part is
	// for titles that have some of it; that is linked from everywhere; that is of today, if the
	// query asks for news.
	Heading, Exact, Authority, Fresh float64

	Lists    float64 // what a page loses that is nothing but links, as a share of its score
	Language float64 // what a page loses that is in another language than the query
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

// Validate reports numbers the formula does not work with.
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

// Asked returns the parameters for a query of so many words. The more words there are, the less it
// says of a page in which form it has one of them: the others tell what is meant, and a cut of
// Chinese may be wrong.
func (p Params) Asked(words int) Params {
	share := formWords / float64(max(formWords, words))
	p.OtherForm = 1 - (1-p.OtherForm)*share
	p.OtherCut = 1 - (1-p.OtherCut)*share
	return p
}

// formWords is the length of a query up to which the form of a word counts in full.
const formWords = 2

// Scorer scores occurrences of one analyser's terms.
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

// Saturate turns the summed frequency into a factor below 1 for the word's weight. One is therefore
// the bound that lets a search skip words which cannot matter any more.
func (s *Scorer) Saturate(freq float64) float64 { return freq / (s.k1 + freq) }

// Near is what one occurrence of a pair counts whose words stand d positions apart, negative if the
// second comes first: 1 / d^2 as Rasolofo and Savoy (2003) have it, and a step further for the
// wrong order. Words more than MaxDistance apart do not count.
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

// Titled is the share of the query's weight for a title that is the query to a degree from 0 to 1.
func (p *Params) Titled(degree float64) float64 {
	return p.Heading*degree + p.Exact*math.Pow(degree, 4)
}

// Linked is the factor of a page's authority, from 0 to 1, for a rank given as a multiple of the
// mean: the saturation of Craswell, Robertson, Zaragoza and Taylor (2005).
func Linked(authority float64) float64 {
	const half = 10 // ten times the mean is worth half of everything
	return max(0, authority) / (half + max(0, authority))
}

// Recent is the factor of a page of so many days ago, from 0 to 1: half after three days.
func Recent(days int32) float64 { return 3 / float64(3+max(0, days)) }

// Left is what is left of the score of a page of which a share of the words, in percent, stands in
// links. Up to half of it is nothing unusual.
func (p *Params) Left(linkShare int) float64 {
	return 1 - p.Lists*max(0, float64(min(linkShare, 100)-50)/50)
}
