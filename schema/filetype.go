package schema

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// FileFamily is the outer format of a document that is no page, by the first bytes of its body.
type FileFamily string

// The families. What exactly a file of the families Zip and OLE is, its inside says.
const (
	NoFile FileFamily = ""    // a page, a picture, an archive: nothing that is read as a document
	PDF    FileFamily = "pdf" //
	Zip    FileFamily = "zip" // OOXML, OpenDocument or EPUB: XML files in a zip archive
	OLE    FileFamily = "ole" // compound file of Office before 2007
	RTF    FileFamily = "rtf" //
)

// FileHead is how many bytes of a body FamilyOf looks at.
const FileHead = 1 << 10

// FamilyOf tells documents from all else by their first bytes (PDF 32000-1, 7.5.2; APPNOTE 4.3.7;
// MS-CFB 2.2). The name counts for nothing. The content type counts only where the bytes leave it
// open: rubbish before the mark of a PDF, and a zip archive whose first member does not say what it
// is.
func FamilyOf(head []byte, contentType string) FileFamily {
	head = head[:min(len(head), FileHead)]
	start := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n\x00")
	declared := strings.ToLower(contentType)
	switch {
	case bytes.HasPrefix(start, []byte("%PDF-")):
		return PDF
	case strings.Contains(declared, "pdf") && bytes.Contains(head, []byte("%PDF-")):
		return PDF
	case bytes.HasPrefix(start, []byte(`{\rtf`)):
		return RTF
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return OLE
	case bytes.HasPrefix(head, []byte("PK\x03\x04")) && (ofOffice(firstMember(head)) || declaresOffice(declared)):
		return Zip
	}
	return NoFile
}

// firstMember is the name in the first local header of a zip archive.
func firstMember(head []byte) string {
	const fixed = 30
	if len(head) < fixed {
		return ""
	}
	n := int(binary.LittleEndian.Uint16(head[26:]))
	return string(head[fixed:min(len(head), fixed+n)])
}

// ofOffice reports names that office programs write first. Other archives begin with names of their
// own.
func ofOffice(name string) bool {
	if name == "mimetype" || name == "content.xml" || name == "[Content_Types].xml" {
		return true
	}
	for _, dir := range []string{"_rels/", "docProps/", "word/", "xl/", "ppt/", "customXml/", "OEBPS/", "OPS/", "EPUB/", "META-INF/container.xml"} {
		if strings.HasPrefix(name, dir) {
			return true
		}
	}
	return false
}

func declaresOffice(contentType string) bool {
	for _, part := range []string{"officedocument", "opendocument", "epub", "ms-word", "msword", "ms-excel", "ms-powerpoint"} {
		if strings.Contains(contentType, part) {
			return true
		}
	}
	return false
}
