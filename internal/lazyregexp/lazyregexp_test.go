package lazyregexp_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
)

func TestPattern(t *testing.T) {
	p := lazyregexp.New(`^a+$`)
	var users sync.WaitGroup
	for range 8 {
		users.Go(func() {
			if !p.MatchString("aa") || p.MatchString("ab") || p.Regexp().String() != `^a+$` {
				t.Error("the pattern does not match what it should")
			}
		})
	}
	users.Wait()
}

// TestPatternsAreValid checks the patterns of this module that are written as one literal: nothing
// else would compile all of them.
func TestPatternsAreValid(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "New" || !isName(f.X, "lazyregexp") {
				return true
			}
			if literal, ok := call.Args[0].(*ast.BasicLit); ok {
				found++
				text, err := strconv.Unquote(literal.Value)
				if err == nil {
					_, err = regexp.Compile(text)
				}
				if err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || found < 40 {
		t.Errorf("%d patterns were found, %v", found, err)
	}
}

func isName(e ast.Expr, name string) bool {
	ident, ok := e.(*ast.Ident)
	return ok && ident.Name == name
}
