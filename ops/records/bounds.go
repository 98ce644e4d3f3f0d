package records

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"millrace/streams"
	"millrace/topics"
)

// AskError says what is wrong with what was asked for: a partition, an offset or a field that is
// not there.
type AskError struct{ Message string }

// Error implements error.
func (e *AskError) Error() string { return e.Message }

// UserMessage returns the text for who asked.
func (e *AskError) UserMessage() string { return e.Message }

func wrong(format string, args ...any) error { return &AskError{fmt.Sprintf(format, args...)} }

// check returns an AskError if the topic has no such partition, offset or field.
func (o Options) check(ctx context.Context, log *streams.Log, topic string) error {
	for _, w := range o.Where {
		if err := w.check(topic); err != nil {
			return err
		}
	}
	if o.Partition < 0 {
		return nil
	}
	ends, err := log.Ends(ctx, topic)
	if err != nil {
		return err
	}
	return within(topic, Position{o.Partition: o.Offset}, ends)
}

// within returns an AskError if a position names a partition that the topic does not have, or an
// offset above its end, as after the log was made anew or lost its end. The end itself is a place
// to begin.
func within(topic string, at Position, ends map[int32]int64) error {
	for p, offset := range at {
		switch end, ok := ends[p]; {
		case !ok:
			return wrong("topic %s has no partition %d: it has 0 to %d", topic, p, len(ends)-1)
		case offset > end:
			return wrong("partition %d of %s ends at offset %d, before %d: the log is shorter than it was, or the offset is of another partition; "+
				"begin anew from the beginning, from a time, or from the end", p, topic, end, offset)
		}
	}
	return nil
}

// check returns an AskError if records of a topic have no field at the path of the condition. The
// topics without messages have headers and keys alone.
func (w Where) check(topic string) error {
	switch {
	case w.path[0] == "key" && len(w.path) == 1, w.path[0] == "headers" && len(w.path) == 2:
		return nil
	}
	m, err := topics.Decode(topic, nil)
	if err != nil {
		return wrong("where: %s has no field %s: its records have key and headers.NAME", topic, strings.Join(w.path, "."))
	}
	at := m.ProtoReflect().Descriptor()
	for i, step := range w.path {
		f := at.Fields().ByJSONName(step)
		if f == nil {
			return wrong("where: %s has no field %s: %s", topic, strings.Join(w.path[:i+1], "."), instead(at, step, i == 0))
		}
		last := i == len(w.path)-1
		switch {
		case f.IsMap():
			return nil // any key
		case f.Message() == nil && !last:
			return wrong("where: %s of %s is a value, without fields such as %s", f.JSONName(), topic, w.path[i+1])
		case f.Message() != nil && last:
			return wrong("where: %s of %s has fields: name one of %s", f.JSONName(), topic, names(f.Message(), false))
		case f.Message() != nil:
			at = f.Message()
		}
	}
	return nil
}

// instead says which fields there are.
func instead(at protoreflect.MessageDescriptor, name string, top bool) string {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	for i := range at.Fields().Len() {
		if f := at.Fields().Get(i).JSONName(); plain(f) == plain(name) {
			return "did you mean " + f + "?"
		}
	}
	return "there are " + names(at, top)
}

// names lists the fields of a message, and what every record has if it is the value itself.
func names(at protoreflect.MessageDescriptor, top bool) string {
	var out []string
	for i := range at.Fields().Len() {
		out = append(out, at.Fields().Get(i).JSONName())
	}
	if slices.Sort(out); top {
		out = append(out, "key", "headers.NAME")
	}
	return strings.Join(out, ", ")
}
