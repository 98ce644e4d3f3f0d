package score

import (
	"math"
	"strings"
	"testing"
)

// TestScores protects the figures that are published: worked out by hand.
func TestScores(t *testing.T) {
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if got := strings.Join(Words("It's 2 БЕДЫ, 今天!"), "|"); got != "it|s|2|беды|今|天" {
		t.Errorf("words: %s", got)
	}
	m := Multiset("a b b c", "b c d")
	near("precision", m.P, 2.0/3)
	near("recall", m.R, 2.0/4)
	near("f1", m.F1(), 4.0/7)
	s := Shingles("one two three four five six", "one two three four five x")
	near("shingles precision", s.P, 2.0/3)
	near("shingles recall", s.R, 2.0/3)
	near("shingles of a short text", Shingles("one two", "one two").F1(), 1)
	near("nothing wanted, nothing got", Multiset("", "").F1(), 1)
	near("nothing got", Multiset("a", "").F1(), 0)
	var sn Snippets
	sn.Add("the text with a part", []string{"text with", "absent"}, []string{"a part", "menu"})
	near("snippets", sn.F1(), 0.5)
	if !SameTokens("A – Title!", "a title") || SameTokens("a title", "title a") {
		t.Error("titles are compared by their words in order")
	}
}
