package page

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/forest"
)

//go:embed model
var files embed.FS

// Models are the models of an Extractor. bench/extract/train makes them.
type Models struct {
	Text   *article.Model // which blocks are the main text
	Titles *forest.Forest // which candidate is the title
	Days   *forest.Forest // which day is the day of publication
	Useful *forest.Forest // whether the page has content of its own
	Types  Types          // what type of page it is
}

// The files of the models that this package owns.
const (
	folder     = "model"
	titlesFile = "titles.txt"
	daysFile   = "days.txt"
	usefulFile = "useful.txt"
	modelHead  = "# Made by go run ./bench/extract/train all; see there.\n"
)

// LoadModels returns the models that are compiled in.
func LoadModels() (m Models, err error) {
	if m.Text, err = article.Load(); err != nil {
		return m, err
	}
	if m.Titles, err = loadForest(titlesFile, TitleNames()); err != nil {
		return m, err
	}
	if m.Days, err = loadForest(daysFile, DayNames()); err != nil {
		return m, err
	}
	if m.Useful, err = loadForest(usefulFile, UsefulNames()); err != nil {
		return m, err
	}
	m.Types, err = loadTypes()
	return m, err
}

func loadForest(name string, columns []string) (*forest.Forest, error) {
	b, err := files.ReadFile(folder + "/" + name)
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	f, err := forest.Parse(string(b), columns)
	if err != nil {
		return nil, fmt.Errorf("page: %s: %w", name, err)
	}
	return f, nil
}

// WriteChoices writes the forests that this package owns into a folder.
func (m Models) WriteChoices(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{
		titlesFile: m.Titles.String(TitleNames()),
		daysFile:   m.Days.String(DayNames()),
		usefulFile: m.Useful.String(UsefulNames()),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(modelHead+text), 0o644); err != nil {
			return err
		}
	}
	return m.Types.write(dir)
}
