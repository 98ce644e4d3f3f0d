package schema

import (
	"strings"
	"unicode/utf8"
)

// Storable reports whether a text can be part of a store key: not empty, at most MaxURLBytes long,
// UTF-8, without zero bytes. A record that names another one becomes a dead letter.
func Storable(s string) bool {
	return s != "" && len(s) <= MaxURLBytes && utf8.ValidString(s) && !strings.ContainsRune(s, 0)
}

// StorableRowKey reports whether a text is Storable and has the form of a row key: a host, and a
// path with its scheme.
func StorableRowKey(s string) bool { return Storable(s) && RowKey(s).URL() != "" }
