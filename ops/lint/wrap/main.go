// Command wrap wraps comments at 100 columns: every paragraph of line comments that has a longer
// line. It leaves code, lists, tables, directives and comments behind code alone.
//
//	go run ./ops/lint/wrap [-w] PATH...
//
// Without -w it names the lines that are too long.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"millrace/ops/lint/columns"
)

func main() {
	write := flag.Bool("w", false, "write the files")
	flag.Parse()
	long := 0
	for _, root := range flag.Args() {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".pb.go") {
				return err
			}
			n, err := wrap(path, *write)
			long += n
			return err
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, "wrap:", err)
			os.Exit(1)
		}
	}
	if long > 0 && !*write {
		os.Exit(1)
	}
}

// wrap returns how many comment lines of a file are too long, and names or wraps them.
func wrap(path string, write bool) (int, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	long := columns.Long(string(src))
	if len(long) == 0 {
		return 0, nil
	}
	if !write {
		for _, n := range long {
			fmt.Printf("%s:%d\n", path, n)
		}
		return len(long), nil
	}
	return len(long), os.WriteFile(path, []byte(columns.Wrap(string(src))), 0o644)
}
