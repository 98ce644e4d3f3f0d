package web

import (
	"slices"
	"testing"

	"millrace/schema/filltest"
)

// A new field of Hit that is forgotten in the API is an empty field of every answer and no error
// anywhere else.
func TestEveryFieldOfAHitIsInTheAPI(t *testing.T) {
	var h Hit
	filltest.Fill(t, &h)
	told := toldHit(h)
	if empty := filltest.Empty(&told); len(empty) > 0 {
		t.Errorf("%v is empty in the API's hit: fill it in toldHit (answer.go)", empty)
	}
	matter := filltest.Matter(&h, func() any { return toldHit(h) })
	for _, name := range filltest.Fields(&h) {
		if !slices.Contains(matter, name) {
			t.Errorf("Hit.%s does not reach the API: add it to apiHit and toldHit (answer.go)", name)
		}
	}
}
