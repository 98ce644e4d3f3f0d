package settings

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

type config struct {
	Name  string        `name:"name" help:"a text"`
	Depth int           `name:"max-depth" help:"a number"`
	Pages int64         `name:"max-pages" short:"n" help:"a large number"`
	Wait  time.Duration `name:"wait" help:"a while"`
	Open  bool          `name:"open" help:"a switch"`
	Hosts []string      `name:"hosts" help:"a list"`
}

func defaults() config {
	return config{Name: "mill", Depth: 1, Wait: time.Minute, Hosts: []string{"d"}}
}

// load sets a config from all sources. yaml is the text of the file.
func load(t *testing.T, yaml string, env, args []string) (config, error) {
	t.Helper()
	c := defaults()
	s, err := New(&c, "MILL")
	if err != nil {
		t.Fatal(err)
	}
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	if err := s.AddFlags(fs, append(s.Names(), "config")...); err != nil {
		t.Fatal(err)
	}
	if yaml != "" {
		path := filepath.Join(t.TempDir(), "mill.yaml")
		if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		env = append(env, "MILL_CONFIG="+path)
	}
	if err := fs.Parse(args); err != nil {
		return c, Explain(fs, err)
	}
	return c, s.Load(env)
}

func TestFlagsWinOverVariablesOverFileOverDefaults(t *testing.T) {
	for _, test := range []struct {
		name, yaml string
		env, args  []string
		want       func(*config)
	}{
		{"nothing", "", nil, nil, func(*config) {}},
		{"file", "max-depth: 2\nwait: 2s\nopen: true\nhosts: [a, b]\nname: a b", nil, nil, func(c *config) {
			*c = config{"a b", 2, 0, 2 * time.Second, true, []string{"a", "b"}}
		}},
		{"file, list as one value", "hosts: a, b", nil, nil, func(c *config) { c.Hosts = []string{"a", "b"} }},
		{"file, key without value", "name:\nhosts: ~", nil, nil, func(*config) {}},
		{"file of comments", "# name: x\n", nil, nil, func(*config) {}},
		{"empty list", "hosts: []", nil, nil, func(c *config) { c.Hosts = []string{} }},
		{"variable over file", "max-depth: 2", []string{"MILL_MAX_DEPTH=3", "MILL_HOSTS=x,y"}, nil, func(c *config) {
			c.Depth, c.Hosts = 3, []string{"x", "y"}
		}},
		{"empty variable", "max-depth: 2", []string{"MILL_MAX_DEPTH="}, nil, func(c *config) { c.Depth = 2 }},
		{"others' variables", "", []string{"PATH=x", "MILL_SERVICE_HOST=10.0.0.1", "MILLER_NAME=x"}, nil, func(*config) {}},
		{"flag over all", "max-depth: 2\nhosts: [a]", []string{"MILL_MAX_DEPTH=3", "MILL_HOSTS=x"},
			[]string{"arg", "--max-depth", "4", "--hosts=h", "other", "--hosts=i,j", "--open"}, func(c *config) {
				c.Depth, c.Hosts, c.Open = 4, []string{"h", "i", "j"}, true
			}},
		{"last flag wins", "", nil, []string{"-n", "5", "-n6", "--open=false", "--wait=0"}, func(c *config) { c.Pages, c.Wait = 6, 0 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := defaults()
			test.want(&want)
			if got, err := load(t, test.yaml, test.env, test.args); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, want)
			}
		})
	}
}

func TestErrorsSayWhatWasExpectedAndWhereItCameFrom(t *testing.T) {
	for _, test := range []struct {
		yaml      string
		env, args []string
		want      string // the file's path is cut off
	}{
		{"", nil, []string{"--max-dept", "3"}, "unknown flag --max-dept: did you mean --max-depth?"},
		{"", nil, []string{"--depth", "3"}, "unknown flag --depth: did you mean --max-depth?"},
		{"", nil, []string{"--zebra"}, "unknown flag --zebra"},
		{"", nil, []string{"-z"}, "unknown flag -z"},
		{"", nil, []string{"--name"}, "--name needs a value"},
		{"", nil, []string{"--max-depth", "x"}, `--max-depth: "x" is not a whole number`},
		{"", nil, []string{"--open=perhaps"}, `--open: "perhaps" is not true or false`},
		{"", []string{"MILL_WAIT=5"}, nil, `MILL_WAIT: "5" is not a duration such as 500ms, 2s or 1m30s`},
		{"", []string{"MILL_MAX_DEPHT=5"}, nil, "unknown variable MILL_MAX_DEPHT: did you mean MILL_MAX_DEPTH?"},
		{"", []string{"MILL_max_depth=5"}, nil, "unknown variable MILL_max_depth: did you mean MILL_MAX_DEPTH?"},
		{"", []string{"MILL_CONFIG=mill.none"}, nil, "config file: open mill.none: no such file or directory"},
		{"name: x\nmax_depth: 1", nil, nil, `mill.yaml:2: unknown setting "max_depth": did you mean max-depth?`},
		{"max-depth: deep", nil, nil, `mill.yaml:1: max-depth: "deep" is not a whole number`},
		{"max-pages: 99999999999999999999", nil, nil, `mill.yaml:1: max-pages: "99999999999999999999" is not a whole number`},
		{"name: [a, b]", nil, nil, "mill.yaml:1: name: expected a single value"},
		{"hosts: {a: b}", nil, nil, "mill.yaml:1: hosts: expected a list"},
		{"hosts: [[a]]", nil, nil, "mill.yaml:1: hosts: expected a list of single values"},
		{"name: a\n\nname: b", nil, nil, "mill.yaml:3: name is set a second time (first on line 1)"},
		{"- name", nil, nil, `mill.yaml:1: expected lines of the form "name: value"`},
		{"name: a\n---\nname: b", nil, nil, "mill.yaml: holds more than one document"},
		{"a: &x 1\nname: *x", nil, nil, `mill.yaml:1: unknown setting "a"`},
		{"hosts: &x [a]\nname: *x", nil, nil, "mill.yaml:2: name: expected a single value"},
		{strings.Repeat("# much\n", maxFile/7+2) + "name: x", nil, nil, "mill.yaml: larger than 1048576 bytes"},
	} {
		_, err := load(t, test.yaml, test.env, test.args)
		if err == nil {
			t.Errorf("no error, want %q", test.want)
			continue
		}
		got := err.Error()
		if i := strings.Index(got, "mill.yaml"); i >= 0 {
			got = got[i:]
		}
		if got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestAStructThatCannotBeSetIsRefused(t *testing.T) {
	for _, target := range []any{
		config{},
		&struct{ Name string }{},
		&struct {
			Rate float64 `name:"rate" help:"of a kind that is not known"`
		}{},
	} {
		if _, err := New(target, "MILL"); err == nil {
			t.Errorf("%T was taken", target)
		}
	}
}

func TestTheExampleSetsEverythingToItsDefault(t *testing.T) {
	c := defaults()
	s, err := New(&c, "MILL")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := s.Example(&b, "All.", []Section{{"All", append(s.Names(), "config FILE")}}); err != nil {
		t.Fatal(err)
	}
	var got config
	into, err := New(&got, "MILL")
	if err != nil {
		t.Fatal(err)
	}
	if err := into.ReadYAML(&b, "example"); err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("read %+v, %v\nwant %+v", got, err, c)
	}
}

// FuzzReadYAML: whatever stands in a file, reading it ends, and what it took is
// what the example of it says.
func FuzzReadYAML(f *testing.F) {
	for _, seed := range []string{
		"name: x\nhosts: [a, 'b c']\nwait: 1h", "name: \"a\\nb\"", "a: &a [*a]", "? [x]\n: y", "%YAML 1.2\n---\nname: 1",
		"name: !!binary aGVsbG8=", "<<: {name: x}", "\xff\xfe", "name: ~", "open: yes", "hosts: |\n  a\n  b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := defaults()
		s, err := New(&c, "MILL")
		if err != nil {
			t.Fatal(err)
		}
		if s.ReadYAML(strings.NewReader(text), "fuzz") != nil {
			return
		}
		var b bytes.Buffer
		if err := s.Example(&b, "", []Section{{"All", s.Names()}}); err != nil {
			t.Fatal(err)
		}
		again := config{}
		into, err := New(&again, "MILL")
		if err != nil {
			t.Fatal(err)
		}
		if err := into.ReadYAML(bytes.NewReader(b.Bytes()), "again"); err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		if !slices.Equal(again.Hosts, c.Hosts) || again.Name != c.Name || again.Wait != c.Wait {
			t.Fatalf("%+v became %+v through\n%s", c, again, b.String())
		}
	})
}
