// Package rules finds the extraction rule for a page by its URL: which pages are articles, and
// which elements have the content, title, date and author.
//
// # Goals
//
// Who knows a site better than the models says so, and the text of its pages is what they say.
//
// # How it works
//
// A Rule is configuration; a Set is compiled from rules. The lookup uses a hash of the domain, from
// the host up to its parents, so its cost does not depend on the number of domains with rules.
//
// # Promises
//
// A Set never changes after Compile, and may be used by many goroutines.
//
// # On failure
//
// Compile names the rule and the field that does not parse. A lookup cannot fail.
//
// # Limits
//
// The first rule of a domain whose URL expression matches is used; order them from special to
// general. Go's regular expressions take linear time, so a rule cannot stop a partition.
package rules

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"

	"millrace/schema"
)

// Rule says how the pages of a domain are read. Fields that are empty are decided without a rule.
type Rule struct {
	ID      string `json:"id" yaml:"id"`
	Domain  string `json:"domain" yaml:"domain"`   // this domain and all below it
	URL     string `json:"url" yaml:"url"`         // regular expression over the whole URL; empty = every page
	Refuse  bool   `json:"refuse" yaml:"refuse"`   // such pages never become documents
	Article *bool  `json:"article" yaml:"article"` // such pages count as useful (true) or not (false)
	Content string `json:"content" yaml:"content"` // CSS selectors
	Without string `json:"without" yaml:"without"` // removed from the content
	Title   string `json:"title" yaml:"title"`
	Date    string `json:"date" yaml:"date"`
	Author  string `json:"author" yaml:"author"`
}

// YAML returns the rule as an entry of a file of rules; fields that are empty are left out.
func (r Rule) YAML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "- domain: %s\n", strconv.Quote(r.Domain))
	for _, f := range [][2]string{{"url", r.URL}, {"content", r.Content}, {"without", r.Without}, {"title", r.Title}, {"date", r.Date}, {"author", r.Author}} {
		if f[1] != "" {
			fmt.Fprintf(&b, "  %s: '%s'\n", f[0], strings.ReplaceAll(f[1], "'", "''"))
		}
	}
	return b.String()
}

// Lookup finds the rule for a page. It is implemented by Set, and by the store of rules that are
// changed at run time.
type Lookup interface {
	Find(host, url string) (Compiled, bool)
}

// Compiled is a Rule ready for use. A selector is nil if the rule does not have it.
type Compiled struct {
	Rule
	expr                                  *schema.URLPattern // nil: the rule was not compiled
	Content, Without, Title, Date, Author goquery.Matcher
}

// Matches reports whether the rule applies to a URL.
func (c Compiled) Matches(url string) bool { return c.expr != nil && c.expr.Match(url) }

// Select returns the elements of a page that match a selector; none if it is nil.
func Select(page *goquery.Document, m goquery.Matcher) *goquery.Selection {
	if m == nil {
		return &goquery.Selection{}
	}
	return page.FindMatcher(m)
}

// A Set has the rules of many domains.
type Set struct {
	byDomain map[string][]Compiled // Go's map is the hash by domain
}

// Compile checks and compiles rules. The error names all that are wrong.
func Compile(rules []Rule) (*Set, error) {
	s := &Set{byDomain: make(map[string][]Compiled, len(rules))}
	var errs []error
	for i, r := range rules {
		c, err := r.compile()
		if err != nil {
			errs = append(errs, fmt.Errorf("rule %d (%s): %w", i+1, c.ID, err))
			continue
		}
		s.byDomain[c.Domain] = append(s.byDomain[c.Domain], c)
	}
	return s, errors.Join(errs...)
}

func (r Rule) compile() (Compiled, error) {
	r.Domain = strings.TrimPrefix(strings.ToLower(strings.Trim(r.Domain, ". ")), "*.")
	if r.ID == "" {
		r.ID = r.Domain
	}
	c := Compiled{Rule: r}
	if r.Domain == "" {
		return c, errors.New("domain is empty")
	}
	name, err := new(schema.Canonicalizer).Parse("https://" + r.Domain)
	if err != nil || name.Authority() != name.Hostname() || name.PathQuery() != "/" {
		return c, fmt.Errorf("domain: %q is no name of a host", r.Domain)
	}
	c.Domain = name.Hostname()
	expr, err := schema.CompileURLPattern(r.URL)
	if err != nil {
		return c, fmt.Errorf("url: %w", err)
	}
	c.expr = &expr
	for _, f := range []struct {
		name, css string
		to        *goquery.Matcher
	}{
		{"content", r.Content, &c.Content}, {"without", r.Without, &c.Without}, {"title", r.Title, &c.Title},
		{"date", r.Date, &c.Date}, {"author", r.Author, &c.Author},
	} {
		if f.css == "" {
			continue
		}
		selector, err := cascadia.Compile(f.css) // goquery's own compiler hides its errors
		if err != nil {
			return c, fmt.Errorf("%s: %w", f.name, err)
		}
		*f.to = selector
	}
	return c, nil
}

// Find returns the first rule of the host's domain, or of the nearest parent with rules, that
// matches the URL.
func (s *Set) Find(host, url string) (Compiled, bool) {
	if s == nil || len(s.byDomain) == 0 {
		return Compiled{}, false
	}
	for domain := strings.ToLower(host); domain != ""; _, domain, _ = strings.Cut(domain, ".") {
		for _, c := range s.byDomain[domain] {
			if c.expr.Match(url) {
				return c, true
			}
		}
	}
	return Compiled{}, false
}
