package fetch

import (
	"bytes"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"millrace/schema"
)

// sniffBytes is how much of a body is examined to find out its kind.
const sniffBytes = 2 << 10

// served returns the kind of an answer: by the first element of its body, else by its content type,
// else the kind that was asked for. The content type comes second because many servers send feeds
// as text/html and error pages as application/rss+xml.
func served(p *schema.Page) schema.Kind {
	if isFile(p) {
		return schema.Kind_PAGE
	}
	kind := kindOfBody(front(p.Body))
	if kind == schema.Kind_KIND_UNSPECIFIED {
		kind = kindOfType(p.ContentType)
	}
	switch {
	case kind == schema.Kind_KIND_UNSPECIFIED:
		return p.Kind
	case kind == schema.Kind_PAGE && (p.Kind == schema.Kind_HUB || p.Kind == schema.Kind_KIND_UNSPECIFIED):
		return p.Kind // a hub is a page
	}
	return kind
}

// isFile reports whether the answer is a PDF, an Office file or the like, which goes to
// files.fetched.
func isFile(p *schema.Page) bool {
	return schema.FamilyOf(front(p.Body), p.ContentType) != schema.NoFile
}

// namesFile reports whether the suffix of a URL is that of a PDF, Office file or the like.
func namesFile(u schema.URL) bool {
	path := strings.ToLower(u.String())
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	for _, end := range []string{".pdf", ".doc", ".docx", ".xls", ".xlsx", ".xlsb", ".ppt", ".pptx", ".odt", ".ods", ".odp", ".rtf", ".epub"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}

// front returns the beginning of a body, unpacked if it is gzip, whatever the headers say:
// sitemap.xml.gz is gzip without a content encoding. Of a broken stream it returns what could be
// read.
func front(body []byte) []byte {
	for range 2 { // twice: a .gz file may be sent with gzip as content encoding
		if len(body) < 3 || body[0] != 0x1f || body[1] != 0x8b {
			break
		}
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			break
		}
		b, _ := io.ReadAll(io.LimitReader(z, sniffBytes))
		_ = z.Close()
		body = b
	}
	return body[:min(len(body), sniffBytes)]
}

// kindOfBody recognises feeds, sitemaps and HTML by their first element, and JSON Feed by its
// version. Of UTF-16 only the ASCII characters are read.
func kindOfBody(b []byte) schema.Kind {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		b = bytes.ReplaceAll(b[2:], []byte{0}, nil)
	}
	b = bytes.TrimSpace(b)
	if bytes.HasPrefix(b, []byte("{")) && bytes.Contains(b, []byte("://jsonfeed.org/version/")) {
		return schema.Kind_FEED
	}
	switch firstElement(b) {
	case "rss", "feed", "rdf":
		return schema.Kind_FEED
	case "urlset", "sitemapindex":
		return schema.Kind_SITEMAP
	case "html", "head", "body", "title", "meta":
		return schema.Kind_PAGE
	}
	return schema.Kind_KIND_UNSPECIFIED
}

// firstElement returns the local name of the first element, in lower case, after declarations and
// comments; "" if there is none. <!DOCTYPE html> counts as html.
func firstElement(b []byte) string {
	for {
		b = bytes.TrimSpace(b)
		end := ">"
		switch {
		case bytes.HasPrefix(b, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(b, []byte("<?")):
			end = "?>"
		case bytes.HasPrefix(b, []byte("<!")):
			if words := bytes.Fields(b[2:min(len(b), 64)]); len(words) > 1 && strings.EqualFold(string(words[0]), "doctype") {
				if name := elementName(words[1]); name == "html" {
					return name
				}
			}
		case bytes.HasPrefix(b, []byte("<")):
			return elementName(b[1:])
		default:
			return ""
		}
		_, rest, ok := bytes.Cut(b, []byte(end))
		if !ok {
			return ""
		}
		b = rest
	}
}

// elementName is the local name at the beginning of b, in lower case.
func elementName(b []byte) string {
	n := 0
	for n < len(b) && n < 64 && (b[n] == ':' || b[n] == '-' || b[n] == '_' || b[n]|0x20 >= 'a' && b[n]|0x20 <= 'z') {
		n++
	}
	name := strings.ToLower(string(b[:n]))
	if _, local, ok := strings.Cut(name, ":"); ok {
		return local
	}
	return name
}

// kindOfType is the kind that a content type alone means.
func kindOfType(contentType string) schema.Kind {
	t, _, _ := strings.Cut(contentType, ";")
	switch strings.ToLower(strings.TrimSpace(t)) {
	case "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json":
		return schema.Kind_FEED
	case "text/html", "application/xhtml+xml":
		return schema.Kind_PAGE
	}
	return schema.Kind_KIND_UNSPECIFIED
}
