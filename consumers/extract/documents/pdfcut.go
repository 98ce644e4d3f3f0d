package documents

import (
	"bytes"
	"fmt"
)

// withTrailer returns a PDF that breaks off with an end of its own: pdfium looks for objects where
// the table of them is missing, but asks for a trailer (PDF 32000-1, 7.5.5), which names the
// catalogue. nil if there is a trailer, or no catalogue.
func withTrailer(body []byte) []byte {
	if bytes.Contains(body, []byte("trailer")) {
		return nil
	}
	i := bytes.LastIndex(body, []byte("/Catalog"))
	if i < 0 {
		return nil
	}
	begin := bytes.LastIndex(body[:i], []byte(" obj"))
	if begin < 0 {
		return nil
	}
	number := objectBefore(body[:begin])
	if number < 0 {
		return nil
	}
	end := fmt.Sprintf("\ntrailer\n<< /Root %d 0 R >>\nstartxref\n0\n%%%%EOF\n", number)
	return append(bytes.Clone(body), end...)
}
