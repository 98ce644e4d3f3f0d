package documents

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"strings"

	"millrace/schema"
)

// chunk reads a part in another format that Word shows inside the text (17.17.2.1): HTML, also as
// an archive of a page (MHT), text, or another document. What cannot be read is left out.
func (a *archive) chunk(w *writer, part string) error {
	body, err := a.small(part, maxEmbeddedSize)
	if err != nil {
		return heavy(err)
	}
	name := strings.ToLower(part)
	switch isDocument := schema.FamilyOf(body, "officedocument") != schema.NoFile; {
	case isDocument:
		a.inner(w, "", body)
	case strings.HasSuffix(name, "mht"), strings.HasSuffix(name, "mhtml"), bytes.HasPrefix(body, []byte("MIME-Version:")):
		html, kind := pageOf(body)
		return heavy(writeHTML(html, kind, w, nil))
	case strings.HasSuffix(name, "html"), strings.HasSuffix(name, "htm"), strings.HasSuffix(name, "txt"):
		return heavy(writeHTML(bytes.NewReader(body), "", w, nil))
	}
	return nil
}

// maxParts bounds the parts of an archive of a page that are looked at.
const maxParts = 100

// pageOf returns the page in an archive of a page (RFC 2557), and its content type; nothing if
// there is none.
func pageOf(archive []byte) (io.Reader, string) {
	r := bufio.NewReader(bytes.NewReader(archive))
	head, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return strings.NewReader(""), ""
	}
	kind, params, _ := mime.ParseMediaType(head.Get("Content-Type"))
	if !strings.HasPrefix(kind, "multipart/") {
		return decoded(r, head.Get("Content-Transfer-Encoding")), head.Get("Content-Type")
	}
	parts := multipart.NewReader(r, params["boundary"])
	for range maxParts {
		p, err := parts.NextRawPart()
		if err != nil {
			break
		}
		if kind := p.Header.Get("Content-Type"); strings.HasPrefix(strings.ToLower(kind), "text/html") {
			return decoded(p, p.Header.Get("Content-Transfer-Encoding")), kind
		}
	}
	return strings.NewReader(""), ""
}

func decoded(r io.Reader, encoding string) io.Reader {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "quoted-printable":
		return quotedprintable.NewReader(r)
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, r)
	}
	return r
}
