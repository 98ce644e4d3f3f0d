package page

import (
	"errors"
	"strings"

	"millrace/consumers/extract/article"
)

// Options decide what is extracted. Whoever changes them raises the edition.
type Options struct {
	Robot       string  // our name in robots directives, lower case
	MaxLinks    int     // links kept a page
	MaxAnchor   int     // bytes of an anchor
	MaxTitle    int     // bytes
	MaxSummary  int     // bytes
	MaxText     int     // bytes
	MaxComments int     // bytes
	MaxJSON     int     // bytes of JSON-LD read a page
	UsefulFrom  float64 // least Score of a useful page, if no rule decides
	DayMarked   float64 // least likelihood of a day of publication that markup or the address states
	DayInText   float64 // least likelihood of a day of publication that only text states
	Article     article.Options
	Cautions    Cautions
}

// DefaultOptions returns the defaults; the bounds limit the cost of a hostile page.
func DefaultOptions() Options {
	return Options{
		Robot:       "millrace",
		MaxLinks:    1000,
		MaxAnchor:   200,
		MaxTitle:    500,
		MaxSummary:  2000,
		MaxText:     1 << 20,
		MaxComments: 64 << 10,
		MaxJSON:     512 << 10,
		UsefulFrom:  0.5,
		DayMarked:   0.1,
		DayInText:   0.15,
		Article:     article.DefaultOptions(),
		Cautions:    DefaultCautions(),
	}
}

// Validate returns an error for options with which nothing could be extracted.
func (o Options) Validate() error {
	var errs []error
	if o.Robot == "" || o.Robot != strings.ToLower(o.Robot) {
		errs = append(errs, errors.New("page: Robot must be a name in lower case"))
	}
	if min(o.MaxLinks, o.MaxAnchor, o.MaxTitle, o.MaxSummary, o.MaxText, o.MaxComments, o.MaxJSON) < 1 {
		errs = append(errs, errors.New("page: every cap must be positive"))
	}
	for _, share := range []float64{o.UsefulFrom, o.DayMarked, o.DayInText} {
		if share < 0 || share > 1 {
			errs = append(errs, errors.New("page: UsefulFrom, DayMarked and DayInText must lie between 0 and 1"))
		}
	}
	return errors.Join(append(errs, o.Article.Validate(), o.Cautions.Validate())...)
}
