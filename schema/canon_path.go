package schema

import (
	"bytes"
	"strings"
)

// appendPath writes the path: keep, which is canonical already and begins with a
// slash, then the raw rest, resolved against it. A backslash is a slash here, as
// in browsers.
func (c *Canonicalizer) appendPath(dst []byte, keep, raw string) []byte {
	start := len(dst)
	dst = append(dst, keep...)
	raw = strings.ReplaceAll(raw, `\`, "/") // copies only if there is one
	for {
		end := strings.IndexByte(raw, '/')
		last := end < 0
		if last {
			end = len(raw)
		}
		segment := len(dst)
		dst = literals{pathLo, pathHi}.appendEscaped(dst, raw[:end])
		dst = c.cutPathParams(dst, segment)
		switch string(dst[segment:]) {
		case ".":
			dst = dst[:segment]
		case "..":
			dst = dst[:parent(dst, start, segment)]
		default:
			if !last {
				dst = append(dst, '/')
			}
		}
		if last {
			return dst
		}
		raw = raw[end+1:]
	}
}

// parent is the length of dst without its last directory, which ends in the
// slash before segment. The root has none above it.
func parent(dst []byte, start, segment int) int {
	return max(start, bytes.LastIndexByte(dst[start:segment-1], '/')+start) + 1
}

// cutPathParams removes the parameters to be dropped from dst[from:], which is
// one path segment or one piece of a query. A segment that would become a dot
// segment stays as it is: it names a page of its own.
func (c *Canonicalizer) cutPathParams(dst []byte, from int) []byte {
	if len(c.dropPath) == 0 || bytes.IndexByte(dst[from:], ';') < 0 {
		return dst
	}
	first, rest, _ := bytes.Cut(dst[from:], []byte(";"))
	if s := string(first); s == "." || s == ".." {
		return dst
	}
	kept := from + len(first)
	for more := true; more; {
		var param []byte
		param, rest, more = bytes.Cut(rest, []byte(";"))
		name, _, _ := bytes.Cut(param, []byte("="))
		if !named(c.dropPath, name) {
			dst = append(append(dst[:kept], ';'), param...)
			kept = len(dst)
		}
	}
	return dst[:kept]
}
