package page

import (
	"slices"
	"testing"
)

// TestColumnsHaveNames protects the model files: every column has a name of its own, and the bits
// of a day come first, in the order of their names.
func TestColumnsHaveNames(t *testing.T) {
	for what, names := range map[string][]string{"title": TitleNames(), "day": DayNames(), "useful": UsefulNames()} {
		seen := map[string]bool{}
		for i, n := range names {
			if n == "" || seen[n] {
				t.Errorf("%s: column %d is named %q", what, i, n)
			}
			seen[n] = true
		}
	}
	if at := slices.Index(DayNames(), "count"); at != dayBits || int(dcCount) != dayBits {
		t.Errorf("%d bits stand before column %d, count", dayBits, at)
	}
}
