package page

import (
	"bytes"
	"mime"
	"strings"
)

// MediaKind is the format as which a body is read.
type MediaKind string

// The kinds.
const (
	HTML    MediaKind = "html"
	Plain   MediaKind = "text"
	XML     MediaKind = "xml"
	Feed    MediaKind = "feed"
	Sitemap MediaKind = "sitemap"
	File    MediaKind = "file" // read by package documents
	Unknown MediaKind = "other"
)

// mediaKind decides by the header, and by the first bytes where headers are often wrong: pages sent
// as plain text or without a type, and binary files sent as pages.
func mediaKind(contentType string, body []byte) MediaKind {
	if isBinary(body) {
		return Unknown
	}
	head := bytes.ToLower(bytes.TrimLeft(body[:min(len(body), 2048)], "\xef\xbb\xbf \t\r\n"))
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind, _, _ = strings.Cut(contentType, ";")
		kind = strings.ToLower(strings.TrimSpace(kind))
	}
	if !strings.Contains(kind, "/") { // it is no type
		kind = ""
	}
	switch {
	case kind == "text/html" || kind == "application/xhtml+xml":
		return sniffXML(head, HTML)
	case kind == "text/plain":
		return sniffHTML(head, Plain)
	case strings.HasSuffix(kind, "+xml") || kind == "text/xml" || kind == "application/xml":
		return sniffXML(head, XML)
	case kind == "":
		return sniffXML(head, sniffTags(head, Unknown))
	case kind == "application/octet-stream" || kind == "unknown/unknown" || kind == "text/text":
		return sniffXML(head, sniffHTML(head, Unknown))
	case strings.HasPrefix(kind, "text/"):
		return sniffHTML(head, textKind(kind))
	}
	return Unknown
}

// textKind returns Plain for text types that people write; style sheets, scripts and tables of
// values are no documents.
func textKind(kind string) MediaKind {
	switch kind {
	case "text/css", "text/javascript", "text/ecmascript", "text/csv", "text/calendar", "text/vcard", "text/tab-separated-values":
		return Unknown
	}
	return Plain
}

func sniffHTML(head []byte, otherwise MediaKind) MediaKind {
	for _, mark := range []string{"<!doctype html", "<html", "<head", "<body"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return HTML
		}
	}
	return otherwise
}

// sniffTags takes what nothing says the type of for HTML as browsers do: if it begins with one of
// these tags (MIME Sniffing standard, 7.1).
func sniffTags(head []byte, otherwise MediaKind) MediaKind {
	if bytes.HasPrefix(head, []byte("<!--")) {
		return HTML
	}
	if len(head) == 0 || head[0] != '<' {
		return otherwise
	}
	switch end := bytes.IndexAny(head, " >"); string(head[:max(end, 0)]) {
	case "<!doctype", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a", "<style", "<title", "<b", "<body", "<br", "<p":
		return sniffHTML(head, HTML)
	}
	return sniffHTML(head, otherwise)
}

// sniffXML distinguishes feeds, sitemaps and XHTML from other XML by the first element.
func sniffXML(head []byte, otherwise MediaKind) MediaKind {
	switch name := firstElement(head); name {
	case "rss", "feed", "rdf:rdf":
		return Feed
	case "urlset", "sitemapindex":
		return Sitemap
	case "html":
		return HTML
	case "":
		return otherwise
	default:
		if bytes.HasPrefix(head, []byte("<?xml")) && otherwise == Unknown {
			return XML
		}
	}
	return otherwise
}

func firstElement(head []byte) string {
	for len(head) > 0 {
		i := bytes.IndexByte(head, '<')
		if i < 0 || i+1 >= len(head) {
			return ""
		}
		head = head[i+1:]
		if c := head[0]; 'a' <= c && c <= 'z' {
			end := bytes.IndexAny(head, " \t\r\n/>")
			if end < 0 {
				end = len(head)
			}
			return string(head[:end])
		}
	}
	return ""
}

// isBinary recognises files that are sent with the type of a page.
func isBinary(body []byte) bool {
	for _, magic := range []string{"%PDF-", "\x89PNG", "GIF8", "\xff\xd8\xff", "PK\x03\x04", "\xd0\xcf\x11\xe0", "\x1f\x8b", "Rar!",
		"RIFF", "ID3", "\x7fELF", "MZ\x90", "OggS", "wOFF", "BZh", "7z\xbc\xaf"} {
		if bytes.HasPrefix(body, []byte(magic)) {
			return true
		}
	}
	return len(body) > 11 && string(body[4:8]) == "ftyp"
}
