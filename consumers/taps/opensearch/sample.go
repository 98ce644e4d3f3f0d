package opensearch

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"millrace/schema"
)

// mappingError says that the index refuses a document that has every field. It was made with
// another mapping than ours, so it would refuse most documents, or all.
type mappingError struct{ index, why string }

// Error implements error.
func (e mappingError) Error() string {
	return fmt.Sprintf("the index %s has a mapping that does not take our documents: %s. Name another index with --index, "+
		"or delete this one (it is made again with our mapping), or correct its mapping; then start again. "+
		"No document was put on dead.letters for it: they wait in the log", e.index, e.why)
}

// Denied implements streams.Denial: another try would be refused too, so the member ends.
func (mappingError) Denied() bool { return true }

// fits asks the index to take a document with every field and to delete it, in one request, so that
// no search finds it. It returns a mappingError if the document is refused; nil if it is taken, or
// if the index is busy or away.
func (c *client) fits(ctx context.Context) error {
	sample := &schema.Doc{}
	fill(sample.ProtoReflect(), 0)
	sample.RowKey, sample.Url = probeID, "https://probe.invalid/"
	version := time.Now().UnixMilli() * 2
	index, err := operation(c.opts.Index, probeID, version, sample)
	if err != nil {
		return err
	}
	remove, err := operation(c.opts.Index, probeID, version+1, nil)
	if err != nil {
		return err
	}
	items, err := c.send(ctx, []op{{lines: index}, {lines: remove}})
	if err != nil || !items[0].mapped() {
		return nil
	}
	return mappingError{c.opts.Index, fmt.Sprintf("%s: %s %s", items[0].Error.Type, items[0].Error.Reason, items[0].Error.Cause.Reason)}
}

// deepest is how deep messages inside of messages are filled.
const deepest = 3

// fill gives every field of a message a value.
func fill(m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch {
		case f.IsMap() || f.Message() != nil && depth == deepest:
		case f.IsList() && f.Message() != nil:
			fill(m.Mutable(f).List().AppendMutable().Message(), depth+1)
		case f.IsList():
			m.Mutable(f).List().Append(value(f))
		case f.Message() != nil:
			fill(m.Mutable(f).Message(), depth+1)
		default:
			m.Set(f, value(f))
		}
	}
}

// value is a value of a field that is no message.
func value(f protoreflect.FieldDescriptor) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString("probe")
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte("probe"))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(values.Len() - 1).Number())
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(1)
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(1)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(1)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(0.5)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(0.5)
	}
	return protoreflect.ValueOfInt32(1)
}
