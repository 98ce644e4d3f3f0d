package page

import (
	"errors"
	"net/url"
	"strings"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/rules"
)

// Options shape what is extracted; another value is another edition.
type Options struct {
	Robot      string       // our name in robots directives, lower case
	MaxLinks   int          // links kept a page
	MaxAnchor  int          // bytes of an anchor
	MaxTitle   int          // bytes
	MaxSummary int          // bytes
	MaxText    int          // bytes
	MaxJSON    int          // bytes of JSON-LD read a page
	UsefulFrom float64      // least Score of a useful page where no rule decides
	Resolve    Resolver     `json:"-"`
	Rules      rules.Lookup `json:"-"`
	Article    article.Options
}

// DefaultOptions are the numbers of DESIGN sections 5 and 8; the others bound what a hostile page can cost.
func DefaultOptions() Options {
	return Options{
		Robot:      "millrace",
		MaxLinks:   1000,
		MaxAnchor:  200,
		MaxTitle:   500,
		MaxSummary: 2000,
		MaxText:    1 << 20,
		MaxJSON:    512 << 10,
		UsefulFrom: 0.5,
		Resolve:    ResolveReference,
		Article:    article.DefaultOptions(),
	}
}

// Validate reports options under which nothing could be extracted.
func (o Options) Validate() error {
	var errs []error
	if o.Resolve == nil {
		errs = append(errs, errors.New("page: Resolve is not set"))
	}
	if o.Robot == "" || o.Robot != strings.ToLower(o.Robot) {
		errs = append(errs, errors.New("page: Robot must be a name in lower case"))
	}
	if min(o.MaxLinks, o.MaxAnchor, o.MaxTitle, o.MaxSummary, o.MaxText, o.MaxJSON) < 1 {
		errs = append(errs, errors.New("page: every cap must be positive"))
	}
	return errors.Join(append(errs, o.Article.Validate())...)
}

// maxURL bounds a URL, as the row key grammar does.
const maxURL = 2048

// ResolveReference is the Resolver for those who have no canonicaliser at hand: net/url's view, without the fragment.
func ResolveReference(base *url.URL, ref string) (string, bool) {
	u, err := base.Parse(strings.TrimSpace(ref))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", false
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	if u.Path == "" {
		u.Path = "/"
	}
	s := u.String()
	return s, len(s) <= maxURL
}
