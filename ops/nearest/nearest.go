// Package nearest finds the word that a mistyped one stands for.
//
// # Goals
//
// An error about an unknown name of a flag, setting, command or parameter says which one was meant.
//
// # How it works
//
// The known word at the least distance of editing wins (optimal string alignment).
//
// # Promises
//
// What is returned is one of the known words, or "".
//
// # On failure
//
// There are no errors: a word like no other has no nearest one.
//
// # Limits
//
// It counts bytes, which is enough for names in ASCII.
package nearest

import "strings"

// To returns the known word, in lower case, that a mistyped one probably stands for, or "".
func To(word string, known []string) string {
	best, least := "", 1+max(1, len(word)/3) // of a short word not everything may differ
	for _, k := range known {
		d := Distance(strings.ToLower(word), k)
		if d < least {
			best, least = k, d
		}
	}
	if best == "" && len(word) > 2 { // depth for max-depth
		for _, k := range known {
			if strings.Contains(k, word) && (best == "" || len(k) < len(best)) {
				best = k
			}
		}
	}
	return best
}

// Distance counts the bytes to insert, delete, replace or swap with their neighbour to get from a
// to b (optimal string alignment).
func Distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
