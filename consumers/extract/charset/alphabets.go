package charset

import "math"

// Alphabets, with the letters in the order of their frequency. A letter's cost in bits follows
// Zipf's law over that order, which is enough to distinguish encodings.

// ranked gives each letter its cost: log2 of (k + offset) for the k-th letter, plus a constant that
// makes the shares add up to share.
func ranked(order string, offset float64, share float64) map[rune]float64 {
	runes := []rune(order)
	sum := 0.0
	for k := range runes {
		sum += 1 / (float64(k) + offset)
	}
	prices := make(map[rune]float64, len(runes))
	for k, r := range runes {
		if _, seen := prices[r]; !seen {
			prices[r] = -math.Log2(share / (float64(k) + offset) / sum)
		}
	}
	return prices
}

// cyrillicModel is for Russian and Bulgarian; Ukrainian and Belarusian; Serbian and Macedonian,
// whose letters are, in MacCyrillic, at codes where other sets have Russian capitals.
func cyrillicModel() model {
	m := model{letters: ranked("оеаинтсрвлкмдпуяызьбгчйхжюшцщэфъё", 4, 0.93), cased: true, capital: 3}
	for letters, share := range map[string]float64{"іїєґў": 0.05, "јљњћђџѓќѕ": 0.02} {
		for r, bits := range ranked(letters, 2, share) {
			m.letters[r] = bits
		}
	}
	return m
}

func greekModel() model {
	return model{letters: ranked("αοιετσνηυρπκμλςωδγχθφβάόίέήύώξζψϊΐϋΰ", 4, 1), cased: true, capital: 3}
}

func hebrewModel() model {
	m := model{letters: ranked("יהולאתרמבשנדעחקכפםצגטןסזךףץ", 4, 1)}
	for r := rune(0x5b0); r < 0x5c3; r++ {
		m.letters[r] = 8
	}
	return m
}

func arabicModel() model {
	// Arabic; then Persian and Urdu.
	return model{letters: ranked("اليمنورتبةعدسفهكقحجىشصطخذأإضزثغءئؤآظ،؟یکپگچژ", 4, 1)}
}

func thaiModel() model {
	m := model{letters: ranked("านรอกเงมยลวดทสตะปบคหแจพชขใโไผถซศธภญณษฐฟฝ", 6, 0.8)}
	for _, r := range "่้ัิีุู็์ึำืๆๅฯํ๊๋" {
		m.letters[r] = 6.5
	}
	for r := rune(0xe01); r < 0xe5c; r++ {
		if _, known := m.letters[r]; !known {
			m.letters[r] = 11
		}
	}
	return m
}

// A Latin model knows the letters outside ASCII that one group of languages uses; a text that needs
// letters of two groups is decoded wrongly.
func latinModels() []model {
	western := []string{"windows-1252", "macintosh"}
	central := []string{"windows-1250", "iso-8859-2"}
	baltic := []string{"windows-1257", "iso-8859-13"}
	turkish := []string{"windows-1254"}
	var list []model
	for _, l := range []struct {
		order string
		sets  []string
	}{
		{"éèàçêâîôùûœïëÿæ", western},   // French
		{"äöüßéàè", western},           // German
		{"óíáéñúü¿¡ºª", western},       // Spanish
		{"ãçáéóíêõâúôàü", western},     // Portuguese
		{"èàùòéìîç", western},          // Italian
		{"äåöéàü", western},            // Swedish, Finnish
		{"øåæéèêôò", western},          // Danish, Norwegian
		{"áðíéóúþæöý", western},        // Icelandic
		{"éëïèöüçàêóá", western},       // Dutch
		{"àéèçòíóúïü·", western},       // Catalan
		{"áéóőöíüúű", central},         // Hungarian
		{"ąęłóśżćńź", central},         // Polish
		{"íáěéřčýžšůúťďňó", central},   // Czech
		{"áíéčžšýúôľťďňóäŕĺ", central}, // Slovak
		{"čšžćđ", central},             // Croatian, Slovenian
		{"ăîâşţ", central},             // Romanian
		{"ëç", western},                // Albanian
		{"ıişüğçöâîûİ", turkish},       // Turkish
		{"ėšųįžąčūę", baltic},          // Lithuanian
		{"āīēšūžļņģčķ", baltic},        // Latvian
		{"õäöüšž", baltic},             // Estonian
	} {
		list = append(list, model{sets: l.sets, letters: ranked(l.order, 2, 1), cased: true, capital: 3, alone: 4, joins: true})
	}
	return list
}
