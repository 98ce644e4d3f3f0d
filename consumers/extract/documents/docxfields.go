package documents

import (
	"strconv"
	"strings"
)

// docxField is a field that is open: first comes what it does, then what it shows (17.16.18).
type docxField struct {
	code    string
	shows   bool
	linked  bool
	choices []string // of a list of a form
	chosen  int
}

// maxFields bounds fields inside each other.
const maxFields = 64

func (s *docxSink) fieldChar(kind string) {
	n := len(s.fields)
	switch {
	case kind == "begin" && n < maxFields:
		s.fields = append(s.fields, docxField{})
	case kind == "separate" && n > 0:
		f := &s.fields[n-1]
		f.shows = true
		if url := fieldLink(f.code); url != "" {
			f.linked = true
			s.begin(url)
		}
	case kind == "end" && n > 0:
		f := s.fields[n-1]
		s.fields = s.fields[:n-1]
		if url := fieldSource(f.code); url != "" {
			s.link(url, "")
		}
		if f.linked || n == 1 {
			s.finishLink()
		}
		if !f.shows && f.chosen >= 0 && f.chosen < len(f.choices) {
			s.put(f.choices[f.chosen])
		}
	}
}

// maxChoices bounds the entries of a list of a form.
const maxChoices = 100

// choice notes an entry of a list of a form, or which one is chosen (17.16.9, 17.16.22, 17.16.29).
func (s *docxSink) choice(name, v string) {
	n := len(s.fields)
	if n == 0 {
		return
	}
	if f := &s.fields[n-1]; name == "listEntry" && len(f.choices) < maxChoices {
		f.choices = append(f.choices, v)
	} else if name == "result" {
		f.chosen, _ = strconv.Atoi(v)
	}
}

// instructs reports whether what comes is a part of what a field does, not of what it shows.
func (s *docxSink) instructs() bool {
	for i := range s.fields {
		if !s.fields[i].shows {
			return true
		}
	}
	return false
}

// fieldLink returns the address in a HYPERLINK field (17.16.5.25); "" if it is another field.
func fieldLink(instruction string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(instruction), "HYPERLINK")
	if !ok {
		return ""
	}
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(rest, `\`) { // a place in this document
		return ""
	}
	rest, _, _ = strings.Cut(strings.TrimPrefix(rest, `"`), `"`)
	return rest
}

// fieldSource returns the address from which a field loads text or a picture; "" for other fields.
func fieldSource(instruction string) string {
	kind, rest, _ := strings.Cut(strings.TrimSpace(instruction), " ")
	switch kind {
	case "INCLUDEPICTURE", "INCLUDETEXT", "IMPORT", "LINK":
		_, rest, _ = strings.Cut(rest, `"`)
		rest, _, _ = strings.Cut(rest, `"`)
		if strings.Contains(rest, "://") {
			return rest
		}
	}
	return ""
}
