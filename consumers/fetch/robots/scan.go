package robots

import (
	"strings"
	"unicode/utf16"
)

// key is what a line of robots.txt says; the zero value is a line to be passed over.
type key uint8

const (
	keyUnknown key = iota
	keyAgent
	keyAllow
	keyDisallow
	keySitemap
	keyDelay
)

// keyOf knows the accepted spellings in lower case. The misspelt ones are those Google's parser
// takes: obeying a Disallow that was meant is the safe reading.
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

// scan calls line for every line of body, numbered from 1; lines end with LF, CR or CR LF, as the
// RFC allows.
func scan(body string, line func(n int, k key, value string)) {
	for n := 1; body != ""; n++ {
		var text string
		text, body = cutLine(body)
		k, value := parseLine(text)
		line(n, k, value)
	}
}

// text is the body as UTF-8: files saved as UTF-16 are told by their byte order mark.
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

// trimBOM removes a UTF-8 byte order mark, also one that an editor or a proxy has cut short.
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

// parseLine splits a line into key and value. Without a colon, "disallow /x" still counts if
// nothing but two words stand there.
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

// trim removes the white space that editors leave, NUL bytes of cut UTF-16 files included.
func trim(s string) string { return strings.Trim(s, " \t\v\f\x00") }

// trimBreaks removes the <BR> at the end of lines of a file that an HTML editor saved; "Disallow:
// /<BR>" is meant.
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
