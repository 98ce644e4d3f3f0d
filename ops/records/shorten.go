package records

import "google.golang.org/protobuf/reflect/protoreflect"

// shown is how many bytes of a long text or body are shown.
const shown = 200

// shorten cuts long texts and bodies in a message.
func shorten(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsList() || f.IsMap():
		case f.Kind() == protoreflect.BytesKind && len(v.Bytes()) > shown:
			m.Set(f, protoreflect.ValueOfBytes(v.Bytes()[:shown]))
		case f.Kind() == protoreflect.StringKind && len(v.String()) > shown:
			m.Set(f, protoreflect.ValueOfString(cut(v.String())))
		case f.Message() != nil:
			shorten(v.Message())
		}
		return true
	})
}

// cut shortens a text between two characters.
func cut(s string) string {
	n := 0
	for i := range s {
		if i > shown {
			break
		}
		n = i
	}
	return s[:n] + "…"
}
