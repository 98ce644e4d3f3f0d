package extract

import (
	"bytes"
	"math/bits"
	"strings"
	"testing"
)

// TestHashIsOfWords protects duplicates: what readers see as the same text has one hash, other
// words another.
func TestHashIsOfWords(t *testing.T) {
	same := hashOf("The Title", "One line.\nTwo  lines!")
	if !bytes.Equal(same, hashOf("the title", "one LINE\ntwo lines")) {
		t.Error("case, punctuation and white space changed the hash")
	}
	for _, other := range [][2]string{{"The Title", "One line. Two line"}, {"The Titl", "One line. Two lines"}, {"The Title One", "line. Two lines"}} {
		if bytes.Equal(same, hashOf(other[0], other[1])) {
			t.Errorf("%q has the same hash", other)
		}
	}
}

// TestSimhashIsNear protects near-duplicate search: a small change moves few bits, another text
// about half of them.
func TestSimhashIsNear(t *testing.T) {
	var words []string
	for i := range 300 {
		words = append(words, strings.Repeat(string(rune('a'+i%26)), 1+i%7)+string(rune('a'+i/26)))
	}
	text := strings.Join(words, " ")
	changed := strings.Replace(text, words[150], "changed", 1)
	other := strings.Join(words[:20], " x ") + strings.Repeat(" other words", 200)
	if d := bits.OnesCount64(nearOf(text) ^ nearOf(changed)); d > 8 {
		t.Errorf("one word of 300 moved %d bits", d)
	}
	if d := bits.OnesCount64(nearOf(text) ^ nearOf(other)); d < 16 {
		t.Errorf("another text is %d bits away", d)
	}
}

func hashOf(title, text string) []byte {
	hash, _, _ := fingerprints(title, text)
	return hash
}

func nearOf(text string) uint64 {
	_, near, _ := fingerprints("", text)
	return near
}
