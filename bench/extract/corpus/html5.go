package corpus

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// HTML5 returns the inputs of the html5lib test suites: tree construction (.dat) and tokenizer
// (.test).
func HTML5(dir string) ([][]byte, error) {
	var cases [][]byte
	err := filepath.WalkDir(filepath.Join(dir, "html5"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch filepath.Ext(path) {
		case ".dat":
			return addTrees(path, &cases)
		case ".test":
			return addTokens(path, &cases)
		}
		return nil
	})
	return cases, err
}

// addTrees reads what stands between "#data" and "#errors".
func addTrees(path string, cases *[][]byte) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for part := range strings.SplitSeq("\n"+string(b), "\n#data\n") {
		if input, _, ok := strings.Cut(part, "\n#errors"); ok {
			*cases = append(*cases, []byte(input))
		}
	}
	return nil
}

func addTokens(path string, cases *[][]byte) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	type test struct {
		Input string `json:"input"`
	}
	var file map[string][]test
	if err := json.Unmarshal(b, &file); err != nil {
		return err
	}
	for _, tests := range file {
		for _, t := range tests {
			*cases = append(*cases, []byte(t.Input))
		}
	}
	return nil
}
