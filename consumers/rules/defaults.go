package rules

import (
	"slices"
	"strings"
)

// Groups lists the groups of the defaults: what no crawl of pages wants to ask for, by the suffix
// of the path. Documents that extract reads (PDF, Office, EPUB, RTF) are in none of them.
func Groups() []string { return []string{"images", "archives", "styles", "media"} }

// Suffixes lists what a group keeps out.
func Suffixes(group string) []string {
	return strings.Fields(map[string]string{
		"images":   "gif jpg jpeg jpe jfif png apng bmp ico icns tif tiff webp svg svgz avif heic heif psd eps raw cr2 nef",
		"archives": "zip gz tgz bz2 tbz xz txz zst lz lzma 7z rar tar jar war ear iso dmg pkg exe msi rpm deb apk cab whl",
		"styles":   "css js mjs cjs map woff woff2 ttf otf eot less scss",
		"media":    "mp3 mp4 m4a m4v m4b avi mov mpg mpeg mpe wmv wma flv webm ogg oga ogv opus wav flac aac mkv swf m3u8 mid midi 3gp",
	}[group])
}

// longestSuffix bounds what is looked at.
const longestSuffix = 5

// suffixes is the group of each suffix.
func suffixes() map[string]string {
	out := map[string]string{}
	for _, g := range Groups() {
		for _, s := range Suffixes(g) {
			out[s] = g
		}
	}
	return out
}

// DefaultID names the default that a group is.
func DefaultID(group string) string { return "default-" + group }

// DefaultGroup is the group of a default.
func DefaultGroup(id string) (string, bool) {
	group, ok := strings.CutPrefix(id, "default-")
	return group, ok && slices.Contains(Groups(), group)
}

// groupOf is the default group that a URL's suffix is of; "" if none. A segment with a colon names
// a page about a file (File:Photo.jpg), not the file.
func (s *Set) groupOf(url string) string {
	path, _, _ := strings.Cut(url, "?")
	if i := strings.Index(path, "://"); i >= 0 {
		path = path[i+3:]
	}
	slash := strings.LastIndexByte(path, '/')
	dot := strings.LastIndexByte(path, '.')
	if slash < 0 || dot <= slash || len(path)-dot-1 > longestSuffix || strings.IndexByte(path[slash:], ':') >= 0 {
		return ""
	}
	return s.suffix[strings.ToLower(path[dot+1:])]
}

// allowed reports whether an allow rule of a scope names a group.
func (sc *scope) allowed(group string, at int64) bool {
	return sc != nil && slices.ContainsFunc(sc.allow, func(e *entry) bool { return e.pattern == group && e.holds(at) })
}
