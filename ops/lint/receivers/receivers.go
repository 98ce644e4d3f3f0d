// Package receivers names the types that methods belong to.
//
// # Goals
//
// The lint of large types and the command that prints them count methods alike.
//
// # How it works
//
// Name reads the type of a receiver as the parser gives it.
//
// # Promises
//
// A pointer or a type parameter changes no name.
//
// # On failure
//
// What is no receiver is "?".
//
// # Limits
//
// Names have no package.
package receivers

import "go/ast"

// Name returns the name of a method's type.
func Name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return Name(e.X)
	case *ast.IndexExpr:
		return Name(e.X)
	case *ast.IndexListExpr:
		return Name(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
