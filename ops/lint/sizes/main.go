// Command sizes prints how large the rooms of the house are: types by methods and fields, packages
// by files, exported names, the share of comment lines. Tests and generated code do not count. With
// -before it prints the same of an earlier commit beside it.
//
//	go run ./ops/lint/sizes [ROOT]
//	go run ./ops/lint/sizes -before COMMIT
//
// What is largest then or now is listed; "-" stands for what is not there. The earlier commit is
// read with `git archive`; nothing is checked out.
package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"millrace/ops/lint/receivers"
)

// shown is how many of the largest are listed.
const shown = 12

type house struct {
	methods, fields, files map[string]int
	exported, lines        int
	comments, types, funcs int
}

func newHouse() *house {
	return &house{methods: map[string]int{}, fields: map[string]int{}, files: map[string]int{}}
}

func main() {
	before := flag.String("before", "", "a commit to compare with")
	flag.Parse()
	if err := run(os.Stdout, *before, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, commit, root string) error {
	now, err := measure(cmp.Or(root, "."))
	if err != nil {
		return err
	}
	if commit == "" {
		now.print(w, nil)
		return nil
	}
	then, err := measureCommit(cmp.Or(root, "."), commit)
	if err != nil {
		return fmt.Errorf("commit %s: %w", commit, err)
	}
	now.print(w, then)
	return nil
}

// counts reports whether a file is Go that people wrote, and no test.
func counts(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, ".pb.go")
}

// measure reads every Go file below root.
func measure(root string) (*house, error) {
	h := newHouse()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !counts(name) {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return h.read(name, path.Dir(filepath.ToSlash(rel)), src)
	})
	return h, err
}

// measureCommit reads every Go file of a commit of the repository at root.
func measureCommit(root, commit string) (*house, error) {
	cmd := exec.Command("git", "-C", root, "archive", "--format=tar", commit)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git archive: %w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	h := newHouse()
	for r := tar.NewReader(bytes.NewReader(out)); ; {
		f, err := r.Next()
		if errors.Is(err, io.EOF) {
			return h, nil
		}
		if err != nil {
			return nil, err
		}
		if !counts(f.Name) || f.Typeflag != tar.TypeReg {
			continue
		}
		src, err := io.ReadAll(r)
		if err == nil {
			err = h.read(f.Name, path.Dir(f.Name), src)
		}
		if err != nil {
			return nil, err
		}
	}
}

func (h *house) read(name, dir string, src []byte) error {
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments)
	if err != nil {
		return err
	}
	h.files[dir]++
	h.lines += strings.Count(string(src), "\n")
	for line := range strings.Lines(string(src)) {
		if strings.HasPrefix(strings.TrimSpace(line), "//") {
			h.comments++
		}
	}
	for _, d := range f.Decls {
		h.declaration(dir, d)
	}
	return nil
}

func (h *house) declaration(dir string, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		h.funcs++
		h.export(d.Name)
		if d.Recv != nil && len(d.Recv.List) == 1 {
			h.methods[dir+"."+receivers.Name(d.Recv.List[0].Type)]++
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				h.types++
				h.export(s.Name)
				if st, ok := s.Type.(*ast.StructType); ok {
					h.fields[dir+"."+s.Name.Name] = st.Fields.NumFields()
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					h.export(n)
				}
			}
		}
	}
}

func (h *house) export(n *ast.Ident) {
	if n.IsExported() {
		h.exported++
	}
}

// print prints a table of what is largest, and of the house before beside it unless that is nil.
func (h *house) print(w io.Writer, before *house) {
	if before != nil {
		fmt.Fprintf(w, "%8s %8s\n", "before", "now")
	} else {
		fmt.Fprintf(w, "%8s\n", "now")
	}
	row := func(name string, of func(*house) string) {
		if before != nil {
			fmt.Fprintf(w, "%8s ", of(before))
		}
		fmt.Fprintf(w, "%8s  %s\n", of(h), name)
	}
	row("packages", func(h *house) string { return strconv.Itoa(len(h.files)) })
	row("types", func(h *house) string { return strconv.Itoa(h.types) })
	row("functions", func(h *house) string { return strconv.Itoa(h.funcs) })
	row("exported names", func(h *house) string { return strconv.Itoa(h.exported) })
	row("lines", func(h *house) string { return strconv.Itoa(h.lines) })
	row("% of the lines are comments", func(h *house) string { return fmt.Sprintf("%.1f", 100*float64(h.comments)/float64(max(h.lines, 1))) })
	for _, table := range []struct {
		what string
		of   func(*house) map[string]int
	}{
		{"methods of", func(h *house) map[string]int { return h.methods }},
		{"fields of", func(h *house) map[string]int { return h.fields }},
		{"files of", func(h *house) map[string]int { return h.files }},
	} {
		for _, name := range largest(table.of, h, before) {
			row(table.what+" "+name, func(h *house) string {
				if n, ok := table.of(h)[name]; ok {
					return strconv.Itoa(n)
				}
				return "-"
			})
		}
	}
}

// largest returns the names of the largest of each house, by their size now.
func largest(of func(*house) map[string]int, houses ...*house) (names []string) {
	sizes := map[string]int{}
	for _, h := range houses {
		if h == nil {
			continue
		}
		all := make([]string, 0, len(of(h)))
		for name, n := range of(h) {
			all = append(all, name)
			sizes[name] = max(sizes[name], n)
		}
		slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(of(h)[b], of(h)[a]), cmp.Compare(a, b)) })
		names = append(names, all[:min(shown, len(all))]...)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b)) })
	return slices.Compact(names)
}
