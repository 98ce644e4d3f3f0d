package documents

import (
	"strconv"
	"strings"
)

// Fonts of signs have other characters at the places of letters. Programs write them as such
// letters, or at the same place in Unicode's private area, from U+F020 to U+F0FF.

// The fonts of signs that are known.
const (
	symbolFont    = "symbol"
	wingdingsFont = "wingdings"
)

// signFont returns the name of a font of signs; "" for other fonts.
func signFont(name string) string {
	switch name = strings.ToLower(strings.TrimSpace(name)); name {
	case "symbol", "standard symbols l", "standard symbols ps", "opensymbol", "starsymbol":
		return symbolFont
	case "wingdings", "wingdings 2", "wingdings 3", "webdings":
		return name
	}
	return ""
}

// signs returns a text in which the characters of a font of signs stand as Unicode has them; those
// that it has not are pictures and left out. In another font the text stays as it is. code may also
// be the place of one character, as four hexadecimal digits.
func signs(font, code string) string {
	if font == "" {
		return code
	}
	if n, err := strconv.ParseUint(code, 16, 16); err == nil && len(code) == 4 {
		return sign(font, rune(n))
	}
	var b strings.Builder
	for _, r := range code {
		if r >= 0xf020 && r <= 0xf0ff {
			b.WriteString(sign(font, r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// sign returns the character at a place of a font; "" if Unicode has none.
func sign(font string, place rune) string {
	at := place & 0xff
	switch {
	case place > 0xff && place&0xff00 != 0xf000:
		return string(place)
	case font == symbolFont && at >= 0x20:
		return symbolSigns[at-0x20]
	case font == wingdingsFont:
		return wingdingsSign(at)
	}
	return ""
}

// symbolSigns are the characters of the font Symbol from 0x20 (PDF 32000-1, D.6), one a place.
var symbolSigns = [...]string{
	" ", "!", "∀", "#", "∃", "%", "&", "∋", "(", ")", "∗", "+", ",", "−", ".", "/",
	"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ":", ";", "<", "=", ">", "?",
	"≅", "Α", "Β", "Χ", "Δ", "Ε", "Φ", "Γ", "Η", "Ι", "ϑ", "Κ", "Λ", "Μ", "Ν", "Ο",
	"Π", "Θ", "Ρ", "Σ", "Τ", "Υ", "ς", "Ω", "Ξ", "Ψ", "Ζ", "[", "∴", "]", "⊥", "_",
	"‾", "α", "β", "χ", "δ", "ε", "φ", "γ", "η", "ι", "ϕ", "κ", "λ", "μ", "ν", "ο",
	"π", "θ", "ρ", "σ", "τ", "υ", "ϖ", "ω", "ξ", "ψ", "ζ", "{", "|", "}", "∼", "",
	"", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "",
	"", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "",
	"€", "ϒ", "′", "≤", "⁄", "∞", "ƒ", "♣", "♦", "♥", "♠", "↔", "←", "↑", "→", "↓",
	"°", "±", "″", "≥", "×", "∝", "∂", "•", "÷", "≠", "≡", "≈", "…", "⏐", "⎯", "↵",
	"ℵ", "ℑ", "ℜ", "℘", "⊗", "⊕", "∅", "∩", "∪", "⊃", "⊇", "⊄", "⊂", "⊆", "∈", "∉",
	"∠", "∇", "®", "©", "™", "∏", "√", "⋅", "¬", "∧", "∨", "⇔", "⇐", "⇑", "⇒", "⇓",
	"◊", "〈", "®", "©", "™", "∑", "⎛", "⎜", "⎝", "⎡", "⎢", "⎣", "⎧", "⎨", "⎩", "⎪",
	"", "〉", "∫", "⌠", "⎮", "⌡", "⎞", "⎟", "⎠", "⎤", "⎥", "⎦", "⎫", "⎬", "⎭", "",
}

// wingdingsSign returns the signs of the font Wingdings that stand in texts: bullets, arrows, marks
// of choice.
func wingdingsSign(place rune) string {
	switch place {
	case 0x20:
		return " "
	case 0x28:
		return "☎"
	case 0x2a:
		return "✉"
	case 0x4a:
		return "☺"
	case 0x6c:
		return "●"
	case 0x6e:
		return "■"
	case 0x6f, 0xa8:
		return "□"
	case 0x9f:
		return "•"
	case 0xa7:
		return "▪"
	case 0xd8:
		return "➢"
	case 0xdf:
		return "←"
	case 0xe0:
		return "→"
	case 0xfb:
		return "✗"
	case 0xfc:
		return "✓"
	case 0xfd:
		return "☒"
	case 0xfe:
		return "☑"
	}
	return ""
}
