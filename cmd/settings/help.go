package settings

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

const configHelp = "YAML file with settings; flags and variables win over it"

// Section is a group of settings in help and example: names, each with a word for
// its value ("data DIR"), or none.
type Section struct {
	Title string
	Names []string
}

// Flags lists the names of a section, without the words for their values.
func (s Section) Flags() []string {
	var out []string
	for _, n := range s.Names {
		name, _, _ := strings.Cut(n, " ")
		out = append(out, name)
	}
	return out
}

// column is where helps begin, width where they end.
const (
	column = 27
	width  = 92
)

// Help writes a section's flags with their helps and defaults.
func (s *Settings) Help(w io.Writer, section Section) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s:\n", section.Title)
	for _, n := range section.Names {
		name, _, _ := strings.Cut(n, " ")
		help, head := configHelp, "  --"+n
		if name != configName {
			f, ok := s.field(name)
			if !ok {
				return fmt.Errorf("settings: no setting %q", name)
			}
			help = f.help + f.defaults()
			switch {
			case f.secret:
				help, head = f.help, "  "+s.prefix+"_"+variable(f.name)
			case f.short != "":
				head = "  -" + f.short + ", --" + n
			}
		}
		writeFlag(&b, head, help)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// defaults names the default, if it is worth a word.
func (f field) defaults() string {
	if f.value.IsZero() || f.isList() && f.value.Len() == 0 {
		return ""
	}
	return " (default " + f.text() + ")"
}

func writeFlag(b *strings.Builder, head, help string) {
	if len(head) > column-2 {
		fmt.Fprintf(b, "%s\n%*s", head, column, "")
	} else {
		fmt.Fprintf(b, "%-*s", column, head)
	}
	at := column
	for i, word := range strings.Fields(help) {
		switch {
		case i == 0:
		case at+1+len(word) > width:
			fmt.Fprintf(b, "\n%*s", column, "")
			at = column
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	b.WriteByte('\n')
}

// Example writes a settings file with every setting of the sections at its
// default, and its help as a comment.
func (s *Settings) Example(w io.Writer, head string, sections []Section) error {
	var b strings.Builder
	comment(&b, head)
	for _, section := range sections {
		fmt.Fprintf(&b, "\n# --- %s ---\n", section.Title)
		for _, name := range section.Flags() {
			if name == configName {
				continue
			}
			f, ok := s.field(name)
			if !ok {
				return fmt.Errorf("settings: no setting %q", name)
			}
			line, err := f.yaml()
			if err != nil {
				return err
			}
			b.WriteByte('\n')
			comment(&b, f.help)
			b.WriteString(line)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func comment(b *strings.Builder, text string) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		b.WriteString(strings.TrimRight("# "+line, " ") + "\n")
	}
}

// yaml is the field's line in a settings file.
func (f field) yaml() (string, error) {
	var value any = f.value.Interface()
	switch v := value.(type) {
	case fmt.Stringer: // a duration
		value = f.text()
	case []string:
		value = slices.Concat([]string{}, v)
		if len(v) == 0 {
			return f.name + ": []\n", nil
		}
	}
	out, err := yaml.Marshal(map[string]any{f.name: value})
	return string(out), err
}

// Explain turns an error of a flag set's Parse into words for its user.
func Explain(fs *pflag.FlagSet, err error) error {
	var unknown *pflag.NotExistError
	var lacks *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			return fmt.Errorf("unknown flag -%s", unknown.GetSpecifiedShortnames())
		}
		return fmt.Errorf("unknown flag --%s%s", name, didYouMean("--", name, flagNames(fs)))
	case errors.As(err, &lacks):
		return fmt.Errorf("--%s needs a value", lacks.GetSpecifiedName())
	}
	return err
}

func flagNames(fs *pflag.FlagSet) []string {
	var names []string
	fs.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}
