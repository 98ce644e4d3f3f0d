package lint

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"

	"millrace/ops/lint/receivers"
)

// What a type may have before its comment must say why it is large.
const (
	mostMethods = 25
	mostFields  = 12
)

// sized is a type with what it has.
type sized struct {
	methods, fields int
	data            bool // all fields are exported: a record, a row, options
	about           string
}

// A type with more than 25 methods, or 12 fields of state, says why in its comment ("large
// because"). Structs whose fields are all exported are lists by nature: options, rows, messages.
func TestALargeTypeSaysWhy(t *testing.T) {
	large := 0
	for _, p := range packages(t) {
		fset := token.NewFileSet()
		types := map[string]*sized{}
		for _, s := range sources(t, p, fset) {
			for _, d := range s.file.Decls {
				measure(types, d)
			}
		}
		for name, x := range types {
			if x.methods <= mostMethods && (x.fields <= mostFields || x.data) {
				continue
			}
			large++
			if !strings.Contains(strings.Join(strings.Fields(x.about), " "), "large because") {
				t.Errorf("%s.%s has %d methods and %d fields: split it, or say in its comment that it is \"large because …\"",
					p.ImportPath, name, x.methods, x.fields)
			}
		}
	}
	if large == 0 {
		t.Fatal("no large type found: the test looks in the wrong places")
	}
}

func measure(types map[string]*sized, d ast.Decl) {
	get := func(name string) *sized {
		if types[name] == nil {
			types[name] = &sized{}
		}
		return types[name]
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil && len(d.Recv.List) == 1 {
			get(receivers.Name(d.Recv.List[0].Type)).methods++
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			ts, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			x := get(ts.Name.Name)
			x.about = ts.Doc.Text() + d.Doc.Text()
			if st, ok := ts.Type.(*ast.StructType); ok {
				x.fields, x.data = st.Fields.NumFields(), allExported(st)
			}
		}
	}
}

func allExported(st *ast.StructType) bool {
	for _, f := range st.Fields.List {
		for _, n := range f.Names {
			if !n.IsExported() {
				return false
			}
		}
	}
	return true
}
