package page

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"

	"millrace/consumers/extract/forest"
)

//go:embed model
var files embed.FS

// The files of the two choices.
const (
	folder     = "model"
	titlesFile = "titles.txt"
	daysFile   = "days.txt"
	modelHead  = "# Made by go run ./bench/extract/train -what choices; see there.\n"
)

// loadChoices reads the forests that choose title and day of publication.
func loadChoices() (titles, days *forest.Forest, err error) {
	if titles, err = loadForest(titlesFile, TitleNames()); err != nil {
		return nil, nil, err
	}
	days, err = loadForest(daysFile, DayNames())
	return titles, days, err
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

// WriteChoices writes what loadChoices reads.
func WriteChoices(dir string, titles, days *forest.Forest) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	err := os.WriteFile(filepath.Join(dir, titlesFile), []byte(modelHead+titles.String(TitleNames())), 0o644)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, daysFile), []byte(modelHead+days.String(DayNames())), 0o644)
}
