package lint

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"millrace/schema"
)

// Every reason that a consumer drops anything with stands in schema.Reasons, so that accounts,
// status and `why` have words for it; and every reason of a page without a document has its line in
// the account of fetched pages, so that the account adds up.
func TestEveryDropReasonHasItsWords(t *testing.T) {
	known := map[string]schema.Reason{}
	for _, r := range schema.Reasons() {
		if known[r.Code].Code != "" {
			t.Errorf("%s stands in schema.Reasons twice", r.Code)
		}
		known[r.Code] = r
	}
	fset := token.NewFileSet()
	var files []source
	consts := map[string]string{}
	for _, p := range packages(t) {
		if path := strings.TrimPrefix(p.ImportPath, "millrace/"); !within(path, "consumers") && path != "schema" {
			continue
		}
		for _, s := range sources(t, p, fset) {
			files = append(files, s)
			stringConstants(s.file, func(name, _, value string) { consts[s.file.Name.Name+"."+name] = value })
		}
	}
	found, pages := 0, 0
	for _, s := range files {
		for _, code := range droppedWith(s.file, consts) {
			if found++; known[code].Code == "" {
				t.Errorf("%s drops with the reason %q, which has no line in schema.Reasons: add {Code: %[2]q} to schema/reason.go, with its words", s.path, code)
			}
		}
		stringConstants(s.file, func(name, typ, code string) {
			if s.file.Name.Name != "page" || typ != "Drop" || code == "" {
				return
			}
			if pages++; known[code].Pages == "" {
				t.Errorf("%s: pages dropped as %s have no words: add {Code: %q, Pages: \"…\"} to schema/reason.go, or fill Pages if the line is there", s.path, name, code)
			}
		})
	}
	if found < 20 || pages < 9 {
		t.Fatalf("%d drops and %d reasons of pages found: the test looks in the wrong places", found, pages)
	}
}

// stringConstants calls fn for the string constants of a file, with their types as written.
func stringConstants(f *ast.File, fn func(name, typ, value string)) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			typ, _ := v.Type.(*ast.Ident)
			name := ""
			if typ != nil {
				name = typ.Name
			}
			for i, x := range v.Values {
				if value, ok := literal(x); ok {
					fn(v.Names[i].Name, name, value)
				}
			}
		}
	}
}

// droppedWith lists the reasons of a file that are literals or constants: of calls of Drop and
// drop, and of what functions named pointless return.
func droppedWith(f *ast.File, consts map[string]string) []string {
	var out []string
	add := func(x ast.Expr) {
		switch x := x.(type) {
		case *ast.BasicLit:
			if value, ok := literal(x); ok && value != "" {
				out = append(out, value)
			}
		case *ast.Ident:
			if value, ok := consts[f.Name.Name+"."+x.Name]; ok {
				out = append(out, value)
			}
		case *ast.SelectorExpr:
			if p, ok := x.X.(*ast.Ident); ok {
				if value, ok := consts[p.Name+"."+x.Sel.Name]; ok {
					out = append(out, value)
				}
			}
		}
	}
	for _, d := range f.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body == nil {
			continue
		}
		ast.Inspect(fd.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name := rootName(n.Fun); (name == "Drop" || name == "drop") && len(n.Args) == 2 {
					add(n.Args[0])
				}
			case *ast.ReturnStmt:
				if fd.Name.Name == "pointless" && len(n.Results) == 1 {
					add(n.Results[0])
				}
			}
			return true
		})
	}
	return out
}

func rootName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

func literal(x ast.Expr) (string, bool) {
	b, ok := x.(*ast.BasicLit)
	if !ok || b.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(b.Value)
	return s, err == nil
}
