package lint

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// source is a parsed file that people wrote.
type source struct {
	path string
	file *ast.File
}

func sources(t *testing.T, p pkg, fset *token.FileSet) []source {
	t.Helper()
	var out []source
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte("DO NOT EDIT")) {
			continue
		}
		f, err := parser.ParseFile(fset, path, b, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, source{p.ImportPath + "/" + name, f})
	}
	return out
}

func TestNoInitNoPanicNoMutableStateAtPackageLevel(t *testing.T) {
	for _, p := range packages(t) {
		fset := token.NewFileSet()
		files := sources(t, p, fset)
		vars := map[string]bool{}
		for _, s := range files {
			checkDecls(t, s, vars)
		}
		for _, s := range files {
			checkAssignments(t, s, vars)
		}
	}
}

// exceptions are the package-level variables that must be, with the reason.
func exceptions() map[string]string {
	return map[string]string{
		"millrace/consumers/extract/documents/pdfserve.go canServe": "main states it once: what the program is able to do",
		"millrace/consumers/index/shard/scorch.go registry":         "scorch finds its error callbacks in a map of the process",
	}
}

// checkDecls finds init functions, panics outside Must functions, and variables
// that can only be meant to change; it notes the others in vars.
func checkDecls(t *testing.T, s source, vars map[string]bool) {
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				t.Errorf("%s: has an init function: do it in New, which can return an error", s.path)
			}
			if !strings.HasPrefix(d.Name.Name, "Must") && !strings.HasPrefix(d.Name.Name, "must") {
				checkPanics(t, s, d)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
					checkVar(t, s, v, vars)
				}
			}
		}
	}
}

func checkPanics(t *testing.T, s source, f *ast.FuncDecl) {
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" && !breaksOff(call) {
				t.Errorf("%s: %s panics: return an error, or name it Must…", s.path, f.Name.Name)
			}
		}
		return true
	})
}

// breaksOff reports whether a panic is panic(http.ErrAbortHandler), the one way to break an answer
// off.
func breaksOff(call *ast.CallExpr) bool {
	s, ok := call.Args[0].(*ast.SelectorExpr)
	return ok && s.Sel.Name == "ErrAbortHandler"
}

func checkVar(t *testing.T, s source, v *ast.ValueSpec, vars map[string]bool) {
	for _, name := range v.Names {
		vars[name.Name] = true
	}
	if _, ok := exceptions()[s.path+" "+v.Names[0].Name]; ok {
		return
	}
	switch typ := v.Type.(type) {
	case *ast.SelectorExpr:
		if x, ok := typ.X.(*ast.Ident); ok && (x.Name == "sync" || x.Name == "atomic") {
			t.Errorf("%s: %s is shared state: make it a field of what New returns", s.path, v.Names[0].Name)
		}
	case *ast.ChanType:
		t.Errorf("%s: %s is a channel at package level: make it a field of what New returns", s.path, v.Names[0].Name)
	}
}

// checkAssignments finds functions that assign to a variable of the package.
func checkAssignments(t *testing.T, s source, vars map[string]bool) {
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		local := locals(f)
		ast.Inspect(f.Body, func(n ast.Node) bool {
			var targets []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE {
					targets = n.Lhs
				}
			case *ast.IncDecStmt:
				targets = []ast.Expr{n.X}
			}
			for _, x := range targets {
				if name := rootOf(x); name != "_" && vars[name] && !local[name] {
					t.Errorf("%s: %s changes the package's variable %s: make it a field of what New returns", s.path, f.Name.Name, name)
				}
			}
			return true
		})
	}
}

// rootOf is the variable that an expression changes a part of.
func rootOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.IndexExpr:
		return rootOf(x.X)
	case *ast.SelectorExpr:
		return rootOf(x.X)
	}
	return ""
}

// locals are the names that a function declares anywhere in it.
func locals(f *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	fields := func(l *ast.FieldList) {
		if l == nil {
			return
		}
		for _, field := range l.List {
			for _, n := range field.Names {
				names[n.Name] = true
			}
		}
	}
	fields(f.Recv)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			fields(n.Params)
			fields(n.Results)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, x := range n.Lhs {
					names[rootOf(x)] = true
				}
			}
		case *ast.RangeStmt:
			for _, x := range []ast.Expr{n.Key, n.Value} {
				if id, ok := x.(*ast.Ident); ok {
					names[id.Name] = true
				}
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}
