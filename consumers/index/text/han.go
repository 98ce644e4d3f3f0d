package text

import (
	_ "embed" // the pairs of characters
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed han.txt
var han string

// The characters of Chinese that the table of simplified ones covers.
const firstHan, lastHan = 0x3400, 0x9FFF

// simplified gives for each character of Chinese the one it is read as, or 0: 圖 is read as 图. What
// one script tells apart and the other does not (發 and 髮) becomes one, as in simplified texts.
// Read when the first Chinese text comes; it takes 55 KB.
var simplified = sync.OnceValue(func() *[lastHan - firstHan + 1]uint16 {
	var table [lastHan - firstHan + 1]uint16
	pairs := strings.TrimSpace(han)
	for len(pairs) > 0 {
		from, size := utf8.DecodeRuneInString(pairs)
		to, further := utf8.DecodeRuneInString(pairs[size:])
		if from >= firstHan && from <= lastHan {
			table[from-firstHan] = uint16(to)
		}
		pairs = pairs[size+further:]
	}
	return &table
})

// simple returns the character that r is read as.
func simple(r rune) rune {
	if r < firstHan || r > lastHan {
		return r
	}
	if to := simplified()[r-firstHan]; to != 0 {
		return rune(to)
	}
	return r
}
