package documents

import (
	"strings"
)

// styleNames finds the paragraph styles of headings: those with an outline level, and those with
// such a name. It also finds the styles that number their paragraphs, and those of hidden text.
type styleNames struct {
	level  map[string]bool
	lists  map[string]docxList
	unseen map[string]bool // styles of hidden text, and those that say that theirs is not
	id     string
}

// docxList holds the numbering of a style.
type docxList struct{ list, level, base string }

// listOf returns the list and level of a style, or of those it is based on; "" if none is numbered.
func listOf(styles map[string]docxList, id string) (list, level string) {
	for range 12 {
		s, ok := styles[id]
		if !ok {
			return list, level
		}
		list, level = orElse(list, s.list), orElse(level, s.level)
		id = s.base
	}
	return list, level
}

// hides reports whether a style, or the next one it is based on that says it, hides its text; said
// is false if none says it.
func hides(unseen map[string]bool, styles map[string]docxList, id string) (hidden, said bool) {
	for range 12 {
		if hidden, said = unseen[id]; said || id == "" {
			return hidden, said
		}
		id = styles[id].base
	}
	return false, false
}

func (s *styleNames) open(name string, a attrs) {
	switch name {
	case "style":
		s.id = a.get("styleId")
	case "name":
		if v := strings.ToLower(a.get("val")); s.id != "" && (strings.HasPrefix(v, "heading ") || v == "title") && len(s.level) < 1000 {
			s.level[s.id] = true
		}
	case "vanish":
		if s.id != "" && len(s.unseen) < maxLists {
			s.unseen[s.id] = a.on()
		}
	case "basedOn", "numId", "ilvl":
		s.list(name, a.get("val"))
	case "outlineLvl":
		if v := a.get("val"); s.id != "" && len(v) == 1 && v < "6" && len(s.level) < 1000 {
			s.level[s.id] = true
		}
	}
}

func (s *styleNames) list(name, v string) {
	if s.id == "" || s.lists == nil || len(s.lists) >= maxLists {
		return
	}
	l := s.lists[s.id]
	switch name {
	case "basedOn":
		l.base = v
	case "numId":
		l.list = v
	case "ilvl":
		l.level = v
	}
	s.lists[s.id] = l
}

func (s *styleNames) close(name string) {
	if name == "style" {
		s.id = ""
	}
}

func (s *styleNames) chars(string) {}
