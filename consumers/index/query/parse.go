package query

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits bound what one query may cost.
type Limits struct {
	MaxBytes int
	MaxTerms int // words, phrases and operators
	MaxDepth int // of parentheses
	MaxStars int // words that end with a star: each stands for up to thousands; 0 = no limit
}

// DefaultLimits are the limits of the search page.
func DefaultLimits() Limits { return Limits{MaxBytes: 1024, MaxTerms: 32, MaxDepth: 8, MaxStars: 5} }

// Error says why a query cannot be answered. Its texts are for the person who typed it.
type Error struct {
	Reason string
	At     int    // the character that is wrong, counted from 1; 0 = the whole query
	Hint   string // what to write instead; "" = nothing
}

func (e *Error) Error() string {
	s := e.Reason
	if e.At > 0 {
		s += fmt.Sprintf(" (at character %d)", e.At)
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

func refuse(format string, args ...any) error { return &Error{Reason: fmt.Sprintf(format, args...)} }

// Parse reads a query.
func Parse(text string, limits Limits) (Node, error) {
	if len(text) > limits.MaxBytes {
		return nil, &Error{
			Reason: fmt.Sprintf("the query is longer than %d bytes", limits.MaxBytes), At: utf8.RuneCountInString(text[:limits.MaxBytes]) + 1, Hint: shorten,
		}
	}
	if at := invalid(text); at > 0 {
		return nil, &Error{Reason: "the query is not valid UTF-8", At: at}
	}
	tokens, err := scan(text)
	if err != nil {
		return nil, err
	}
	if n, at := count(tokens, limits.MaxTerms); n > limits.MaxTerms {
		return nil, &Error{Reason: fmt.Sprintf("the query has %d words; the limit is %d", n, limits.MaxTerms), At: at, Hint: shorten}
	}
	if at := oneStarMore(tokens, limits.MaxStars); at > 0 {
		return nil, &Error{Reason: fmt.Sprintf("the query has more than %d words with a star", limits.MaxStars), At: at, Hint: "write the words out, or ask in several queries"}
	}
	p := parser{tokens: tokens, maxDepth: limits.MaxDepth}
	node, err := p.all()
	if err != nil {
		return nil, err
	}
	if node == nil && strings.Trim(text, spaces) != "" {
		return nil, &Error{Reason: "the query has no words", Hint: "signs and pictures are not searched for: add a word or a number"}
	}
	if node == nil {
		return nil, refuse("the query has no words")
	}
	if negative(node) {
		return nil, &Error{Reason: "the query only says what not to find; add a word to find", Hint: `to find a word with its dash, quote it: "-word"`}
	}
	return node, nil
}

type parser struct {
	tokens   []token
	depth    int
	maxDepth int
}

// all reads alternatives until the tokens end, and skips closing parentheses without a partner.
func (p *parser) all() (Node, error) {
	var parts []Node
	for len(p.tokens) > 0 {
		n, err := p.alternatives()
		if err != nil {
			return nil, err
		}
		parts = add(parts, n)
		if len(p.tokens) > 0 {
			p.tokens = p.tokens[1:]
		}
	}
	return conjunction(parts), nil
}

// alternatives reads sequences separated by OR, up to a closing parenthesis.
func (p *parser) alternatives() (Node, error) {
	var parts []Node
	for {
		n, err := p.sequence()
		if err != nil {
			return nil, err
		}
		parts = add(parts, n)
		if len(p.tokens) == 0 || p.tokens[0].kind != or {
			return disjunction(parts), nil
		}
		p.tokens = p.tokens[1:]
	}
}

func (p *parser) sequence() (Node, error) {
	var parts []Node
	for len(p.tokens) > 0 && p.tokens[0].kind != or && p.tokens[0].kind != closing {
		n, err := p.item()
		if err != nil {
			return nil, err
		}
		parts = add(parts, n)
	}
	return conjunction(parts), nil
}

func (p *parser) item() (Node, error) {
	t := p.tokens[0]
	p.tokens = p.tokens[1:]
	var n Node
	var err error
	if t.kind == opening {
		n, err = p.group()
	} else {
		n, err = leaf(t)
	}
	var bad *Error
	if errors.As(err, &bad) && bad.At == 0 {
		bad.At = t.at
	}
	if err != nil || n == nil || !t.minus {
		return n, err
	}
	if inner, ok := n.(Not); ok {
		return inner.Node, nil
	}
	return Not{n}, nil
}

func (p *parser) group() (Node, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > p.maxDepth {
		return nil, refuse("parentheses are nested deeper than %d", p.maxDepth)
	}
	n, err := p.alternatives()
	if len(p.tokens) > 0 {
		p.tokens = p.tokens[1:] // the closing parenthesis
	}
	return n, err
}

// add appends a node; nil, as from "()", is ignored.
func add(parts []Node, n Node) []Node {
	if n == nil {
		return parts
	}
	return append(parts, n)
}

// conjunction joins nodes with AND.
func conjunction(parts []Node) Node {
	return joined(parts, func(n Node) ([]Node, bool) { a, ok := n.(And); return a, ok }, func(flat []Node) Node { return And(flat) })
}

// disjunction joins nodes with OR.
func disjunction(parts []Node) Node {
	return joined(parts, func(n Node) ([]Node, bool) { o, ok := n.(Or); return o, ok }, func(flat []Node) Node { return Or(flat) })
}

// joined makes one node of several. Nested ones of its kind become one list, so that equal queries
// have equal trees.
func joined(parts []Node, inner func(Node) ([]Node, bool), outer func([]Node) Node) Node {
	var flat []Node
	for _, n := range parts {
		if list, ok := inner(n); ok {
			flat = append(flat, list...)
			continue
		}
		flat = append(flat, n)
	}
	switch len(flat) {
	case 0:
		return nil
	case 1:
		return flat[0]
	}
	return outer(flat)
}

// negative reports whether a page could fulfil the tree only by lacking something.
func negative(n Node) bool {
	switch n := n.(type) {
	case Not:
		return true
	case And:
		for _, part := range n {
			if !negative(part) {
				return false
			}
		}
		return true
	case Or:
		for _, part := range n {
			if negative(part) {
				return true
			}
		}
	}
	return false
}

// shorten is the hint for a query that is too long.
const shorten = "leave out all but the words that matter most"

// count counts words, and returns the position of the token with the first word beyond the limit.
func count(tokens []token, limit int) (n, at int) {
	for _, t := range tokens {
		if t.kind == word || t.kind == quoted {
			n += max(1, len(strings.Fields(t.text)))
		}
		if n > limit && at == 0 {
			at = t.at
		}
	}
	return n, at
}

// oneStarMore returns the place of the first word with a star beyond the limit; 0 if there is none.
func oneStarMore(tokens []token, limit int) int {
	n := 0
	for _, t := range tokens {
		if t.kind == word && strings.Contains(t.text, "*") && strings.ContainsFunc(t.text, speaks) {
			if n++; limit > 0 && n > limit {
				return t.at
			}
		}
	}
	return 0
}

// invalid returns the position of the first character that is not UTF-8, counted from 1; 0 if all
// are.
func invalid(text string) int {
	for at, i := 1, 0; i < len(text); at++ {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		i += size
	}
	return 0
}
