package robots

import (
	"strings"
	"unicode/utf16"
)

// key is the kind of a line of robots.txt; the zero value is a line to skip.
type key uint8

const (
	keyUnknown key = iota
	keyAgent
	keyAllow
	keyDisallow
	keySitemap
	keyDelay
)

// keyOf returns the key of a name. The misspelt ones are those that Google's parser accepts: to
// obey a Disallow that was meant is the safe choice.
func keyOf(name string) key {
	switch strings.ToLower(name) {
	case "user-agent", "useragent", "user agent":
		return keyAgent
	case "allow":
		return keyAllow
	case "disallow", "dissallow", "dissalow", "disalow", "desallow", "diasllow", "disallaw":
		return keyDisallow
	case "sitemap", "site-map":
		return keySitemap
	case "crawl-delay", "crawldelay", "crawl delay":
		return keyDelay
	}
	return keyUnknown
}

// scan calls line for every line of body, numbered from 1. Lines end with LF, CR or CR LF, as the
// RFC allows.
func scan(body string, line func(n int, k key, value string)) {
	for n := 1; body != ""; n++ {
		var text string
		text, body = cutLine(body)
		k, value := parseLine(text)
		line(n, k, value)
	}
}

// text returns the body as UTF-8. UTF-16 is recognised by its byte order mark.
func text(body []byte) string {
	if len(body) >= 2 && (body[0] == 0xff && body[1] == 0xfe || body[0] == 0xfe && body[1] == 0xff) {
		return utf16Text(body[2:], body[0] == 0xff)
	}
	return trimBOM(string(body))
}

func utf16Text(body []byte, little bool) string {
	units := make([]uint16, len(body)/2)
	for i := range units {
		a, b := uint16(body[2*i]), uint16(body[2*i+1])
		if little {
			a, b = b, a
		}
		units[i] = a<<8 | b
	}
	return string(utf16.Decode(units))
}

// trimBOM removes a UTF-8 byte order mark, also an incomplete one.
func trimBOM(s string) string {
	const bom = "\xef\xbb\xbf"
	n := 0
	for n < len(bom) && n < len(s) && s[n] == bom[n] {
		n++
	}
	return s[n:]
}

func cutLine(s string) (line, rest string) {
	end := strings.IndexAny(s, "\r\n")
	if end < 0 {
		return s, ""
	}
	next := end + 1
	if s[end] == '\r' && next < len(s) && s[next] == '\n' {
		next++
	}
	return s[:end], s[next:]
}

// parseLine splits a line into key and value. Without a colon, "disallow /x" counts if it is
// exactly two words.
func parseLine(line string) (key, string) {
	if i := strings.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	line = trimBreaks(trim(line))
	if name, value, ok := strings.Cut(line, ":"); ok {
		return keyOf(trim(name)), trim(value)
	}
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return keyUnknown, ""
	}
	value := trim(line[i:])
	if strings.ContainsAny(value, " \t") {
		return keyUnknown, ""
	}
	return keyOf(line[:i]), value
}

// trim removes white space, and the NUL bytes of incomplete UTF-16 files.
func trim(s string) string { return strings.Trim(s, " \t\v\f\x00") }

// trimBreaks removes <BR> at the end of a line, which HTML editors add: "Disallow: /<BR>" means
// "Disallow: /".
func trimBreaks(s string) string {
	for strings.HasSuffix(s, ">") {
		i := strings.LastIndexByte(s, '<')
		if i < 0 || !strings.EqualFold(trim(strings.TrimSuffix(s[i+1:len(s)-1], "/")), "br") {
			break
		}
		s = trim(s[:i])
	}
	return s
}
