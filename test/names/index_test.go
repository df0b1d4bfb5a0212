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

// scripts is the folder of the scripts that show what the command line does.
const scripts = "testdata/script/"

// Index has the tests of one module. It is safe for concurrent use.
type Index struct {
	root string
	// words are the texts in the file of each test function, by the name of the function.
	words map[string]map[string]bool
}

// Find reads the tests below the folder of a module; other modules in it are left out.
func Find(root string) (*Index, error) {
	x := &Index{root: root, words: make(map[string]map[string]bool)}
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

// skip leaves out what is not the module's: folders with a module of their own, and hidden
// ones.
func skip(root, dir string) error {
	if dir == root {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || strings.HasPrefix(filepath.Base(dir), ".") {
		return fs.SkipDir
	}
	return nil
}

// add notes the test functions of a file.
func (x *Index) add(path string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir, err := filepath.Rel(x.root, filepath.Dir(path))
	if err != nil {
		return err
	}
	words := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				words[text] = true
			}
		}
		return true
	})
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && isTest(f.Name.Name) {
			x.words[filepath.ToSlash(dir)+"."+f.Name.Name] = words
		}
	}
	return nil
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")
}

// Check returns an error unless there is a test of the name, which is one of
//
//	hostfuncs/egress.TestRebinding       a function, by its folder
//	runtime.TestReactors/a length of 4 GiB
//	                                     a row of its table, by a text in the same file
//	testdata/script/sandbox.txtar        a script
func (x *Index) Check(name string) error {
	if strings.HasPrefix(name, scripts) {
		if _, err := os.Stat(filepath.Join(x.root, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("there is no script %s", name)
		}
		return nil
	}
	function, row := split(name)
	words, ok := x.words[function]
	if !ok {
		return fmt.Errorf("there is no test %s", function)
	}
	if row != "" && !words[row] {
		return fmt.Errorf("the file of %s does not say %q", function, row)
	}
	return nil
}

// split cuts a name into the function and the row of its table, if there is one.
func split(name string) (function, row string) {
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
