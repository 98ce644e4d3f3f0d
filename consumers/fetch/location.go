package fetch

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// locationOf returns the Location of an answer. Bytes that are no UTF-8 are escaped one by one, as
// browsers do: servers send file names in their own charset.
func locationOf(h http.Header) string {
	raw := h.Get("Location")
	if utf8.ValidString(raw) {
		return raw
	}
	var b strings.Builder
	for i := range len(raw) {
		if raw[i] < utf8.RuneSelf {
			b.WriteByte(raw[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", raw[i])
		}
	}
	return b.String()
}
