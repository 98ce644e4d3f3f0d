package page

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"millrace/consumers/extract/forest"
)

// The types of pages. Doc.page_type has them.
const (
	TypeArticle       = "article"
	TypeDocumentation = "documentation"
	TypeThread        = "thread" // of a forum, questions with answers, comments on a link
	TypeListing       = "listing"
	TypeProduct       = "product"
	TypeService       = "service"    // what an organisation says of itself and offers
	TypeCollection    = "collection" // goods, in a shop
)

// TypeNames lists the types; of equally likely ones the first counts.
func TypeNames() []string {
	return []string{TypeArticle, TypeDocumentation, TypeThread, TypeListing, TypeProduct, TypeService, TypeCollection}
}

// Types judges which type a page is of: one forest a type, in the order of TypeNames; the surest
// one is believed.
type Types []*forest.Forest

// Of returns the type of a page with such a row.
func (t Types) Of(row []float32) string { return surest(t.Odds(row)) }

// Odds returns the logarithm of the odds of every type for a page with such a row.
func (t Types) Odds(row []float32) []float32 {
	odds := make([]float32, len(t))
	for i, f := range t {
		odds[i] = f.Odds(row)
	}
	return odds
}

// surest returns the type with the highest odds; "" if there are none.
func surest(odds []float32) string {
	if len(odds) == 0 {
		return ""
	}
	return TypeNames()[slices.Index(odds, slices.Max(odds))]
}

func typeFile(name string) string { return "type-" + name + ".txt" }

func loadTypes() (t Types, err error) {
	for _, name := range TypeNames() {
		f, err := loadForest(typeFile(name), UsefulNames())
		if err != nil {
			return nil, err
		}
		t = append(t, f)
	}
	return t, nil
}

func (t Types) write(dir string) error {
	if len(t) != len(TypeNames()) {
		return fmt.Errorf("page: %d forests for %d types", len(t), len(TypeNames()))
	}
	var errs []error
	for i, name := range TypeNames() {
		errs = append(errs, os.WriteFile(filepath.Join(dir, typeFile(name)), []byte(modelHead+t[i].String(UsefulNames())), 0o644))
	}
	return errors.Join(errs...)
}

// Cautions say how careful the choice of the text is, by type: above 1 less is kept, below 1 more
// (article.Choose).
type Cautions struct {
	Article, Documentation, Thread, Listing, Product, Service, Collection float64
}

// DefaultCautions were the best in cross-validation by site (bench/extract/train/RESULTS.md): an
// article loses by what is too much, the others more by what is missing.
func DefaultCautions() Cautions {
	return Cautions{Article: 1.5, Documentation: 0.4, Thread: 0.6, Listing: 0.4, Product: 1, Service: 0.4, Collection: 0.4}
}

// Of returns the caution of a type.
func (c Cautions) Of(name string) float64 {
	switch name {
	case TypeArticle:
		return c.Article
	case TypeDocumentation:
		return c.Documentation
	case TypeThread:
		return c.Thread
	case TypeListing:
		return c.Listing
	case TypeProduct:
		return c.Product
	case TypeService:
		return c.Service
	}
	return c.Collection
}

// Weighted returns the caution for a page whose type is not sure: the geometric mean over the
// types, each by its likelihood. A manual that is taken for an article by a hair is treated as half
// of one.
func (c Cautions) Weighted(odds []float32) float64 {
	var sum, weight float64
	for i, o := range odds {
		w := float64(forest.Probability(o))
		sum += w * math.Log(c.Of(TypeNames()[i]))
		weight += w
	}
	if weight == 0 {
		return c.Article
	}
	return math.Exp(sum / weight)
}

// Validate reports a caution that keeps all or nothing.
func (c Cautions) Validate() error {
	for _, name := range TypeNames() {
		if v := c.Of(name); v < 0.2 || v > 5 {
			return fmt.Errorf("page: the caution of %s must lie between 0.2 and 5", name)
		}
	}
	return nil
}
