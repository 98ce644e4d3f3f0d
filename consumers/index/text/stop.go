package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Stop reports whether a word in lower case is a function word of English or Russian. A query does
// not require such words unless it has no others. The index has them all, because phrases need
// them.
func Stop(word string) bool {
	switch word {
	case "a", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does",
		"for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "many", "may", "much", "must",
		"no", "not", "of", "on", "or", "should", "so", "some", "such", "than", "that", "the", "their", "then", "there", "these", "they",
		"this", "those", "to", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "whose",
		"why", "will", "with", "would", "you":
		return true
	case "а", "без", "бы", "был", "была", "были", "было", "в", "во", "вы", "где", "для", "до", "его", "ее", "её", "если", "есть",
		"же", "за", "и", "из", "или", "их", "к", "как", "какая", "какие", "какой", "какое", "когда", "который", "которая",
		"которое", "которые", "кто", "ли", "мы", "на", "над", "не", "ни", "но", "о", "об", "он", "она", "они", "оно", "от",
		"по", "под", "при", "с", "сколько", "со", "так", "также", "то", "у", "чего", "чем", "что", "чтобы", "эта", "эти",
		"это", "этого", "этой", "этот",
		"каких", "каким", "каком", "какому", "какого", "какую", "каковы", "каков", "какова", "каково", "кого", "кому", "кем",
		"чей", "чья", "чье", "чьи", "почему", "зачем", "куда", "откуда", "которого", "которой", "которую", "которым", "которых",
		"быть", "является", "являются", "может", "могут", "мог", "того", "тем", "этом", "этих", "эту", "них", "нем", "ней", "ним":
		return true
	}
	return false
}

// WithoutStops removes the question words of Chinese from a run of text without spaces, and returns
// the pieces that remain. Their pairs of characters are rare in pages that answer questions, so
// they would have great weight. Single characters beside longer pieces are removed too.
func WithoutStops(run string) []string {
	var pieces []string
	start := 0
	for i := 0; i < len(run); {
		n := stopAt(run[i:])
		if n == 0 {
			_, size := decode(run[i:])
			i += size
			continue
		}
		pieces = append(pieces, run[start:i])
		i += n
		start = i
	}
	pieces = slices.DeleteFunc(append(pieces, run[start:]), func(p string) bool { return utf8.RuneCountInString(p) < 2 })
	if len(pieces) == 0 {
		return []string{run}
	}
	return pieces
}

// stopAt returns the length of the question word at the beginning of s; 0 if there is none.
func stopAt(s string) int {
	for _, w := range [...]string{"为什么", "為什麼", "为甚么", "是什么", "是什麼", "什么", "什麼", "甚麼", "怎么样", "怎麼樣", "怎么", "怎麼", "怎样",
		"怎樣", "如何", "哪一个", "哪一個", "哪一", "哪个", "哪個", "有哪些", "哪些", "哪里", "哪裡", "哪裏", "哪儿", "哪兒", "哪位", "哪种", "哪種",
		"哪", "多少", "是否", "请问", "請問", "是谁", "是誰", "谁", "誰", "何时", "何時", "何处", "何處", "何人", "何者", "为何", "為何", "吗", "嗎", "呢"} {
		if strings.HasPrefix(s, w) {
			return len(w)
		}
	}
	return 0
}
