package settings

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"millrace/ops/nearest"
)

// Settings is a struct that can be set.
type Settings struct {
	fields []field
	prefix string              // of environment variables; "" = flags only
	given  map[string][]string // by flags
	file   string              // from --config
}

// configName is the setting that names the file: the only one not in the struct.
const configName = "config"

// New returns the settings of the struct that target points to; what stands in it
// are the defaults. With a prefix ("MILLRACE") it is set by variables and a file
// too.
func New(target any, prefix string) (*Settings, error) {
	fields, err := fieldsOf(target)
	return &Settings{fields: fields, prefix: prefix, given: map[string][]string{}}, err
}

// Names lists the settings, in the order of the struct.
func (s *Settings) Names() []string {
	var out []string
	for _, f := range s.fields {
		out = append(out, f.name)
	}
	return out
}

func (s *Settings) field(name string) (field, bool) {
	i := slices.IndexFunc(s.fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return field{}, false
	}
	return s.fields[i], true
}

// AddFlags gives a flag set the named settings, or all.
func (s *Settings) AddFlags(fs *pflag.FlagSet, names ...string) error {
	if len(names) == 0 {
		names = s.Names()
	}
	for _, name := range names {
		if name == configName && s.prefix != "" {
			fs.StringVar(&s.file, configName, "", configHelp)
			continue
		}
		f, ok := s.field(name)
		if !ok {
			return fmt.Errorf("settings: no setting %q", name)
		}
		flag := fs.VarPF(&given{s, f}, f.name, f.short, f.help)
		flag.Hidden = f.secret // known, so that who uses it is told where it goes
		if f.isBool() {
			flag.NoOptDefVal = "true"
		}
	}
	return nil
}

// given remembers what a flag was given; Load applies it, after all other sources.
type given struct {
	s *Settings
	f field
}

// Set implements pflag.Value.
func (g *given) Set(text string) error {
	g.s.given[g.f.name] = append(g.s.given[g.f.name], text)
	return nil
}

// String implements pflag.Value.
func (g *given) String() string { return "" }

// Type implements pflag.Value.
func (g *given) Type() string { return g.f.value.Kind().String() }

// Load fills the struct: from the file, then from the environment (as
// os.Environ gives it), then from the flags that were parsed.
func (s *Settings) Load(environ []string) error {
	if s.prefix != "" {
		env, err := s.environment(environ)
		if err != nil {
			return err
		}
		if err := s.loadFile(env[configName]); err != nil {
			return err
		}
		if err := s.apply(env); err != nil {
			return err
		}
	}
	for name, texts := range s.given {
		f, _ := s.field(name)
		if f.secret {
			return fmt.Errorf("--%s is not for the command line, where everybody on the machine sees it: "+
				"set the variable %s_%s, or %s in the config file, or name a file with --%s-file", name, s.prefix, variable(name), name, name)
		}
		if s.prefix == "" && !f.mayBeEmpty && slices.Contains(texts, "") {
			return fmt.Errorf("--%s is empty: give it a value, or leave it out", name)
		}
		if err := f.set(texts); err != nil {
			return fmt.Errorf("--%s: %w", name, err)
		}
	}
	return nil
}

func (s *Settings) loadFile(fromEnv string) error {
	path := s.file
	if path == "" {
		path = fromEnv
	}
	if path == "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("config file: %w", err)
	}
	defer f.Close()
	return s.ReadYAML(f, path)
}

// environment returns the variables that are settings, by the setting's name.
func (s *Settings) environment(environ []string) (map[string]string, error) {
	known := append(s.Names(), configName)
	out := map[string]string{}
	for _, e := range environ {
		key, value, _ := strings.Cut(e, "=")
		word, ours := strings.CutPrefix(key, s.prefix+"_")
		if !ours || value == "" {
			continue
		}
		name := strings.ToLower(strings.ReplaceAll(word, "_", "-"))
		if slices.Contains(known, name) && word == variable(name) {
			out[name] = value
			continue
		}
		if near := Nearest(name, known); near != "" && nearest.Distance(name, near) <= 2 {
			return nil, fmt.Errorf("unknown variable %s: did you mean %s_%s?", key, s.prefix, variable(near))
		}
	}
	return out, nil
}

func (s *Settings) apply(env map[string]string) error {
	for _, f := range s.fields {
		text, ok := env[f.name]
		if !ok {
			continue
		}
		if err := f.set([]string{text}); err != nil {
			return fmt.Errorf("%s_%s: %w", s.prefix, variable(f.name), err)
		}
	}
	return nil
}

// variable is a setting's name as it stands in the environment.
func variable(name string) string {
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}
