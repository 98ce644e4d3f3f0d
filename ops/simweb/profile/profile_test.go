package profile

import (
	"strings"
	"testing"
)

func TestShippedProfilesAreValid(t *testing.T) {
	for _, name := range Names() {
		p, err := Load(name)
		if err != nil || p.Name != name {
			t.Errorf("%s: %q %v", name, p.Name, err)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	good, err := shipped.ReadFile("fast.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for add, want := range map[string]string{
		"hostz: 3":                      "hostz",
		"leaves: {copies: 0.1}":         `no "copies"`,
		"leaves: {copy: 0.6, pdf: 0.6}": "above 1",
		"traps: {maze: 2}":              "traps.maze",
		"items: {share: 0.1}":           "items",
	} {
		if _, err := Parse([]byte(string(good) + add + "\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", add, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("name: x\nhosts: 3\npages: {min: 1, max: 2}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, err := Parse(text); err == nil && p.Hosts < 1 {
			t.Fatal("accepted a web without hosts")
		}
	})
}
