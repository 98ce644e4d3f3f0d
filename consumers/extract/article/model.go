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
	text := func(name string) (string, error) {
		b, err := files.ReadFile(folder + "/" + name)
		return string(b), err
	}
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

// Write writes the model's files into a folder.
func (m *Model) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{
		lexiconFile: m.Lexicon.String(),
		firstFile:   m.First.String(FeatureNames()),
		secondFile:  m.Second.String(SecondNames()),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(modelHead+text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
