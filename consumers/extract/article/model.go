package article

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"

	"millrace/consumers/extract/forest"
)

// A Model is learned from pages of many sites by bench/extract/train. It is safe for concurrent
// use.
type Model struct {
	Lexicon       *Lexicon
	First, Second *forest.Forest
}

// The files of a model are text, so that a person can read them.
const (
	folder      = "model"
	lexiconFile = "lexicon.txt"
	firstFile   = "first.txt"
	secondFile  = "second.txt"
	modelHead   = "# Made by go run ./bench/extract/train all; see there.\n"
)

//go:embed model
var files embed.FS

// Load returns the model that is compiled in.
func Load() (*Model, error) {
	return parse(func(name string) (string, error) {
		b, err := files.ReadFile(folder + "/" + name)
		return string(b), err
	})
}

// AsWritten returns the model that Load finds once m is written: files hold fewer digits.
func (m *Model) AsWritten() (*Model, error) {
	texts := m.texts()
	return parse(func(name string) (string, error) { return texts[name], nil })
}

// parse reads a model from the text of its files, by name.
func parse(text func(name string) (string, error)) (*Model, error) {
	lexicon, err := text(lexiconFile)
	if err != nil {
		return nil, fmt.Errorf("article: %w", err)
	}
	m := &Model{}
	if m.Lexicon, err = parseLexicon(lexicon); err != nil {
		return nil, fmt.Errorf("article: %w", err)
	}
	for _, f := range []struct {
		name  string
		names []string
		to    **forest.Forest
	}{{firstFile, FeatureNames(), &m.First}, {secondFile, SecondNames(), &m.Second}} {
		s, err := text(f.name)
		if err != nil {
			return nil, fmt.Errorf("article: %w", err)
		}
		if *f.to, err = forest.Parse(s, f.names); err != nil {
			return nil, fmt.Errorf("article: %s: %w", f.name, err)
		}
	}
	return m, nil
}

// texts returns the model's files, by name.
func (m *Model) texts() map[string]string {
	return map[string]string{
		lexiconFile: modelHead + m.Lexicon.String(),
		firstFile:   modelHead + m.First.String(FeatureNames()),
		secondFile:  modelHead + m.Second.String(SecondNames()),
	}
}

// Write writes the model's files into a folder.
func (m *Model) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range m.texts() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
