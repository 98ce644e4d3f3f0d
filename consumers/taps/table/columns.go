package table

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"

	"millrace/consumers/taps"
)

// column is one column of a table, and the function that gives its values.
type column[R any] struct {
	name  string
	node  parquet.Node
	value func(R) []parquet.Value // none: NULL; more than one only in a list
	list  bool
	index int // in the schema
}

// table is the schema of the rows made from R.
type table[R any] struct {
	schema  *parquet.Schema
	columns []column[R] // in the order of the schema
}

func newTable[R any](name string, columns []column[R]) *table[R] {
	t := &table[R]{columns: slices.Clone(columns)}
	group := parquet.Group{}
	for i := range t.columns {
		c := &t.columns[i]
		if _, taken := group[c.name]; taken { // a field of Doc has the name of a fixed column
			c.name = name + "_" + c.name
		}
		group[c.name] = c.node
	}
	t.schema = parquet.NewSchema(name, group)
	for i := range t.columns {
		leaf, _ := t.schema.Lookup(t.columns[i].name)
		t.columns[i].index = leaf.ColumnIndex
	}
	slices.SortFunc(t.columns, func(a, b column[R]) int { return cmp.Compare(a.index, b.index) })
	return t
}

// row appends the values of a row with their levels: definition level 0 is NULL, repetition level 1
// continues a list.
func (t *table[R]) row(row parquet.Row, r R) parquet.Row {
	for _, c := range t.columns {
		values := c.value(r)
		switch {
		case len(values) == 0:
			row = append(row, parquet.NullValue().Level(0, 0, c.index))
		case c.node.Required():
			row = append(row, values[0].Level(0, 0, c.index))
		default:
			for i, v := range values {
				row = append(row, v.Level(min(i, 1), 1, c.index))
			}
		}
	}
	return row
}

// always is a column that has a value in every row.
func always[R any](name string, node parquet.Node, value func(R) parquet.Value) column[R] {
	return column[R]{name: name, node: node, value: func(r R) []parquet.Value { return []parquet.Value{value(r)} }}
}

// text is a column of strings; "" becomes NULL.
func text[R any](name string, value func(R) string) column[R] {
	return column[R]{name: name, node: parquet.Optional(parquet.String()), value: func(r R) []parquet.Value {
		return textValue(value(r))
	}}
}

func textValue(s string) []parquet.Value {
	if s == "" {
		return nil
	}
	return []parquet.Value{parquet.ValueOf(strings.ToValidUTF8(s, "\uFFFD"))}
}

// inLog returns the columns with which every table begins: the position of the record in the log.
func inLog[R any](record func(R) *taps.Record) []column[R] {
	return []column[R]{
		always("log_partition", parquet.Int(32), func(r R) parquet.Value { return parquet.ValueOf(record(r).Partition) }),
		always("log_era", parquet.Int(32), func(r R) parquet.Value { return parquet.ValueOf(int32(record(r).Era)) }),
		always("log_offset", parquet.Int(64), func(r R) parquet.Value { return parquet.ValueOf(record(r).Offset) }),
		always("logged_at", parquet.Timestamp(parquet.Millisecond), func(r R) parquet.Value {
			return parquet.ValueOf(record(r).Time.UnixMilli())
		}),
	}
}

// fields returns a column for each field of a message, named as in the .proto file, so a field that
// is added there becomes a column. rename gives columns another name; "" leaves a field out.
func fields[R any](d protoreflect.MessageDescriptor, rename map[string]string, message func(R) protoreflect.Message) []column[R] {
	var out []column[R]
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		name := string(f.Name())
		if to, ok := rename[name]; ok {
			name = to
		}
		if name != "" {
			out = append(out, field(f, name, message))
		}
	}
	return out
}

// field returns the column of one field. Maps and messages become JSON.
func field[R any](f protoreflect.FieldDescriptor, name string, message func(R) protoreflect.Message) column[R] {
	node, convert := scalar(f)
	c := column[R]{name: name, node: parquet.Optional(node)}
	switch {
	case f.IsMap() || f.IsList() && f.Message() != nil || f.Message() != nil:
		c.node = parquet.Optional(parquet.String())
		c.value = func(r R) []parquet.Value { return textValue(inJSON(message(r), f)) }
	case f.IsList():
		c.node, c.list = parquet.Repeated(node), true
		c.value = func(r R) []parquet.Value {
			m := message(r)
			if m == nil {
				return nil
			}
			list := m.Get(f).List()
			var out []parquet.Value
			for i := range list.Len() {
				out = append(out, convert(list.Get(i)))
			}
			return out
		}
	default:
		c.value = func(r R) []parquet.Value {
			m := message(r)
			if m == nil || empty(f, m) {
				return nil
			}
			return []parquet.Value{convert(m.Get(f))}
		}
	}
	return c
}

// empty reports whether a field's zero means "not known": an empty string, no bytes, a time of 0, 0
// of an enum. A number 0 and a false are values.
func empty(f protoreflect.FieldDescriptor, m protoreflect.Message) bool {
	switch {
	case f.HasPresence():
		return !m.Has(f)
	case f.Kind() == protoreflect.StringKind, f.Kind() == protoreflect.BytesKind, f.Kind() == protoreflect.EnumKind, isTime(f):
		return !m.Has(f)
	}
	return false
}

// isTime reports whether a field is a time, in milliseconds since 1970.
func isTime(f protoreflect.FieldDescriptor) bool {
	name := string(f.Name())
	return f.Kind() == protoreflect.Int64Kind && (strings.HasSuffix(name, "_at") || strings.HasSuffix(name, "_at_log"))
}

// scalar returns the Parquet type of a field, and the function that converts its values.
func scalar(f protoreflect.FieldDescriptor) (parquet.Node, func(protoreflect.Value) parquet.Value) {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return parquet.Leaf(parquet.BooleanType), func(v protoreflect.Value) parquet.Value { return parquet.ValueOf(v.Bool()) }
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return parquet.Int(32), func(v protoreflect.Value) parquet.Value { return parquet.ValueOf(int32(v.Int())) }
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		node := parquet.Int(64)
		if isTime(f) {
			node = parquet.Timestamp(parquet.Millisecond)
		}
		return node, func(v protoreflect.Value) parquet.Value { return parquet.ValueOf(v.Int()) }
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return parquet.Uint(32), func(v protoreflect.Value) parquet.Value { return parquet.ValueOf(uint32(v.Uint())) }
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return parquet.Uint(64), func(v protoreflect.Value) parquet.Value { return parquet.ValueOf(v.Uint()) }
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return parquet.Leaf(parquet.DoubleType), func(v protoreflect.Value) parquet.Value { return parquet.ValueOf(v.Float()) }
	case protoreflect.BytesKind:
		return parquet.String(), func(v protoreflect.Value) parquet.Value { return parquet.ValueOf(hex.EncodeToString(v.Bytes())) }
	case protoreflect.EnumKind:
		return parquet.String(), func(v protoreflect.Value) parquet.Value { return parquet.ValueOf(enumName(f, v.Enum())) }
	}
	return parquet.String(), func(v protoreflect.Value) parquet.Value {
		return parquet.ValueOf(strings.ToValidUTF8(v.String(), "\uFFFD"))
	}
}

// enumName returns the name of a value in lower case; the number of one that this program does not
// know.
func enumName(f protoreflect.FieldDescriptor, n protoreflect.EnumNumber) string {
	if v := f.Enum().Values().ByNumber(n); v != nil {
		return strings.ToLower(string(v.Name()))
	}
	b, _ := json.Marshal(int32(n))
	return string(b)
}

// inJSON returns one field of a message as JSON; "" if it is not set.
func inJSON(m protoreflect.Message, f protoreflect.FieldDescriptor) string {
	if m == nil || !m.Has(f) {
		return ""
	}
	only := m.New()
	only.Set(f, m.Get(f))
	b, err := protojson.Marshal(only.Interface())
	var fields map[string]json.RawMessage
	if err != nil || json.Unmarshal(b, &fields) != nil {
		return ""
	}
	return string(fields[f.JSONName()])
}
