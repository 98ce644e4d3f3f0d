package rules

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFile bounds a file of rules: 100,000 domains fit.
const maxFile = 32 << 20

// Read compiles the rules of a YAML file: a list of Rules. An empty path means no rules. An unknown
// field is an error, because otherwise a mistyped selector would have no effect.
func Read(path string) (*Set, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	defer f.Close()
	set, err := Parse(f)
	if err != nil {
		return nil, fmt.Errorf("rules: %s: %w", path, err)
	}
	return set, nil
}

// Parse compiles the rules of a YAML text.
func Parse(r io.Reader) (*Set, error) {
	list, err := parse(r)
	if err != nil {
		return nil, err
	}
	set, err := Compile(list)
	if err != nil {
		return nil, err
	}
	return set, nil
}

// One compiles one rule from a YAML text with the fields of a Rule but its domain.
func One(text, id string) (Compiled, error) {
	var r Rule
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&r); err != nil {
		return Compiled{}, fmt.Errorf("the rule of extraction: %w", err)
	}
	if r.Domain != "" {
		return Compiled{}, errors.New("the rule of extraction names a domain: its scope says where it holds")
	}
	r.ID, r.Domain = id, "scope"
	return r.compile()
}

func parse(r io.Reader) ([]Rule, error) {
	limited := &io.LimitedReader{R: r, N: maxFile + 1}
	d := yaml.NewDecoder(limited)
	d.KnownFields(true)
	var list []Rule
	if err := d.Decode(&list); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if limited.N == 0 {
		return nil, fmt.Errorf("longer than %d bytes", maxFile)
	}
	return list, nil
}
