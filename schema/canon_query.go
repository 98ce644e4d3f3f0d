package schema

import (
	"bytes"
	"slices"
	"strings"
)

const (
	maxParamName  = 64 // bytes of a name that options can hold
	sessionDigits = 32 // hex digits of an MD5 sum or a UUID, as most session stores use
)

// appendQuery writes "?" and the pieces of the query that stay, if any.
func (c *Canonicalizer) appendQuery(dst []byte, raw string) []byte {
	start, sep := len(dst), byte('?')
	for more := raw != ""; more; {
		var piece string
		piece, raw, more = strings.Cut(raw, "&")
		if piece == "" {
			continue
		}
		undo := len(dst)
		dst = append(dst, sep)
		dst = literals{queryLo, queryHi}.appendEscaped(dst, piece)
		dst = c.cutPathParams(dst, undo+1)
		if c.drops(dst[undo+1:]) {
			dst = dst[:undo]
			continue
		}
		sep = '&'
	}
	if c.sort && len(dst) > start {
		sortPieces(dst[start+1:])
	}
	return dst
}

// drops reports whether a piece of a query, in canonical form, is to go.
func (c *Canonicalizer) drops(piece []byte) bool {
	if len(piece) == 0 {
		return true
	}
	name, value, _ := bytes.Cut(piece, []byte("="))
	return named(c.drop, name) || c.dropsPrefix(name) ||
		len(value) == sessionDigits && allHex(value) && named(c.dropHex, name)
}

func (c *Canonicalizer) dropsPrefix(name []byte) bool {
	for _, prefix := range c.dropPrefix {
		if len(name) >= len(prefix) && equalLower(name[:len(prefix)], prefix) {
			return true
		}
	}
	return false
}

// named looks name up without regard to case and without allocating.
func named(set map[string]struct{}, name []byte) bool {
	if len(set) == 0 || len(name) > maxParamName {
		return false
	}
	var space [maxParamName]byte
	lower := space[:len(name)]
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	_, found := set[string(lower)]
	return found
}

// equalLower compares with a string in lower case.
func equalLower(s []byte, lower string) bool {
	for i, c := range s {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

func allHex(s []byte) bool {
	for _, c := range s {
		if !isHex(c) {
			return false
		}
	}
	return true
}

// sortPieces orders the pieces of a query by name, in place.
func sortPieces(query []byte) {
	pieces := bytes.Split(bytes.Clone(query), []byte("&"))
	slices.SortStableFunc(pieces, func(a, b []byte) int {
		nameA, _, _ := bytes.Cut(a, []byte("="))
		nameB, _, _ := bytes.Cut(b, []byte("="))
		return bytes.Compare(nameA, nameB)
	})
	copy(query, bytes.Join(pieces, []byte("&")))
}
