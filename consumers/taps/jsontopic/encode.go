package jsontopic

import (
	"encoding/json"
	"math"

	"google.golang.org/protobuf/reflect/protoreflect"

	"millrace/schema"
)

// encode returns a document as a JSON object, with the names of messages.proto in the order of the
// alphabet. The same document gives the same bytes.
func encode(d *schema.Doc) ([]byte, error) { return json.Marshal(object(d.ProtoReflect())) }

// object returns the fields of a message that have a value, and all that are true or false.
func object(m protoreflect.Message) map[string]any {
	out := map[string]any{}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if m.Has(f) || f.Kind() == protoreflect.BoolKind && !f.IsList() {
			out[string(f.Name())] = field(f, m.Get(f))
		}
	}
	return out
}

func field(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	if !f.IsList() {
		return scalar(f, v)
	}
	list := v.List()
	out := make([]any, list.Len())
	for i := range out {
		out[i] = scalar(f, list.Get(i))
	}
	return out
}

// scalar returns a single value. A float that JSON cannot write is null, an enum value that has no
// name is its number.
func scalar(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch f.Kind() {
	case protoreflect.MessageKind:
		return object(v.Message())
	case protoreflect.EnumKind:
		if name := f.Enum().Values().ByNumber(v.Enum()); name != nil {
			return string(name.Name())
		}
		return int32(v.Enum())
	case protoreflect.DoubleKind, protoreflect.FloatKind:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	}
	return v.Interface()
}
