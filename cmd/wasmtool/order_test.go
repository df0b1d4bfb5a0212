package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// TestSelfCompilerComesFirst checks that main does nothing before SelfCompiler. A child process
// that compiles modules never gets further, and what ran before would change its limits.
func TestSelfCompilerComesFirst(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "main.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var first ast.Stmt
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "main" {
			first = f.Body.List[0]
		}
	}
	found := false
	if assign, ok := first.(*ast.AssignStmt); ok {
		if call, ok := assign.Rhs[0].(*ast.CallExpr); ok {
			selector, ok := call.Fun.(*ast.SelectorExpr)
			found = ok && selector.Sel.Name == "SelfCompiler"
		}
	}
	if !found {
		t.Error("the first statement of main is not compiler := runtime.SelfCompiler()")
	}
}
