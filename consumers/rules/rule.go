package rules

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"millrace/schema"
)

// Limits of a rule.
const (
	MaxPattern = 2000      // bytes of a pattern or a replacement
	MaxExtract = 8 << 10   // bytes of an extract rule
	MaxLimit   = 1 << 40   // URLs
	MaxDelay   = time.Hour // the same limit as for a robots.txt by default
	MaxScore   = 1000
	MinEvery   = time.Minute // the limits of --recrawl-min and --recrawl-max
	MaxEvery   = 366 * 24 * time.Hour
)

// Scope is where a rule holds: on a host, on a site, or everywhere if both are empty.
type Scope struct {
	Host string // in normal order
	Site string
}

// String names the scope: "host www.example.com", "site example.com", "everywhere".
func (s Scope) String() string {
	switch {
	case s.Host != "":
		return "host " + s.Host
	case s.Site != "":
		return "site " + s.Site
	}
	return "everywhere"
}

// actions maps the first word of a rule to its action.
func actions() map[string]schema.Rule_Action {
	return map[string]schema.Rule_Action{
		"include": schema.Rule_INCLUDE, "exclude": schema.Rule_EXCLUDE, "rewrite": schema.Rule_REWRITE, "fit": schema.Rule_FIT,
		"limit": schema.Rule_LIMIT, "delay": schema.Rule_DELAY, "allow": schema.Rule_ALLOW, "extract": schema.Rule_EXTRACT,
		"recrawl": schema.Rule_RECRAWL,
	}
}

// Actions lists the words with which a rule can begin.
func Actions() []string {
	return []string{"include", "exclude", "rewrite", "fit", "limit", "delay", "recrawl", "allow", "extract"}
}

// Parse reads the text of a rule. The error says what would be right.
func Parse(text string, in Scope) (*schema.Rule, error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	action, ok := actions()[word]
	if !ok {
		return nil, fmt.Errorf("a rule begins with one of %s, not with %q", strings.Join(Actions(), ", "), cut(word))
	}
	r := &schema.Rule{Action: action, Host: in.Host, Site: in.Site}
	if in.Host != "" && in.Site != "" {
		return nil, errors.New("a rule holds on a host or on a site, not on both")
	}
	if err := readValues(r, rest); err != nil {
		return nil, err
	}
	if err := Check(r); err != nil {
		return nil, err
	}
	return r, mistyped(r)
}

// mistyped says why a pattern that compiles could match nothing.
func mistyped(r *schema.Rule) error {
	if r.Action == schema.Rule_REWRITE && schema.AsPeopleRead(r.Pattern) {
		return errors.New("a rewrite works on URLs as they are asked for: write é as %C3%A9, a space as %20, and a host as xn--…")
	}
	glob, ok := strings.CutPrefix(r.Pattern, "glob:")
	if !ok || strings.HasPrefix(glob, "/") {
		return nil
	}
	begin, _, more := strings.Cut(glob, "*")
	for _, scheme := range []string{"http://", "https://"} {
		if strings.HasPrefix(begin, scheme) || more && strings.HasPrefix(scheme, begin) {
			return nil
		}
	}
	return fmt.Errorf("no URL matches: a glob is for the whole URL, or begins with / and is for what follows the host: glob:/%s or glob:*%s", cut(glob), cut(glob))
}

// never is the word for pages that are not fetched again.
const never = "never"

// readValues reads the text after the action.
func readValues(r *schema.Rule, rest string) (err error) {
	switch r.Action {
	case schema.Rule_REWRITE:
		before, after, ok := strings.Cut(rest, "->")
		if !ok {
			return errors.New("a rewrite is written: rewrite PATTERN -> TEXT (TEXT may be empty)")
		}
		r.Pattern, r.Replace = strings.TrimSpace(before), strings.TrimSpace(after)
	case schema.Rule_FIT:
		r.Score, r.Pattern = 1, rest
		if word, pattern, more := strings.Cut(rest, " "); more {
			if r.Score, err = strconv.ParseFloat(word, 64); err != nil {
				return fmt.Errorf("a fit is written: fit [SCORE] PATTERN; %q is no score", cut(word))
			}
			r.Pattern = strings.TrimSpace(pattern)
		}
	case schema.Rule_LIMIT:
		word, pattern, _ := strings.Cut(rest, " ")
		if r.Limit, err = strconv.ParseInt(word, 10, 64); err != nil {
			return fmt.Errorf("a limit is written: limit N [PATTERN]; %q is no number", cut(word))
		}
		r.Pattern = strings.TrimSpace(pattern)
	case schema.Rule_DELAY:
		d, err := time.ParseDuration(rest)
		if err != nil {
			return fmt.Errorf("a delay is written: delay DURATION, such as delay 5s; %q is none", cut(rest))
		}
		r.DelayMs = d.Milliseconds()
	case schema.Rule_RECRAWL:
		word, pattern, _ := strings.Cut(rest, " ")
		r.Pattern = strings.TrimSpace(pattern)
		if word == never {
			return nil
		}
		d, err := time.ParseDuration(word)
		if err != nil || d < MinEvery || d > MaxEvery {
			return fmt.Errorf("a recrawl is written: recrawl DURATION [PATTERN], from %s to %s, such as recrawl 1h glob:/news/*; or recrawl never PATTERN; %q is no such time", MinEvery, "8784h", cut(word))
		}
		r.EveryMs = d.Milliseconds()
	case schema.Rule_EXTRACT:
		r.Extract = rest
	default:
		r.Pattern = rest
	}
	return nil
}

// Check reports the first error in a rule.
func Check(r *schema.Rule) error {
	switch {
	case len(r.Pattern) > MaxPattern || len(r.Replace) > MaxPattern || len(r.Extract) > MaxExtract:
		return fmt.Errorf("a pattern has at most %d bytes, a rule of extraction %d", MaxPattern, MaxExtract)
	case len(r.Host) > 255 || len(r.Site) > 255:
		return errors.New("a host or site has at most 255 bytes")
	case strings.ContainsAny(r.Pattern+r.Replace, "\n\r\x00"):
		return errors.New("a pattern stands on one line")
	}
	switch r.Action {
	case schema.Rule_ALLOW:
		return checkGroup(r.Pattern)
	case schema.Rule_DELAY:
		if r.DelayMs <= 0 || r.DelayMs > MaxDelay.Milliseconds() {
			return fmt.Errorf("a delay is above 0s and at most %s", MaxDelay)
		}
		return nil
	case schema.Rule_EXTRACT:
		if r.Extract == "" {
			return errors.New("an extract rule has the fields of a rule of --rules, as YAML: extract {content: main}")
		}
		return nil
	case schema.Rule_LIMIT:
		if r.Limit < 0 || r.Limit > MaxLimit {
			return fmt.Errorf("a limit is from 0 to %d", int64(MaxLimit))
		}
		if r.Pattern == "" {
			return nil
		}
	case schema.Rule_RECRAWL:
		if every := r.EveryMs; every != 0 && (every < MinEvery.Milliseconds() || every > MaxEvery.Milliseconds()) {
			return fmt.Errorf("a page is fetched again every %s to %s, or never", MinEvery, "8784h")
		}
		if r.Pattern == "" {
			return nil
		}
	case schema.Rule_FIT:
		if !(r.Score > 0 && r.Score <= MaxScore) {
			return fmt.Errorf("a score is above 0 and at most %d", MaxScore)
		}
	case schema.Rule_INCLUDE, schema.Rule_EXCLUDE, schema.Rule_REWRITE:
	default:
		return fmt.Errorf("an unknown action (%d)", r.Action)
	}
	if r.Pattern == "" {
		return errors.New("the pattern is missing: an RE2 expression, or glob: and a text with *")
	}
	_, err := compile(r.Pattern)
	return err
}

func checkGroup(name string) error {
	if slices.Contains(Groups(), name) {
		return nil
	}
	return fmt.Errorf("allow takes one of the groups %s, not %q", strings.Join(Groups(), ", "), cut(name))
}

// Text is the text of a rule, without its scope.
func Text(r *schema.Rule) string {
	word := ""
	for w, a := range actions() {
		if a == r.Action {
			word = w
		}
	}
	switch r.Action {
	case schema.Rule_REWRITE:
		return strings.TrimSpace(word + " " + r.Pattern + " -> " + r.Replace)
	case schema.Rule_FIT:
		return fmt.Sprintf("%s %g %s", word, r.Score, r.Pattern)
	case schema.Rule_LIMIT:
		return strings.TrimSpace(fmt.Sprintf("%s %d %s", word, r.Limit, r.Pattern))
	case schema.Rule_DELAY:
		return fmt.Sprintf("%s %s", word, time.Duration(r.DelayMs)*time.Millisecond)
	case schema.Rule_RECRAWL:
		every := never
		if r.EveryMs > 0 {
			every = (time.Duration(r.EveryMs) * time.Millisecond).String()
		}
		return strings.TrimSpace(fmt.Sprintf("%s %s %s", word, every, r.Pattern))
	case schema.Rule_EXTRACT:
		return word + " " + r.Extract
	}
	return word + " " + r.Pattern
}

// Words describes a decision and its scope.
func Words(c *schema.Control) string {
	switch b := c.Body.(type) {
	case *schema.Control_Rule:
		return Text(b.Rule) + ", " + ScopeOf(b.Rule).String()
	case *schema.Control_Pause:
		return "paused " + Scope{b.Pause.Host, b.Pause.Site}.String()
	case *schema.Control_Block:
		return "removed by an operator: " + Blocked(b.Block)
	}
	return "unknown"
}

// Blocked describes what a block keeps out.
func Blocked(b *schema.Block) string {
	switch t := b.Target.(type) {
	case *schema.Block_RowKey:
		return schema.RowKey(t.RowKey).URL()
	case *schema.Block_Prefix:
		if url := schema.RowKey(t.Prefix).URL(); url != "" {
			return url + "*"
		}
		return t.Prefix + "*"
	case *schema.Block_Site:
		return "site " + t.Site
	}
	return "nothing"
}

// ScopeOf is the scope of a rule.
func ScopeOf(r *schema.Rule) Scope { return Scope{r.GetHost(), r.GetSite()} }

// ID is the identity of a decision: a hash of its content, so the same decision always has the same
// identity.
func ID(c *schema.Control) string {
	said := ""
	switch b := c.Body.(type) {
	case *schema.Control_Rule:
		said = "rule\x00" + Text(b.Rule) + "\x00" + b.Rule.Host + "\x00" + b.Rule.Site
	case *schema.Control_Pause:
		said = "pause\x00" + b.Pause.Host + "\x00" + b.Pause.Site
	case *schema.Control_Block:
		said = "block\x00" + b.Block.GetRowKey() + "\x00" + b.Block.GetPrefix() + "\x00" + b.Block.GetSite()
	}
	sum := sha256.Sum256([]byte(said))
	word := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:8]))
	return kindOf(c) + strings.TrimRight(word, "=")[:10]
}

// kindOf is the prefix of the identities of a kind of decision.
func kindOf(c *schema.Control) string {
	switch c.Body.(type) {
	case *schema.Control_Pause:
		return "p-"
	case *schema.Control_Block:
		return "f-"
	}
	return "r-"
}

// compile compiles a pattern.
func compile(pattern string) (schema.URLPattern, error) {
	if glob, ok := strings.CutPrefix(pattern, "glob:"); ok {
		return compileGlob(glob)
	}
	re, err := schema.CompileURLPattern(pattern)
	if err != nil {
		return re, fmt.Errorf("the pattern is no RE2 expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re, nil
}

// compileGlob turns a glob into an expression: * stands for any run of characters.
func compileGlob(glob string) (schema.URLPattern, error) {
	if glob == "" {
		return schema.URLPattern{}, errors.New("the glob is empty: glob:/calendar/*")
	}
	var b strings.Builder
	b.WriteString(`^`)
	if glob[0] == '/' {
		b.WriteString(`https?://[^/]*`)
	}
	for i, part := range strings.Split(glob, "*") {
		if i > 0 {
			b.WriteString(`.*`)
		}
		b.WriteString(regexp.QuoteMeta(part))
	}
	b.WriteString(`$`)
	return schema.CompileURLPattern(b.String())
}

func cut(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

// groupsNamed writes $1 as ${1}: without braces Go reads $1x as a group named 1x.
func groupsNamed(replace string) string {
	var b strings.Builder
	for i := 0; i < len(replace); i++ {
		b.WriteByte(replace[i])
		end := i + 1
		for end < len(replace) && replace[end] >= '0' && replace[end] <= '9' {
			end++
		}
		if replace[i] == '$' && end > i+1 {
			b.WriteString("{" + replace[i+1:end] + "}")
			i = end - 1
		}
	}
	return b.String()
}
