package rules

import (
	"slices"
	"strings"
)

// Groups lists the groups of the defaults: files that no crawl of pages wants, by the suffix of the
// path. Files that extract reads (PDF, Office, EPUB, RTF) are in no group.
func Groups() []string { return []string{"images", "archives", "styles", "media"} }

// Suffixes lists the suffixes of a group.
func Suffixes(group string) []string {
	return strings.Fields(map[string]string{
		"images":   "gif jpg jpeg jpe jfif png apng bmp ico icns tif tiff webp svg svgz avif heic heif psd eps raw cr2 nef",
		"archives": "zip gz tgz bz2 tbz xz txz zst lz lzma 7z rar tar jar war ear iso dmg pkg exe msi rpm deb apk cab whl",
		"styles":   "css js mjs cjs map woff woff2 ttf otf eot less scss",
		"media":    "mp3 mp4 m4a m4v m4b avi mov mpg mpeg mpe wmv wma flv webm ogg oga ogv opus wav flac aac mkv swf m3u8 mid midi 3gp",
	}[group])
}

// longestSuffix is the most bytes of a suffix that is looked up.
const longestSuffix = 5

// suffixes returns the group of each suffix.
func suffixes() map[string]string {
	out := map[string]string{}
	for _, g := range Groups() {
		for _, s := range Suffixes(g) {
			out[s] = g
		}
	}
	return out
}

// DefaultID is the identity of the default rule for a group.
func DefaultID(group string) string { return "default-" + group }

// DefaultGroup is the group of a default rule's identity; false if id is not one.
func DefaultGroup(id string) (string, bool) {
	group, ok := strings.CutPrefix(id, "default-")
	return group, ok && slices.Contains(Groups(), group)
}

// groupOf is the default group of a URL's suffix; "" if none. A last segment with a colon names a
// page about a file (File:Photo.jpg), not the file.
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

// allowed reports whether an allow rule of the scope names a group.
func (sc *scope) allowed(group string, at int64) bool {
	return sc != nil && slices.ContainsFunc(sc.allow, func(e *entry) bool { return e.pattern == group && e.holds(at) })
}
