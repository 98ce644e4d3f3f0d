package schema

import (
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// published are the records as they were once published: readers in other languages were generated
// from them. Each file is the output of protoc (--descriptor_set_out) for the .proto files of that
// day.
func published(t *testing.T) map[string]*protoregistry.Files {
	t.Helper()
	names, err := filepath.Glob("testdata/records-*.binpb")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d descriptions of records, %v", len(names), err)
	}
	all := map[string]*protoregistry.Files{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var set descriptorpb.FileDescriptorSet
		if err := proto.Unmarshal(b, &set); err != nil {
			t.Fatal(err)
		}
		if all[name], err = protodesc.NewFiles(&set); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// eachMessage calls fn with every message of a set, those inside others too.
func eachMessage(files *protoregistry.Files, fn func(protoreflect.MessageDescriptor)) {
	var walk func(protoreflect.MessageDescriptors)
	walk = func(all protoreflect.MessageDescriptors) {
		for i := range all.Len() {
			fn(all.Get(i))
			walk(all.Get(i).Messages())
		}
	}
	files.RangeFiles(func(f protoreflect.FileDescriptor) bool { walk(f.Messages()); return true })
}

// today returns a message as it is now.
func today(t *testing.T, name protoreflect.FullName) protoreflect.MessageType {
	t.Helper()
	m, err := protoregistry.GlobalTypes.FindMessageByName(name)
	if err != nil {
		t.Fatalf("%s was taken away: old records cannot be read", name)
	}
	return m
}

// TestFieldsKeepTheirMeaning: a field that was published keeps its number, name and type, or its
// number is never used again; a value of an enum keeps its number.
func TestFieldsKeepTheirMeaning(t *testing.T) {
	for file, files := range published(t) {
		eachMessage(files, func(old protoreflect.MessageDescriptor) {
			now := today(t, old.FullName()).Descriptor()
			for i := range old.Fields().Len() {
				was := old.Fields().Get(i)
				is := now.Fields().ByNumber(was.Number())
				switch {
				case is == nil && !now.ReservedRanges().Has(was.Number()):
					t.Errorf("%s: %s is gone, and its number %d is not reserved", file, was.FullName(), was.Number())
				case is != nil && (is.Name() != was.Name() || is.Kind() != was.Kind() || is.Cardinality() != was.Cardinality()):
					t.Errorf("%s: %s %s %s became %s %s %s", file, was.Cardinality(), was.Kind(), was.FullName(), is.Cardinality(), is.Kind(), is.Name())
				}
				if e := was.Enum(); is != nil && e != nil {
					checkEnum(t, file, e, is.Enum())
				}
			}
		})
	}
}

func checkEnum(t *testing.T, file string, old, now protoreflect.EnumDescriptor) {
	t.Helper()
	for i := range old.Values().Len() {
		was := old.Values().Get(i)
		if is := now.Values().ByNumber(was.Number()); is == nil || is.Name() != was.Name() {
			t.Errorf("%s: value %d of %s was %s", file, was.Number(), old.FullName(), was.Name())
		}
	}
}

// TestAnOldReaderReadsNewRecords: who was generated from the records of then reads, of records of
// now with every field set, all that it knows, and keeps the rest when it writes the record again.
func TestAnOldReaderReadsNewRecords(t *testing.T) {
	for file, files := range published(t) {
		eachMessage(files, func(old protoreflect.MessageDescriptor) {
			full := today(t, old.FullName()).New()
			fill(full, 0)
			record, err := proto.Marshal(full.Interface())
			if err != nil {
				t.Fatal(err)
			}
			read := dynamicpb.NewMessage(old)
			if err := proto.Unmarshal(record, read); err != nil {
				t.Errorf("%s: %s cannot be read: %v", file, old.FullName(), err)
				return
			}
			for i := range old.Fields().Len() {
				f := old.Fields().Get(i)
				if is := full.Descriptor().Fields().ByNumber(f.Number()); is != nil && full.Has(is) && !read.Has(f) {
					t.Errorf("%s: %s is not read", file, f.FullName())
				}
			}
			again, err := proto.Marshal(read)
			if err != nil {
				t.Fatal(err)
			}
			back := today(t, old.FullName()).New().Interface()
			if err := proto.Unmarshal(again, back); err != nil || !proto.Equal(back, full.Interface()) {
				t.Errorf("%s: %s lost something on its way through an old reader (%v)", file, old.FullName(), err)
			}
		})
	}
}

// fill sets every field of a message; of fields that exclude each other the last.
func fill(m protoreflect.Message, depth int) {
	for i := range m.Descriptor().Fields().Len() {
		f := m.Descriptor().Fields().Get(i)
		switch {
		case f.IsList():
			l := m.Mutable(f).List()
			if f.Message() != nil {
				fill(l.AppendMutable().Message(), depth+1)
				continue
			}
			l.Append(filled(f))
		case f.Message() != nil:
			if depth < 5 { // a message may hold its own kind
				fill(m.Mutable(f).Message(), depth+1)
			}
		default:
			m.Set(f, filled(f))
		}
	}
}

// filled is a value that is not the zero value of a scalar field.
func filled(f protoreflect.FieldDescriptor) protoreflect.Value {
	n := int64(f.Number())
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(string(f.Name()))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(f.Name()))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(f.Enum().Values().Get(1).Number())
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(float64(n))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(n))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(uint64(n))
	default:
		return protoreflect.ValueOfInt64(n)
	}
}
