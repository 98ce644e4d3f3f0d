package settings

import "millrace/ops/nearest"

// Nearest returns the known word that a mistyped one probably stands for, or "".
func Nearest(word string, known []string) string { return nearest.To(word, known) }

// didYouMean is the end of an error about an unknown word.
func didYouMean(prefix, word string, known []string) string {
	if n := Nearest(word, known); n != "" {
		return ": did you mean " + prefix + n + "?"
	}
	return ""
}
