package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// maxFile bounds a settings file, in bytes: it is written by hand.
const maxFile = 1 << 20

// ReadYAML fills the struct from a file: one mapping of names to values. A key
// without a value leaves the default.
func (s *Settings) ReadYAML(r io.Reader, name string) error {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(text) > maxFile {
		return fmt.Errorf("%s: larger than %d bytes", name, maxFile)
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF): // nothing but comments
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: holds more than one document", name)
	}
	return s.readMapping(doc.Content[0], name)
}

func (s *Settings) readMapping(m *yaml.Node, name string) error {
	if m.Kind == yaml.ScalarNode && m.Tag == "!!null" {
		return nil
	}
	if m.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: expected lines of the form \"name: value\"", name, m.Line)
	}
	seen := map[string]int{}
	for i := 0; i < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		at := fmt.Sprintf("%s:%d", name, key.Line)
		f, ok := s.field(key.Value)
		switch line := seen[key.Value]; {
		case !ok:
			return fmt.Errorf("%s: unknown setting %q%s", at, key.Value, didYouMean("", key.Value, s.Names()))
		case line > 0:
			return fmt.Errorf("%s: %s is set a second time (first on line %d)", at, key.Value, line)
		}
		seen[key.Value] = key.Line
		if err := f.setNode(value); err != nil {
			return fmt.Errorf("%s: %s: %w", at, key.Value, err)
		}
	}
	return nil
}

// setNode fills the field from a scalar, or a list from a sequence of scalars.
func (f field) setNode(n *yaml.Node) error {
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return nil
	case n.Kind == yaml.ScalarNode:
		return f.set([]string{n.Value})
	case n.Kind != yaml.SequenceNode || !f.isList():
		return fmt.Errorf("expected %s", f.shape())
	}
	var texts []string
	for _, e := range n.Content {
		if e.Kind != yaml.ScalarNode {
			return errors.New("expected a list of single values")
		}
		texts = append(texts, e.Value)
	}
	return f.set(texts)
}

func (f field) shape() string {
	if f.isList() {
		return "a list"
	}
	return "a single value"
}
