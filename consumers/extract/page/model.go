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

// The files of the two choices and of the judgement of usefulness.
const (
	folder     = "model"
	titlesFile = "titles.txt"
	daysFile   = "days.txt"
	usefulFile = "useful.txt"
	modelHead  = "# Made by go run ./bench/extract/train -what choices; see there.\n"
)

// loadChoices reads the forests that choose title and day of publication and judge usefulness.
func loadChoices() (titles, days, useful *forest.Forest, err error) {
	if titles, err = loadForest(titlesFile, TitleNames()); err != nil {
		return nil, nil, nil, err
	}
	if days, err = loadForest(daysFile, DayNames()); err != nil {
		return nil, nil, nil, err
	}
	useful, err = loadForest(usefulFile, UsefulNames())
	return titles, days, useful, err
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
func WriteChoices(dir string, titles, days, useful *forest.Forest) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{
		titlesFile: titles.String(TitleNames()),
		daysFile:   days.String(DayNames()),
		usefulFile: useful.String(UsefulNames()),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(modelHead+text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
