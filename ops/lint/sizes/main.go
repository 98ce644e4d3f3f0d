// Command sizes prints how large the rooms of the house are: types by methods and fields, packages
// by files, exported names, the share of comment lines. Tests and generated code do not count.
//
//	go run ./ops/lint/sizes [ROOT]
package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// shown is how many of the largest are listed.
const shown = 12

type named struct {
	name string
	n    int
}

type house struct {
	methods, fields, files map[string]int
	exported, lines        int
	comments, types, funcs int
}

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	h, err := measure(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
	fmt.Printf("%d packages, %d types, %d functions, %d exported names, %d lines, %.1f %% of them comments\n",
		len(h.files), h.types, h.funcs, h.exported, h.lines, 100*float64(h.comments)/float64(h.lines))
	list("types by methods", h.methods)
	list("types by fields", h.fields)
	list("packages by files", h.files)
}

// measure reads every Go file below root.
func measure(root string) (*house, error) {
	h := &house{methods: map[string]int{}, fields: map[string]int{}, files: map[string]int{}}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".pb.go") {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return h.read(path, filepath.ToSlash(filepath.Dir(rel)))
	})
	return h, err
}

func (h *house) read(path, dir string) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, src, parser.ParseComments)
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
			h.methods[dir+"."+receiver(d.Recv.List[0].Type)]++
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

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}

func list(what string, counts map[string]int) {
	var all []named
	for name, n := range counts {
		all = append(all, named{name, n})
	}
	slices.SortFunc(all, func(a, b named) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.name, b.name)) })
	fmt.Println(what)
	for _, x := range all[:min(shown, len(all))] {
		fmt.Printf("  %4d  %s\n", x.n, x.name)
	}
}
