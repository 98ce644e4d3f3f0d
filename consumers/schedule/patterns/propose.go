package patterns

import (
	"fmt"
	"regexp"
	"strings"
)

// Proposal is a rule that the patterns of a host suggest.
type Proposal struct {
	Rule       string  // in the syntax of `millrace rules add`
	Evidence   string  // in words
	Confidence float64 // estimated share of URLs for which the rule is right, 0 to 1
}

// proposeFrom is how many URLs of a shape must have been judged before a rule is proposed.
const proposeFrom = 30

// Propose returns the rules that the patterns suggest: exclude for shapes that bring nothing and
// lead nowhere, rewrite for parameters that never change the text. name is the host's name in
// normal order.
func (t *Tree) Propose(name string) []Proposal {
	var out []Proposal
	head := `^https?://` + regexp.QuoteMeta(name) + `(:\d+)?`
	for _, s := range t.Shapes() {
		waste := s.Tried - s.Useful
		// estimated share of waste: Laplace's rule of succession
		sure := float64(waste+1) / float64(s.Tried+2)
		if s.Tried < proposeFrom || s.Led*10 > s.Tried || sure < 0.9 && !s.Endless {
			continue
		}
		if s.Endless {
			sure = 1 - 1/float64(s.Found)
		}
		out = append(out, Proposal{"exclude " + head + expression(s.tokens), s.evidence(), sure})
	}
	for _, p := range t.row.Root.Params {
		if p.Dropped {
			out = append(out, Proposal{
				Rule:       fmt.Sprintf(`rewrite ([?&])%s=[^&]*&? -> $1`, regexp.QuoteMeta(p.Name)),
				Evidence:   fmt.Sprintf("%d pairs of URLs that differ in %s alone had the same text, none had another", p.Same, p.Name),
				Confidence: float64(p.Same+1) / float64(p.Same+2),
			})
		}
	}
	return out
}

func (s Shape) evidence() string {
	if s.Endless {
		return fmt.Sprintf("%s: its pages named %d new pages of their own kind and hardly a known one", s.Name, s.Found)
	}
	var why []string
	for _, x := range []struct {
		n    int64
		what string
	}{{s.Duplicate, "with a text that the host had"}, {s.Soft404, "that say there is nothing"}, {s.Missing, "not there"},
		{s.NoIndex, "noindex"}, {s.Empty, "without a document"}, {s.Redirect, "redirects"}, {s.Lists, "feeds or sitemaps"}} {
		if x.n > 0 {
			why = append(why, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	return fmt.Sprintf("%s: %d of %d brought a new text: %s", s.Name, s.Useful, s.Tried, strings.Join(why, ", "))
}

// expression returns a regular expression for the part after the host in URLs of a shape.
func expression(tokens []string) string {
	var b strings.Builder
	last := len(tokens) - 1
	for _, token := range tokens[:last] {
		b.WriteString("/" + tokenExpression(token))
	}
	switch params := tokens[last]; {
	case params == noParams:
		b.WriteString(`$`)
	case params == anyParams:
		b.WriteString(`\?`)
	default:
		b.WriteString(`\?`)
		for i, p := range strings.Split(strings.TrimPrefix(params, "?"), "&") {
			name, _, _ := strings.Cut(p, "=")
			if i > 0 {
				b.WriteString(`.*`)
			}
			b.WriteString(`(.*&)?` + numbered(name) + `=`)
		}
	}
	return b.String()
}

func tokenExpression(token string) string {
	plus := strings.HasSuffix(token, "+")
	token = strings.TrimSuffix(token, "+")
	var e string
	switch {
	case token == deepToken:
		return `.*`
	case strings.HasPrefix(token, anyToken) || strings.HasPrefix(token, titleToken):
		_, size := firstRune(token)
		e = `[^/?]+` + regexp.QuoteMeta(token[size:])
	case strings.HasPrefix(token, "(") && strings.HasSuffix(token, ")"):
		var parts []string
		for _, p := range strings.Split(token[1:len(token)-1], "/") {
			parts = append(parts, tokenExpression(p))
		}
		e = strings.Join(parts, "/")
	default:
		e = numbered(token)
	}
	if plus {
		return e + `(/` + e + `)*`
	}
	return e
}

func firstRune(s string) (rune, int) {
	for i, r := range s {
		if i > 0 {
			return r, i
		}
	}
	return 0, len(s)
}

// numbered quotes a text in which # stands for a number.
func numbered(s string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(s), numberToken, `\d+`)
}
