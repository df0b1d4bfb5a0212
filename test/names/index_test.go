package names

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// scripts is the directory of the scripts that test the command line.
const scripts = "testdata/script/"

// Index lists the tests of one module. It is safe for concurrent use.
type Index struct {
	root string
	// literals are the string literals in the file of each test function, by function name.
	literals map[string]map[string]bool
}

// Find reads the tests of the module in the directory root, but not of nested modules.
func Find(root string) (*Index, error) {
	x := &Index{root: root, literals: make(map[string]map[string]bool)}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skip(root, path)
		case strings.HasSuffix(path, "_test.go"):
			return x.add(path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return x, nil
}

// skip returns fs.SkipDir for nested modules and hidden directories.
func skip(root, dir string) error {
	if dir == root {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || strings.HasPrefix(filepath.Base(dir), ".") {
		return fs.SkipDir
	}
	return nil
}

// add indexes the test functions of a file.
func (x *Index) add(path string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir, err := filepath.Rel(x.root, filepath.Dir(path))
	if err != nil {
		return err
	}
	literals := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				literals[text] = true
			}
		}
		return true
	})
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && isTest(f.Name.Name) {
			x.literals[filepath.ToSlash(dir)+"."+f.Name.Name] = literals
		}
	}
	return nil
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")
}

// Check returns an error unless the named test exists. A name has one of three forms:
//
//	hostfuncs/egress.TestRebinding            a function, by its directory
//	runtime.TestReactors/a length of 4 GiB    a subtest, by a string literal in the same file
//	testdata/script/sandbox.txtar             a script
func (x *Index) Check(name string) error {
	if strings.HasPrefix(name, scripts) {
		if _, err := os.Stat(filepath.Join(x.root, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("there is no script %s", name)
		}
		return nil
	}
	function, subtest := split(name)
	literals, ok := x.literals[function]
	if !ok {
		return fmt.Errorf("there is no test %s", function)
	}
	if subtest != "" && !literals[subtest] {
		return fmt.Errorf("the file of %s has no string %q", function, subtest)
	}
	return nil
}

// split cuts a name into the function and its subtest, which may be empty.
func split(name string) (function, subtest string) {
	for _, kind := range []string{".Test", ".Fuzz", ".Example"} {
		at := strings.Index(name, kind)
		if at < 0 {
			continue
		}
		if slash := strings.IndexByte(name[at:], '/'); slash >= 0 {
			return name[:at+slash], name[at+slash+1:]
		}
	}
	return name, ""
}
