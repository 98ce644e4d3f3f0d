package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// tell reads a topic and returns the records about the story, without the parts that differ from
// run to run.
func tell[M topics.Message](topic topics.Topic[M]) func(*world) string {
	return func(w *world) string {
		about := map[string]bool{}
		n, err := w.Reader.Partitions(w.t.Context(), topic.Name)
		for p := int32(0); err == nil && p < n; p++ {
			var end int64
			if end, err = w.Reader.End(w.t.Context(), topic.Name, p); err == nil {
				err = streams.Read(w.t.Context(), w.Reader, topic, p, 0, end, func(r *streams.Record[M]) error {
					return note(about, r)
				})
			}
		}
		if err != nil {
			w.t.Fatal(err)
		}
		return "# " + topic.Name + "\n\n" + strings.Join(slices.Sorted(maps.Keys(about)), "\n")
	}
}

// life reads docs.unique and returns all records about the story and its twin, in the order of the
// log: documents by their address, and the headers of each tombstone.
func life(w *world) string {
	topic, out := topics.Unique(), "# docs.unique from first to last\n\n"
	keys := map[string]bool{}
	for _, url := range []string{story, twin} {
		u, err := w.Canon.Parse(url)
		if err != nil {
			w.t.Fatal(err)
		}
		keys[string(u.RowKey())] = true
	}
	for p := range w.Meta.SitePartitions {
		end, err := w.Reader.End(w.t.Context(), topic.Name, p)
		if err == nil {
			err = streams.Read(w.t.Context(), w.Reader, topic, p, 0, end, func(r *streams.Record[*schema.Unique]) error {
				switch {
				case !keys[r.Key]:
				case r.Tombstone:
					out += fmt.Sprintf("tombstone %s, type %s: reason %s, moved_to %q, site %s\n",
						r.Key, r.Header("ce_type"), r.Header("reason"), r.Header("moved_to"), r.Header("site"))
				default:
					out += fmt.Sprintf("document  %s, type %s: %s\n", r.Key, r.Header("ce_type"), r.Value.GetDoc().GetUrl())
				}
				return nil
			})
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	return out
}

// note adds a record, if it is about the story. Records of one topic come in an order that depends
// on timing, so they are compared as a set.
func note[M topics.Message](about map[string]bool, r *streams.Record[M]) error {
	if r.Tombstone {
		return nil
	}
	scrub(r.Value.ProtoReflect())
	raw, err := protojson.Marshal(r.Value)
	if err != nil || !bytes.Contains(raw, []byte(`http/story"`)) {
		return err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil {
		return err
	}
	about[fmt.Sprintf("key %s, type %s\n%s\n", r.Key, r.Header("ce_type"), &indented)] = true
	return nil
}

// scrub takes out times, versions and addresses.
func scrub(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		name := string(f.Name())
		switch {
		case strings.HasSuffix(name, "_at") || strings.HasSuffix(name, "_ms") || name == "rev" || name == "source_rev" ||
			name == "published_at_log" || name == "ip" || name == "headers" || name == "until" || name == "not_after" || name == "body":
			m.Clear(f)
		case f.Message() != nil && !f.IsList() && !f.IsMap():
			scrub(v.Message())
		}
		return true
	})
}

// golden compares a text with its file; the first line names it.
func golden(t *testing.T, got string) {
	t.Helper()
	name, _, _ := strings.Cut(strings.TrimPrefix(got, "# "), "\n")
	path := filepath.Join("testdata", "journey", strings.ReplaceAll(name, " ", "-")+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs from its golden file:\n%s", name, got)
	}
}
