package records

import (
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"

	"millrace/streams"
	"millrace/topics"
)

// Where is a condition on a record: the field at a path of its value compares with a text.
type Where struct {
	path  []string
	not   bool // it must not be so
	has   bool // contains, not equals
	value string
}

// Bounds of conditions.
const (
	maxWhere      = 20
	maxWhereBytes = 1000
)

// ParseWhere reads conditions: PATH=TEXT, PATH!=TEXT, PATH~TEXT (contains) or PATH!~TEXT. A path
// names a field as `topics cat` prints it: doc.lang, headers.ce_type, key.
func ParseWhere(texts []string) ([]Where, error) {
	if len(texts) > maxWhere {
		return nil, fmt.Errorf("where: %d conditions, above %d", len(texts), maxWhere)
	}
	var out []Where
	for _, text := range texts {
		if len(text) > maxWhereBytes {
			return nil, fmt.Errorf("where: a condition of %d bytes, above %d", len(text), maxWhereBytes)
		}
		i := strings.IndexAny(text, "=~")
		if i <= 0 {
			return nil, fmt.Errorf("where: %q is not of the form FIELD=TEXT, FIELD!=TEXT, FIELD~TEXT or FIELD!~TEXT", text)
		}
		path, not := strings.CutSuffix(text[:i], "!")
		w := Where{path: strings.Split(path, "."), not: not, has: text[i] == '~', value: text[i+1:]}
		for _, step := range w.path {
			if step == "" {
				return nil, fmt.Errorf("where: %q names no field", text)
			}
		}
		out = append(out, w)
	}
	return out, nil
}

// holds reports whether all conditions hold for a record. What does not decode has no fields.
func holds(list []Where, r streams.Raw) bool {
	if len(list) == 0 {
		return true
	}
	fields := map[string]any{"key": r.Key}
	headers := map[string]any{}
	for _, h := range r.Headers {
		headers[h.Key] = string(h.Value)
	}
	fields["headers"] = headers
	if r.Value != nil {
		if m, err := topics.Decode(r.Topic, r.Value); err == nil {
			if b, err := protojson.Marshal(m); err == nil {
				_ = json.Unmarshal(b, &fields) // it was made a moment ago
			}
		}
	}
	for _, w := range list {
		if w.among(at(fields, w.path)) == w.not {
			return false
		}
	}
	return true
}

// at finds the values at a path; a list on the way stands for all its elements.
func at(v any, path []string) []string {
	switch v := v.(type) {
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, at(e, path)...)
		}
		return out
	case map[string]any:
		if next, ok := v[first(path)]; ok {
			return at(next, path[1:])
		}
		return nil
	case nil:
		return nil
	}
	if len(path) > 0 {
		return nil
	}
	return []string{fmt.Sprint(v)}
}

func first(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return path[0]
}

// among reports whether one of the values is equal to the value of the condition, or contains it. A
// field that is not there is an empty text.
func (w Where) among(values []string) bool {
	if len(values) == 0 {
		values = []string{""}
	}
	for _, v := range values {
		if w.has && strings.Contains(v, w.value) || !w.has && v == w.value {
			return true
		}
	}
	return false
}
