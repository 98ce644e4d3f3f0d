package text

// Stop reports a function word of English or Russian in lower case. A query does not insist on such words
// unless it is made of nothing else; the index keeps them all, because phrases need them.
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
		"это", "этого", "этой", "этот":
		return true
	}
	return false
}
