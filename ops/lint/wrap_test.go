package lint

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"millrace/ops/lint/columns"
)

// TestCommentsAreWrapped: one width, 100 columns, so that two files stand side by side.
func TestCommentsAreWrapped(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".pb.go") {
			return err
		}
		src, err := os.ReadFile(path)
		for _, n := range columns.Long(string(src)) {
			t.Errorf("%s:%d is longer than 100 columns: go run ./ops/lint/wrap -w .", path, n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
