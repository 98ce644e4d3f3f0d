package documents

import "strings"

// controlSink writes the captions of the buttons and boxes of a sheet. They stand in VML (ECMA-376,
// part 4, 19.1), together with the frames of comments, whose texts have a part of their own.
type controlSink struct {
	*writer
	taking bool
	shape  bool
	unseen bool
	kind   string // of the control; "" if the shape is none
	label  strings.Builder
}

func (s *controlSink) open(name string, a attrs) {
	switch name {
	case "shape":
		s.shape, s.kind = true, ""
		s.unseen = strings.Contains(strings.ReplaceAll(a.get("style"), " ", ""), "visibility:hidden")
		s.label.Reset()
	case "textbox":
		s.taking = s.shape
	case "br", "div":
		s.label.WriteByte(' ')
	case "ClientData":
		s.kind = a.get("ObjectType")
	}
}

func (s *controlSink) close(name string) {
	switch name {
	case "textbox":
		s.taking = false
	case "shape":
		if s.kind != "" && s.kind != "Note" && !s.unseen {
			s.text(s.label.String())
			s.end()
		}
		s.shape, s.taking = false, false
	}
}

func (s *controlSink) chars(text string) {
	if s.taking && s.label.Len() < 4<<10 {
		s.label.WriteString(text)
	}
}
