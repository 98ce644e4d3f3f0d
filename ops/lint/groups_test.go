package lint

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"

	"millrace/ops/lint/receivers"
	"millrace/topics"
)

// A group's package has one shape: the constant Group, New(Options, Deps), and a method Task that
// takes a partition. documents is the group extract again, for files.
func TestEveryGroupHasOneShape(t *testing.T) {
	byPath := map[string]pkg{}
	for _, p := range packages(t) {
		byPath[strings.TrimPrefix(p.ImportPath, "millrace/")] = p
	}
	for _, g := range topics.Groups() {
		if g.Name == "documents" {
			continue
		}
		p, ok := byPath["consumers/"+g.Name]
		if !ok {
			t.Errorf("the group %s has no package consumers/%[1]s", g.Name)
			continue
		}
		has := shape(t, p)
		for _, want := range []string{"const Group", "New(Options, Deps)", "Task(*streams.Partition)"} {
			if !has[want] {
				t.Errorf("consumers/%s lacks %s: see \"a consumer group\" in CONTRIBUTING.md", g.Name, want)
			}
		}
	}
}

// shape returns what a package declares of a group's shape.
func shape(t *testing.T, p pkg) map[string]bool {
	t.Helper()
	has := map[string]bool{}
	for _, s := range sources(t, p, token.NewFileSet()) {
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				has[d.Name.Name+"("+strings.Join(parameters(d.Type), ", ")+")"] = true
			case *ast.GenDecl:
				constants(d, has)
			}
		}
	}
	return has
}

func constants(d *ast.GenDecl, has map[string]bool) {
	for _, spec := range d.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.CONST {
			for _, n := range v.Names {
				has["const "+n.Name] = true
			}
		}
	}
}

// parameters returns the types of a function's parameters, those of this package by name.
func parameters(f *ast.FuncType) []string {
	var out []string
	for _, field := range f.Params.List {
		name := receivers.Name(field.Type)
		if star, ok := field.Type.(*ast.StarExpr); ok {
			if sel, ok := star.X.(*ast.SelectorExpr); ok {
				name = "*" + receivers.Name(sel.X) + "." + sel.Sel.Name
			}
		}
		for range max(1, len(field.Names)) {
			out = append(out, name)
		}
	}
	return out
}

// What only bench uses lives in bench: a package outside it that is no command and no helper of
// tests is imported by others outside it. ops/deploy is a chart, and Go only for its tests.
func TestWhatOnlyBenchUsesLivesInBench(t *testing.T) {
	used := map[string]bool{}
	all := packages(t)
	for _, p := range all {
		if !within(strings.TrimPrefix(p.ImportPath, "millrace/"), "bench") {
			for _, imp := range p.Imports {
				used[imp] = true
			}
		}
	}
	for _, p := range all {
		path := strings.TrimPrefix(p.ImportPath, "millrace/")
		_, command := packageComment(t, p)
		if !within(path, "bench") && !command && !strings.HasSuffix(path, "test") && len(p.GoFiles) > 0 && !used[p.ImportPath] && path != "ops/lint" && path != "ops/deploy" {
			t.Errorf("%s: nothing of the product imports it: move it to bench, or away", path)
		}
	}
}
