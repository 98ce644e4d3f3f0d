package lang

type script uint8

const (
	other script = iota
	latin
	cyrillic
	arabic
	greek
	hebrew
	thai
	hangul
	han
	kana
	armenian
	georgian
	devanagari
	bengali
	tamil
	telugu
	khmer
	lao
	burmese
	scriptCount
)

// scripts counts letters by script.
type scripts [scriptCount]int

func countScripts(text string) scripts {
	var c scripts
	for _, r := range text {
		if r < 0x80 {
			if l := r | 0x20; 'a' <= l && l <= 'z' {
				c[latin]++
			}
			continue
		}
		c[scriptOf(r)]++
	}
	c[other] = 0
	return c
}

// leader returns the script with the most letters, and its share. A Han, kana or Hangul character
// counts as three letters, so that Latin names in Chinese text do not win.
func (c scripts) leader() (script, float64) {
	weigh := func(s script) int {
		switch s {
		case han, kana, hangul:
			return 3 * c[s]
		}
		return c[s]
	}
	best, total := other, 0
	for s := other + 1; s < scriptCount; s++ {
		total += weigh(s)
		if weigh(s) > weigh(best) {
			best = s
		}
	}
	if total < 12 {
		return other, 0
	}
	share := weigh(best)
	switch best {
	case han:
		share += weigh(kana)
	case kana:
		share += weigh(han)
	}
	return best, float64(share) / float64(total)
}

// language returns the language that alone uses the script; "" if several do.
func (s script) language() string {
	switch s {
	case greek:
		return "el"
	case hebrew:
		return "he"
	case thai:
		return "th"
	case hangul:
		return "ko"
	case armenian:
		return "hy"
	case georgian:
		return "ka"
	case devanagari:
		return "hi"
	case bengali:
		return "bn"
	case tamil:
		return "ta"
	case telugu:
		return "te"
	case khmer:
		return "km"
	case lao:
		return "lo"
	case burmese:
		return "my"
	}
	return ""
}

func scriptOf(r rune) script {
	switch {
	case r < 0x250, 0x1e00 <= r && r < 0x1f00:
		if r == 0xd7 || r == 0xf7 || r < 0xc0 && r != 0xaa && r != 0xba {
			return other
		}
		return latin
	case 0x370 <= r && r < 0x400, 0x1f00 <= r && r < 0x2000:
		return greek
	case 0x400 <= r && r < 0x530:
		return cyrillic
	case 0x530 <= r && r < 0x590:
		return armenian
	case 0x5d0 <= r && r < 0x600:
		return hebrew
	case 0x620 <= r && r < 0x700, 0x750 <= r && r < 0x780, 0xfb50 <= r && r < 0xfdd0, 0xfe70 <= r && r < 0xff00:
		return arabic
	case r < 0x900:
		return other
	case r < 0x3040:
		return southern(r)
	case r < 0x3100, 0xff66 <= r && r < 0xffa0:
		return kana
	case 0x3400 <= r && r < 0xa000, 0xf900 <= r && r < 0xfb00, 0x20000 <= r && r < 0x40000:
		return han
	case 0xac00 <= r && r < 0xd7b0:
		return hangul
	}
	return other
}

func southern(r rune) script {
	switch {
	case r < 0x980:
		return devanagari
	case r < 0xa00:
		return bengali
	case 0xb80 <= r && r < 0xc00:
		return tamil
	case 0xc00 <= r && r < 0xc80:
		return telugu
	case 0xe00 <= r && r < 0xe80:
		return thai
	case 0xe80 <= r && r < 0xf00:
		return lao
	case 0x1000 <= r && r < 0x10a0:
		return burmese
	case 0x10a0 <= r && r < 0x1100:
		return georgian
	case 0x1100 <= r && r < 0x1200:
		return hangul
	case 0x1780 <= r && r < 0x1800:
		return khmer
	}
	return other
}
