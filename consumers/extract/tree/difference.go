package tree

import (
	"fmt"
	"slices"

	"golang.org/x/net/html"
)

// Difference says in which way two trees differ first; "" if they are equal. Tests and
// bench/extract compare with it.
func Difference(a, b *html.Node) string {
	if a.Type != b.Type || a.DataAtom != b.DataAtom || a.Data != b.Data || a.Namespace != b.Namespace || !slices.Equal(a.Attr, b.Attr) {
		return fmt.Sprintf("%v %.100q %q %v, not %v %.100q %q %v", a.Type, a.Data, a.Namespace, a.Attr, b.Type, b.Data, b.Namespace, b.Attr)
	}
	x, y := a.FirstChild, b.FirstChild
	for ; x != nil && y != nil; x, y = x.NextSibling, y.NextSibling {
		if x.Parent != a {
			return fmt.Sprintf("%.100q has another parent than %.100q", x.Data, a.Data)
		}
		if d := Difference(x, y); d != "" {
			return d
		}
	}
	if x != nil || y != nil {
		return fmt.Sprintf("%.100q has another number of children", a.Data)
	}
	return ""
}
