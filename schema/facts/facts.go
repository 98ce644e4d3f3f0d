// Package facts writes values of records and rows as pairs of words for people.
//
// # Goals
//
// `millrace why` says the same thing in the same words, whoever knows it.
//
// # How it works
//
// A fact is a name and a value in words. What is not known is the empty string, and Said leaves it
// out.
//
// # Promises
//
// Times are RFC 3339 in UTC, as everywhere in the API.
//
// # On failure
//
// There are no errors.
//
// # Limits
//
// The words are English.
package facts

import (
	"fmt"
	"time"
)

// Said returns the pairs whose value is not empty.
func Said(facts [][2]string) [][2]string {
	var out [][2]string
	for _, f := range facts {
		if f[1] != "" {
			out = append(out, f)
		}
	}
	return out
}

// Number returns a number; "" for 0.
func Number(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// At returns a time in Unix milliseconds; "" for 0.
func At(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format(time.RFC3339)
}
