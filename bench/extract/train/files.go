package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"millrace/consumers/extract/page"
)

// write writes the models into their folders below the root of the repository.
func write(m page.Models, root string) error {
	extract := filepath.Join(root, "consumers", "extract")
	return errors.Join(m.Text.Write(filepath.Join(extract, "article", "model")), m.WriteChoices(filepath.Join(extract, "page", "model")))
}

// compare prints the SHA-256 of each model and whether the file below root is the same. It returns
// an error if one is not.
func compare(m page.Models, root string, out io.Writer) error {
	made, err := os.MkdirTemp("", "models")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	if err := write(m, made); err != nil {
		return err
	}
	files, other := 0, 0
	err = filepath.WalkDir(made, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(made, path)
		if err != nil {
			return err
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		verdict := "equal"
		if got, err := os.ReadFile(filepath.Join(root, rel)); err != nil {
			verdict = err.Error()
		} else if !bytes.Equal(got, want) {
			verdict = "differs"
		}
		if verdict != "equal" {
			other++
		}
		fmt.Fprintf(out, "%x  %s  %s\n", sha256.Sum256(want), rel, verdict)
		return nil
	})
	if err != nil {
		return err
	}
	if other > 0 {
		return fmt.Errorf("%d of %d models are not what training makes: run train all without -check to write them", other, files)
	}
	fmt.Fprintf(out, "all %d models are what training makes\n", files)
	return nil
}
