package lint

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"

	"millrace/schema"
)

// ownersOfTables says in which folder the owner of a table is, for owners that are no consumer
// groups.
func ownersOfTables() map[string]string {
	return map[string]string{
		"provision":                 "ops/provision",
		"each process its own rows": "ops/members",
		"websub":                    "producers/websub",
	}
}

// readers are the folders that name tables which they do not own, with the reason.
func tableReaders() map[string]string {
	return map[string]string{
		"streams/state": "the stores: CQL, and the suite that both stores pass",
		"bench":         "fills tables with made-up crawls, and counts rows",
	}
}

// Every table has one owner: a table is named only in the package of its owner, which has the
// queries that others need as methods or functions.
func TestEveryTableHasOneOwner(t *testing.T) {
	tables := tableVariables(t)
	if len(tables) != len(schema.Tables()) {
		t.Fatalf("%d variables of tables found, schema.Tables has %d", len(tables), len(schema.Tables()))
	}
	named := 0
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, "millrace/")
		if reads(path) || path == "schema" {
			continue
		}
		fset := token.NewFileSet()
		for _, s := range sources(t, p, fset) {
			ast.Inspect(s.file, func(n ast.Node) bool {
				x, ok := n.(*ast.SelectorExpr)
				if !ok || rootOf(x.X) != "schema" {
					return true
				}
				if owner := tables[x.Sel.Name]; owner != "" {
					if named++; !within(path, owner) {
						t.Errorf("%s: %s names schema.%s, which belongs to %s: let %[4]s have the query as a function or method",
							fset.Position(x.Pos()), path, x.Sel.Name, owner)
					}
				}
				return true
			})
		}
	}
	if named < 50 {
		t.Fatalf("tables are named in %d places: the test looks in the wrong places", named)
	}
}

func reads(path string) bool {
	for root := range tableReaders() {
		if within(path, root) {
			return true
		}
	}
	return false
}

// tableVariables returns the folders of the owners by the name of the table's variable in schema.
func tableVariables(t *testing.T) map[string]string {
	t.Helper()
	folders := map[string]string{}
	for _, x := range schema.Tables() {
		if folders[x.Name] = ownersOfTables()[x.Owner]; folders[x.Name] == "" {
			folders[x.Name] = "consumers/" + x.Owner
		}
	}
	out := map[string]string{}
	for _, p := range packages(t) {
		if p.ImportPath != "millrace/schema" {
			continue
		}
		for _, s := range sources(t, p, token.NewFileSet()) {
			eachTable(s.file, func(variable, name string) { out[variable] = folders[name] })
		}
	}
	return out
}

// eachTable calls fn for each variable that is declared as &Table{Name: …}.
func eachTable(f *ast.File, fn func(variable, name string)) {
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Names) != 1 || len(v.Values) != 1 {
			return true
		}
		ref, ok := v.Values[0].(*ast.UnaryExpr)
		if !ok {
			return true
		}
		lit, ok := ref.X.(*ast.CompositeLit)
		if !ok || rootName(lit.Type) != "Table" {
			return true
		}
		for _, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok && rootName(kv.Key) == "Name" {
				if name, ok := literal(kv.Value); ok {
					fn(v.Names[0].Name, name)
				}
			}
		}
		return true
	})
}
