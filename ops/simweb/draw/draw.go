// Package draw turns a seed and a few numbers (host, page, purpose) into random numbers that depend
// on nothing else.
//
// # Goals
//
// A web of 10^7 pages is drawn again whenever it is asked for, and needs no memory.
//
// # How it works
//
// It is a counter-based generator. The mixing function is the finaliser of SplitMix64 (Steele, Lea,
// Flood 2014), which passes BigCrush as a counter generator.
//
// # Promises
//
// The same numbers give the same draw, in any order, on any machine, without state.
//
// # On failure
//
// There are no errors.
//
// # Limits
//
// Not for secrets.
package draw

import "math"

const (
	golden   = 0x9e3779b97f4a7c15 // 2^64 / golden ratio: the step of SplitMix64
	mul1     = 0xbf58476d1ce4e5b9
	mul2     = 0x94d049bb133111eb
	perUnit  = 1.0 / (1 << 53) // a float64 has 53 bits
	unitBits = 11
)

// Mix is the finaliser of SplitMix64, a bijection of 64 bits.
func Mix(x uint64) uint64 {
	x += golden
	x = (x ^ (x >> 30)) * mul1
	x = (x ^ (x >> 27)) * mul2
	return x ^ (x >> 31)
}

// Hash folds the numbers into one; their order matters.
func Hash(seed uint64, parts ...uint64) uint64 {
	h := Mix(seed)
	for _, p := range parts {
		h = Mix(h ^ p)
	}
	return h
}

// HashString folds a string into a seed (FNV-1a, then Mix).
func HashString(seed uint64, s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return Mix(h ^ Mix(seed))
}

// Unit maps a hash to [0, 1).
func Unit(h uint64) float64 { return float64(h>>unitBits) * perUnit }

// Stream is a sequence of draws from one hash.
type Stream struct{ state uint64 }

// NewStream starts a sequence at a hash.
func NewStream(h uint64) Stream { return Stream{state: h} }

// Next returns 64 random bits.
func (s *Stream) Next() uint64 {
	s.state += golden
	x := s.state
	x = (x ^ (x >> 30)) * mul1
	x = (x ^ (x >> 27)) * mul2
	return x ^ (x >> 31)
}

// Float returns a number in [0, 1).
func (s *Stream) Float() float64 { return Unit(s.Next()) }

// Below returns a number in [0, n); n must be at least 1.
func (s *Stream) Below(n uint64) uint64 {
	// The bias of a 32-bit range over a multiply is under 2^-32.
	return (s.Next() >> 32) * n >> 32
}

// Normal returns a draw of the standard normal distribution (Box-Muller).
func (s *Stream) Normal() float64 {
	u := 1 - s.Float()
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*s.Float())
}

// LogNormal returns median * exp(sigma * N(0,1)).
func (s *Stream) LogNormal(median, sigma float64) float64 {
	if sigma == 0 {
		return median
	}
	return median * math.Exp(sigma*s.Normal())
}

// Poisson1 returns a draw of the Poisson distribution of mean 1, by inversion.
func (s *Stream) Poisson1() int {
	u, p, n := s.Float(), math.Exp(-1), 0
	for sum := p; u >= sum && n < 20; sum += p { // P(n > 20) < 1e-19
		n++
		p /= float64(n)
	}
	return n
}
